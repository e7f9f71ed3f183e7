package bench

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	dpu  = "0000:03:00.0"
	host = "0000:b1:00.0"
)

// goComch does in Go what cComch does in C.
type goComch struct {
	producer *comch.Producer
	consumer *comch.Consumer
	out, in  *doca.Memory
	msgs     []comch.Message
	bufs     []*doca.Buffer
	got      []comch.Received
}

func channelName() string { return fmt.Sprintf("bench-%d", time.Now().UnixNano()) }

// newConns makes a connection and returns both its ends.
func newConns(b *testing.B, busy bool) (client, server *comch.Conn) {
	b.Helper()
	ctx := context.Background()
	dpuDev, hostDev := open(b, dpu), open(b, host)
	rep, err := dpuDev.OpenRepresentor(host)
	ok(b, err)
	name := channelName()
	srv, err := comch.Listen(ctx, dpuDev, rep, name, comch.Config{Engine: newEngine(b, busy)})
	ok(b, err)
	accepted := make(chan error)
	go func() {
		var err error
		server, err = srv.Accept(ctx)
		accepted <- err
	}()
	client, err = comch.Dial(ctx, hostDev, name, comch.Config{Engine: newEngine(b, busy)})
	ok(b, err)
	ok(b, <-accepted)
	return client, server
}

func newEngine(b *testing.B, busy bool) *doca.ProgressEngine {
	b.Helper()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: busy})
	ok(b, err)
	b.Cleanup(func() { ok(b, pe.Close()) })
	return pe
}

// newGoComch prepares count messages of size bytes; depth of them can be in flight.
func newGoComch(b *testing.B, count, size int) *goComch {
	b.Helper()
	ctx, l := context.Background(), &goComch{}
	client, server := newConns(b, false)
	memory := func(dev *doca.Device) *doca.Memory {
		m, err := doca.NewMemory(depth*size, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite})
		ok(b, err)
		return m
	}
	l.out, l.in = memory(client.Device()), memory(server.Device())
	for i := range l.out.Bytes() {
		l.out.Bytes()[i] = byte(i*31 + i/251)
	}
	var err error
	l.consumer, err = server.NewConsumer(l.in, comch.ConsumerConfig{Engine: newEngine(b, true), MaxTasks: depth})
	ok(b, err)
	l.producer, err = client.NewProducer(comch.ProducerConfig{Engine: newEngine(b, true), MaxTasks: depth})
	ok(b, err)
	id, err := client.WaitConsumer(ctx)
	ok(b, err)

	inv, err := doca.NewInventory(2 * depth)
	ok(b, err)
	b.Cleanup(func() { ok(b, inv.Close()) })
	var sources []*doca.Buffer
	for i := range depth {
		src, err := inv.Buffer(l.out, i*size, size)
		ok(b, err)
		ok(b, src.SetData(0, size))
		sources = append(sources, src)
		dst, err := inv.Buffer(l.in, i*size, size)
		ok(b, err)
		l.bufs = append(l.bufs, dst)
	}
	for i := range count {
		l.msgs = append(l.msgs, comch.Message{Buffer: sources[i%depth], Consumer: id})
	}
	l.got = make([]comch.Received, depth)
	_, err = l.consumer.PostBatch(l.bufs)
	ok(b, err)
	b.Cleanup(func() { ok(b, l.consumer.Close()) })
	return l
}

func open(b *testing.B, addr string) *doca.Device {
	b.Helper()
	dev, err := doca.OpenDevice(addr)
	ok(b, err)
	b.Cleanup(func() { ok(b, dev.Close()) })
	return dev
}

// receive receives n messages and posts their buffers again.
func (l *goComch) receive(ctx context.Context, n int) error {
	for n > 0 {
		k, err := l.consumer.RecvBatch(ctx, l.got)
		for i := range l.got[:k] {
			l.bufs[i] = l.got[i].Buffer
		}
		if err == nil {
			_, err = l.consumer.PostBatch(l.bufs[:k])
		}
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// run returns a function that sends all messages and receives them, rounds times.
func (l *goComch) run(b *testing.B) func(rounds int) {
	ctx := context.Background()
	return func(rounds int) {
		for range rounds {
			if _, err := l.producer.SendBatch(ctx, l.msgs); err != nil {
				b.Fatal(err)
			}
			if err := l.receive(ctx, len(l.msgs)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// stream returns a function that sends messages while another goroutine receives them.
func (l *goComch) stream(b *testing.B) func(rounds int) {
	ctx := context.Background()
	received := make(chan error)
	return func(rounds int) {
		go func() { received <- l.receive(ctx, rounds*len(l.msgs)) }()
		for range rounds {
			if _, err := l.producer.SendBatch(ctx, l.msgs); err != nil {
				b.Fatal(err)
			}
		}
		if err := <-received; err != nil {
			b.Fatal(err)
		}
	}
}

func (l *goComch) verify(b *testing.B, size int) {
	b.Helper()
	for i := range depth {
		got := l.in.Bytes()[i*size:][:size]
		found := false
		for k := range depth {
			found = found || bytes.Equal(got, l.out.Bytes()[k*size:][:size])
		}
		if !found {
			b.Fatal("a buffer does not hold what was sent")
		}
	}
}

// BenchmarkComch compares the batch forms with the loop in C. Sender and receiver have a
// thread each, and 32 messages are in flight.
func BenchmarkComch(b *testing.B) {
	const count = 512
	for _, size := range []int{64, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := newGoComch(b, count, size)
			inC, err := newCComch(dpu, host, channelName(), depth, size)
			ok(b, err)
			const least = 64 // rounds, so that starting the threads does not count
			goStream := l.stream(b)
			compare(b, least*count, "c", func(rounds int) { goStream(least * rounds) },
				func(rounds int) { ok(b, inC.stream(least*rounds*count)) })
			l.verify(b, size)
			if !inC.verify() {
				b.Fatal("C: a buffer does not hold what was sent")
			}
			ok(b, inC.close())
		})
	}
}

// BenchmarkComchTurns does the same with sender and receiver in turns on one thread. It
// measures what both cost together, with nothing to wait for.
func BenchmarkComchTurns(b *testing.B) {
	for _, size := range []int{64, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := newGoComch(b, depth, size)
			inC, err := newCComch(dpu, host, channelName(), depth, size)
			ok(b, err)
			compare(b, depth, "c", l.run(b), func(rounds int) { ok(b, inC.run(rounds)) })
			l.verify(b, size)
			if !inC.verify() {
				b.Fatal("C: a buffer does not hold what was sent")
			}
			ok(b, inC.close())
		})
	}
}

// BenchmarkComchPing compares a control message of 64 bytes that goes there and back with C,
// both ends in turns on one thread.
func BenchmarkComchPing(b *testing.B) {
	const size = 64
	ctx := context.Background()
	client, server := newConns(b, true)
	inC, err := newCComch(dpu, host, channelName(), depth, size)
	ok(b, err)
	msg, buf := make([]byte, size), make([]byte, size)
	pass := func(from, to *comch.Conn) {
		if err := from.Send(ctx, msg); err != nil {
			b.Fatal(err)
		}
		if _, err := to.RecvInto(ctx, buf); err != nil {
			b.Fatal(err)
		}
	}
	compare(b, 1, "c", func(rounds int) {
		for range rounds {
			pass(client, server)
			pass(server, client)
		}
	}, func(rounds int) { ok(b, inC.ping(size, rounds)) })
	ok(b, inC.close())
}
