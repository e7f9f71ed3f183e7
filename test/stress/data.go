package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	longestData = 256 << 10 // bytes of one message on the fast path
	depth       = 32        // messages in flight of each producer, and buffers of each consumer
)

// data sends through many producers and consumers of one connection between two processes. Each
// producer sends to all consumers in turn; immediate data says which message it is.
func data(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("data", flag.ExitOnError)
	endpoints := fs.Int("endpoints", 8, "number of producers, and of consumers")
	mib := fs.Int("mib", 10<<10, "MiB of data in all")
	fs.Parse(args)

	name := serviceName()
	dev, srv, err := listen(ctx, name)
	if err != nil {
		return err
	}
	defer dev.Close()
	each := max(1, *mib<<20 / *endpoints / (longestData/2))
	cmd := child(ctx, "child-data", "-name", name, "-endpoints", strconv.Itoa(*endpoints), "-messages", strconv.Itoa(each))
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	conn, err := srv.Accept(ctx)
	if err != nil {
		return err
	}
	consumers := make([]*receiver, *endpoints)
	for i := range consumers {
		if consumers[i], err = newReceiver(conn, depth, longestData); err != nil {
			return err
		}
		defer consumers[i].Close()
	}
	// The producers send to the consumers in this order.
	order := make([]byte, 0, 4**endpoints)
	for _, c := range consumers {
		order = binary.LittleEndian.AppendUint32(order, c.ID())
	}
	if err := conn.Send(ctx, order); err != nil {
		return err
	}
	received := make([]int64, *endpoints)
	err = together(*endpoints, func(i int) (err error) {
		received[i], err = consume(ctx, consumers[i], i, *endpoints, each)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := conn.Recv(ctx); err != nil { // all sends of the other side have completed
		return err
	}
	took := time.Since(begin)
	if err := srv.Close(); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return err
	}
	total := int64(0)
	for _, n := range received {
		total += n
	}
	fmt.Printf("%d producers to %d consumers, %d messages, %.2f GiB, each received once, in order, unchanged: %.1fs, %.2f GB/s; resident %d MiB\n",
		*endpoints, *endpoints, *endpoints*each, float64(total)/(1<<30), took.Seconds(), float64(total)/1e9/took.Seconds(), residentMiB())
	return nil
}

// together calls f for 0 to n-1, all at once, and returns the first error.
func together(n int, f func(i int) error) error {
	var group sync.WaitGroup
	errs := make(chan error, n)
	for i := range n {
		group.Go(func() { errs <- f(i) })
	}
	for range n {
		if err := <-errs; err != nil {
			return err
		}
	}
	group.Wait()
	return nil
}

// receiver is a consumer and the memory that it receives into.
type receiver struct {
	*comch.Consumer
	inv *doca.Inventory
	mem *doca.Memory
}

// newReceiver makes a consumer with n buffers posted.
func newReceiver(conn *comch.Conn, n, size int) (r *receiver, err error) {
	r = new(receiver)
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	r.mem, err = doca.NewMemory(n*size, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}, Access: doca.AccessPCIReadWrite})
	if err != nil {
		return r, err
	}
	if r.inv, err = doca.NewInventory(n); err != nil {
		return r, err
	}
	bufs := make([]*doca.Buffer, n)
	for i := range bufs {
		if bufs[i], err = r.inv.Buffer(r.mem, i*size, size); err != nil {
			return r, err
		}
	}
	if r.Consumer, err = conn.NewConsumer(r.mem, comch.ConsumerConfig{MaxTasks: n}); err != nil {
		return r, err
	}
	_, err = r.PostBatch(bufs)
	return r, err
}

// Close closes what newReceiver made.
func (r *receiver) Close() error {
	var errs []error
	if r.Consumer != nil {
		errs = append(errs, r.Consumer.Close())
	}
	if r.inv != nil {
		errs = append(errs, r.inv.Close())
	}
	if r.mem != nil {
		errs = append(errs, r.mem.Close())
	}
	return errors.Join(errs...)
}

