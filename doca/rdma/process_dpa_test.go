package rdma_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/rdmatest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveDPA lets a thread on its DPA echo messages, until its input ends.
func serveDPA() error {
	dev, err := doca.OpenDevice(doctest.DPU0)
	if err != nil {
		return err
	}
	defer dev.Close()
	mem, err := doca.NewMemory(memSize, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: access})
	if err != nil {
		return err
	}
	d, err := dpa.New(dev, dpa.Config{App: rdmatest.App()})
	if err != nil {
		return err
	}
	end := rdmatest.End{Addr: uint64(mem.Address()), Slots: slots, SlotLen: slotLen}
	if end.Mmap, err = d.MmapHandle(mem); err != nil {
		return err
	}
	args, err := dpa.Place(d, end)
	if err != nil {
		return err
	}
	thread, err := d.NewThread(dpa.ThreadConfig{Func: rdmatest.FuncEcho(), Arg: uint64(args.Addr())})
	if err != nil {
		return err
	}
	completion, err := d.NewCompletion(dpa.CompletionConfig{QueueSize: 256, Thread: thread})
	if err != nil {
		return err
	}
	r, err := rdma.NewOnDPA(d, rdma.DPAConfig{Completion: completion})
	if err != nil {
		return err
	}
	if end.Comp, err = completion.Handle(); err != nil {
		return err
	}
	if end.RDMA, err = r.Handle(); err != nil {
		return err
	}
	if err := errors.Join(dpa.Put(args, 0, end), thread.Run()); err != nil {
		return err
	}
	conn, details, err := r.Export()
	if err != nil {
		return err
	}
	desc, err := mem.ExportRDMA(dev)
	if err != nil {
		return err
	}
	fmt.Printf("%x %x\n", details, desc)
	in := bufio.NewReader(os.Stdin)
	var hisDetails, hisDesc []byte
	if _, err := fmt.Fscanf(in, "%x %x\n", &hisDetails, &hisDesc); err != nil {
		return err
	}
	if err := conn.Connect(hisDetails); err != nil {
		return err
	}
	if _, err := rdmatest.CallPostReceives(context.Background(), d, args.Addr(), slots); err != nil {
		return err
	}
	fmt.Println("ready") // the thread posts as well, so that messages before would find slots in disorder
	in.ReadString('\n')  // until the input ends
	return d.Err()
}

// serveSlots echoes messages of a DPA until that is gone.
func serveSlots() error {
	return withRole(func(r *role) error {
		buf, err := r.inv.Buffer(r.mem, 0, slotLen)
		if err != nil {
			return err
		}
		for {
			if _, err := r.rdma.Post(buf); err != nil {
				return err
			}
			got, err := r.rdma.Recv(context.Background())
			if errors.Is(err, rdma.ErrPeerGone) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := r.conn.SendImm(context.Background(), got.Imm, r.mem, 0, slotLen); err != nil {
				return err
			}
		}
	})
}

// TestProcessOnDPA: the thread of another process echoes, and its end is seen.
func TestProcessOnDPA(t *testing.T) {
	t.Parallel()
	s, p := withProcess(t, "dpa")
	require.Equal(t, "ready\n", must(p.out.ReadString('\n'))(t))
	s.talk(t, 200)
	want := s.fill(0, slotLen, 9)
	check(t, s.conn.Write(soonish(t), s.peer, outAt, s.mem, 0, slotLen))
	check(t, s.conn.Read(soonish(t), s.mem, slotLen, s.peer, outAt, slotLen))
	assert.Equal(t, want, s.mem.Bytes()[slotLen:][:slotLen])
	must(s.rdma.Post(s.buffer(t, 0, slotLen)))(t)
	p.kill()
	_, err := s.rdma.Recv(soonish(t))
	wantErr(t, err, rdma.ErrPeerGone)
}

// TestDPAAndProcess: a DPA works with another process, hears that it was killed, and works with the next one.
func TestDPAAndProcess(t *testing.T) {
	t.Parallel()
	s := newDPASide(t, rdmatest.FuncSink(), rdma.DPAConfig{})
	sent := uint64(0)
	for turn := range uint64(2) {
		p, in := newProcess(t, "slots")
		line := strings.Fields(must(p.out.ReadString('\n'))(t))
		require.Len(t, line, 2)
		c, details := s.export()
		must(fmt.Fprintf(in, "%x %x\n", details, must(s.mem.ExportRDMA(s.dev))(t)))(t)
		s.end = s.counts()
		s.aim(must(hex.DecodeString(line[1]))(t))
		check(t, c.Connect(must(hex.DecodeString(line[0]))(t)))
		s.receives()
		for range 40 {
			sent++
			must(rdmatest.CallSendOut(t.Context(), s.d, s.args.Addr(), c.ID(), slotLen, uint32(sent)))(t)
		}
		s.reaches("all answers", func(e rdmatest.End) bool { return e.Received == sent && e.Sent == sent })
		assert.EqualValues(t, sent, s.counts().Immediate)
		p.kill()
		s.reaches("the end", func(e rdmatest.End) bool { return e.ReceiveErrors == slots*(turn+1) })
		check(t, s.d.Err())
		must(rdmatest.CallSendOut(t.Context(), s.d, s.args.Addr(), c.ID(), slotLen, 0))(t)
		s.reaches("an error", func(e rdmatest.End) bool { return e.SendErrors == turn+1 })
		check(t, c.Close())
	}
}
