package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	dpu  = "0000:03:00.0"
	host = "0000:b1:00.0"
)

// goComch does in Go what cloop.Comch does in C.
type goComch struct {
	*rig
	size     int
	producer *comch.Producer
	consumer *comch.Consumer
	out, in  *doca.Memory
	msgs     []comch.Message
	bufs     []*doca.Buffer
	got      []comch.Received
}

func channelName() string { return fmt.Sprintf("bench-%d", time.Now().UnixNano()) }

// newConns makes a connection and returns both its ends.
func newConns(r *rig, busy bool) (client, server *comch.Conn) {
	ctx := context.Background()
	dpuDev, hostDev := r.open(dpu), r.open(host)
	rep, err := dpuDev.OpenRepresentor(host)
	r.ok(err)
	name := channelName()
	srv, err := comch.Listen(ctx, dpuDev, rep, name, comch.Config{Engine: r.engine(busy)})
	r.ok(err)
	accepted := make(chan error)
	go func() {
		var err error
		server, err = srv.Accept(ctx)
		accepted <- err
	}()
	client, err = comch.Dial(ctx, hostDev, name, comch.Config{Engine: r.engine(busy)})
	r.ok(err)
	r.ok(<-accepted)
	return client, server
}

// newGoComch prepares count messages of size bytes; depth of them can be in flight.
func newGoComch(r *rig, count, size int) *goComch {
	ctx, l := context.Background(), &goComch{rig: r, size: size}
	client, server := newConns(r, false)
	memory := func(dev *doca.Device) *doca.Memory {
		m, err := doca.NewMemory(depth*size, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite})
		r.ok(err)
		return m
	}
	l.out, l.in = memory(client.Device()), memory(server.Device())
	for i := range l.out.Bytes() {
		l.out.Bytes()[i] = pattern(i)
	}
	var err error
	l.consumer, err = server.NewConsumer(l.in, comch.ConsumerConfig{Engine: r.engine(true), MaxTasks: depth})
	r.ok(err)
	l.producer, err = client.NewProducer(comch.ProducerConfig{Engine: r.engine(true), MaxTasks: depth})
	r.ok(err)
	id, err := client.WaitConsumer(ctx)
	r.ok(err)

	inv, err := doca.NewInventory(2 * depth)
	r.ok(err)
	r.later(inv.Close)
	var sources []*doca.Buffer
	for i := range depth {
		src, err := inv.Buffer(l.out, i*size, size)
		r.ok(err)
		r.ok(src.SetData(0, size))
		sources = append(sources, src)
		dst, err := inv.Buffer(l.in, i*size, size)
		r.ok(err)
		l.bufs = append(l.bufs, dst)
	}
	for i := range count {
		l.msgs = append(l.msgs, comch.Message{Buffer: sources[i%depth], Consumer: id})
	}
	l.got = make([]comch.Received, depth)
	_, err = l.consumer.PostBatch(l.bufs)
	r.ok(err)
	r.later(l.consumer.Close)
	r.later(l.verify)
	return l
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

// turns sends all messages and receives them, on one thread.
func (l *goComch) turns(rounds int) {
	ctx := context.Background()
	for range rounds {
		_, err := l.producer.SendBatch(ctx, l.msgs)
		l.ok(err)
		l.ok(l.receive(ctx, len(l.msgs)))
	}
}

// stream sends messages while another goroutine receives them.
func (l *goComch) stream(rounds int) {
	ctx := context.Background()
	received := make(chan error)
	go func() { received <- l.receive(ctx, rounds*len(l.msgs)) }()
	for range rounds {
		_, err := l.producer.SendBatch(ctx, l.msgs)
		l.ok(err)
	}
	l.ok(<-received)
}

// verify looks for what was sent: any source may have come to any buffer.
func (l *goComch) verify() error {
	for i := range depth {
		got := l.in.Bytes()[i*l.size:][:l.size]
		found := false
		for k := range depth {
			found = found || bytes.Equal(got, l.out.Bytes()[k*l.size:][:l.size])
		}
		if !found {
			return errors.New("a buffer does not hold what was sent")
		}
	}
	return nil
}