// consume receives what the producers send to consumer number me. It returns the number of
// bytes.
func consume(ctx context.Context, c *receiver, me, endpoints, each int) (int64, error) {
	next := make([]int, endpoints) // the number of the next message from each producer
	left := 0
	for p := range next {
		next[p] = (me - p + endpoints) % endpoints
		left += (each - next[p] + endpoints - 1) / endpoints
	}
	got := make([]comch.Received, depth)
	back := make([]*doca.Buffer, 0, depth)
	total := int64(0)
	for left > 0 {
		n, err := c.RecvBatch(ctx, got)
		if err != nil {
			return 0, err
		}
		back = back[:0]
		for _, r := range got[:n] {
			p, seq := int(binary.LittleEndian.Uint64(r.Imm)), int(binary.LittleEndian.Uint64(r.Imm[8:]))
			if p >= endpoints || seq != next[p] {
				return 0, fmt.Errorf("consumer %d: message %d of producer %d instead of %d", me, seq, p, next[p])
			}
			off, n := cut(uint64(p), uint64(seq), longestData)
			if !bytes.Equal(r.Data, noise[off:off+n]) {
				return 0, fmt.Errorf("consumer %d: message %d of producer %d is not what was sent", me, seq, p)
			}
			next[p] += endpoints
			total += int64(n)
			back = append(back, r.Buffer)
		}
		left -= n
		if _, err := c.PostBatch(back); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// childData is the process with the producers.
func childData(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("child-data", flag.ExitOnError)
	name := fs.String("name", "", "")
	endpoints := fs.Int("endpoints", 1, "")
	each := fs.Int("messages", 1, "")
	fs.Parse(args)

	dev, err := doca.OpenDevice(*hostAddr)
	if err != nil {
		return err
	}
	defer dev.Close()
	conn, err := comch.Dial(ctx, dev, *name, comch.Config{})
	if err != nil {
		return err
	}
	order, err := conn.Recv(ctx)
	if err != nil {
		return err
	}
	mem, err := doca.NewMemory(len(noise), doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadOnly})
	if err != nil {
		return err
	}
	defer mem.Close()
	copy(mem.Bytes(), noise)
	if err := together(*endpoints, func(p int) error { return produce(ctx, conn, mem, order, p, *each) }); err != nil {
		return err
	}
	if err := conn.Send(ctx, []byte("done")); err != nil {
		return err
	}
	<-conn.Done()
	fmt.Fprintf(os.Stderr, "producers: resident %d MiB\n", residentMiB())
	return dev.Close()
}

// produce is producer number me: it sends each messages to the consumers in turn.
func produce(ctx context.Context, conn *comch.Conn, mem *doca.Memory, order []byte, me, each int) error {
	prod, err := conn.NewProducer(comch.ProducerConfig{MaxTasks: depth})
	if err != nil {
		return err
	}
	defer prod.Close()
	inv, err := doca.NewInventory(depth)
	if err != nil {
		return err
	}
	defer inv.Close()
	msgs := make([]comch.Message, depth)
	for i := range msgs {
		msgs[i].Imm = make([]byte, 16)
		if msgs[i].Buffer, err = inv.Buffer(mem, 0, len(noise)); err != nil {
			return err
		}
	}
	endpoints := len(order) / 4
	for seq := 0; seq < each; {
		batch := msgs[:min(depth, each-seq)]
		for i := range batch {
			off, n := cut(uint64(me), uint64(seq), longestData)
			if err := batch[i].Buffer.SetData(off, n); err != nil {
				return err
			}
			binary.LittleEndian.PutUint64(batch[i].Imm, uint64(me))
			binary.LittleEndian.PutUint64(batch[i].Imm[8:], uint64(seq))
			batch[i].Consumer = binary.LittleEndian.Uint32(order[(me+seq)%endpoints*4:])
			seq++
		}
		if _, err := prod.SendBatch(ctx, batch); err != nil {
			return err
		}
	}
	return prod.Close()
}
