// Command relay receives messages by Comch and passes them on.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
)

type message struct {
	from uint32
	body []byte
}

type relay struct {
	conn     *comch.Conn
	consumer *comch.Consumer
	last     []byte
	byPeer   map[uint32][]byte
	out      chan message
	closers  []closer
}

type closer interface {
	Close() error
	Shutdown(ctx context.Context) error
}

func (r *relay) loop(ctx context.Context) error {
	for m, err := range r.consumer.Messages(ctx) {
		if err != nil {
			return err
		}
		r.last = m.Data                        // want kept
		r.byPeer[m.ProducerID] = m.Data        // want kept
		r.out <- message{m.ProducerID, m.Data} // want kept
		go r.handle(m.Data)                    // want kept
	}
	return nil
}

func (r *relay) handle(body []byte) { log.Printf("%d bytes", len(body)) }

func (r *relay) collect(ctx context.Context, n int) ([][]byte, error) {
	var all [][]byte
	for range n {
		m, err := r.consumer.Recv(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, bytes.TrimSpace(m.Data))
		if err := r.consumer.Post(m.Buffer); err != nil {
			return nil, err
		}
	}
	return all, nil // want kept
}

func (r *relay) next(ctx context.Context) ([]byte, error) {
	m, err := r.consumer.Recv(ctx)
	if err != nil {
		return nil, err
	}
	defer r.repost(m.Buffer)
	return m.Data, nil // want kept
}

func (r *relay) repost(b *doca.Buffer) {
	if err := r.consumer.Post(b); err != nil {
		log.Print(err)
	}
}

func (r *relay) prepare(buf *doca.Buffer) error {
	if err := r.consumer.Post(buf); err != nil {
		return err
	}
	copy(buf.Bytes(), "stale") // want inflight
	return nil
}

func (r *relay) first(ctx context.Context) (found []byte) {
	for m, err := range r.consumer.Messages(ctx) {
		if err != nil {
			break
		}
		if bytes.HasPrefix(m.Data, []byte("x")) {
			found = m.Data // want kept
			break
		}
	}
	return found
}

func (r *relay) fanOut(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	for {
		m, err := r.consumer.Recv(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		group.Go(func() { r.handle(m.Data) }) // want kept
		if err := r.consumer.Post(m.Buffer); err != nil {
			return err
		}
	}
}

func (r *relay) stop() {
	for _, c := range r.closers {
		c.Close() // want closeerror
	}
	r.consumer.Close() // want closeerror
	go r.conn.Close()  // want closeerror
	_ = r.conn.Close()
}

func dial(ctx context.Context, dev *doca.Device, name string) (*relay, error) {
	conn, err := comch.Dial(ctx, dev, name, comch.Config{}) // want unclosed
	if err != nil {
		return nil, err
	}
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessPCIReadWrite})
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := conn.Send(ctx, []byte("hello")); err != nil {
		return nil, errors.Join(err, mem.Close())
	}
	consumer, err := conn.NewConsumer(mem, comch.ConsumerConfig{})
	if err != nil {
		return nil, errors.Join(err, mem.Close(), conn.Close())
	}
	return &relay{conn: conn, consumer: consumer, byPeer: map[uint32][]byte{}, out: make(chan message)}, nil
}

func ping(ctx context.Context, dev *doca.Device) error {
	d := &comchnet.Dialer{Device: dev}
	conn, err := d.DialContext(ctx, "comch", "ping") // want unclosed
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte("ping"))
	return err
}

func main() {
	ctx := context.Background()
	dev, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	for range 3 {
		if err := ping(ctx, dev); err != nil {
			log.Print(err)
		}
	}
	r, err := dial(ctx, dev, "relay")
	if err != nil {
		log.Fatal(err)
	}
	defer r.stop()
	if err := r.loop(ctx); err != nil {
		log.Print(err)
	}
	log.Print(r.collect(ctx, 1))
	log.Print(r.next(ctx))
	log.Print(r.first(ctx), r.fanOut(ctx), r.prepare(nil))
}
