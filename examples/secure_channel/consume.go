package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	window    = 1024 // messages on their way at once
	cacheLine = 64
)

// content is what each message of a length consists of.
func content(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// milliseconds since a time, for the log.
func milliseconds(since time.Time) float64 {
	return float64(time.Since(since)) / float64(time.Millisecond)
}

// consume receives what the peer sends, with a buffer for each message on its way.
func consume(ctx context.Context, conn *comch.Conn, l load) (err error) {
	caps, err := comch.CapabilitiesOf(conn.Device().Info())
	if err != nil {
		return err
	}
	n := min(window, l.msgs, int(caps.Consumer.MaxTasks))
	stride := (l.size + cacheLine - 1) / cacheLine * cacheLine
	mem, err := doca.NewMemory(n*stride, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}, Access: doca.AccessPCIReadWrite})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mem.Close()) }()
	inv, err := doca.NewInventory(n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	bufs := make([]*doca.Buffer, n)
	for i := range bufs {
		if bufs[i], err = inv.Buffer(mem, i*stride, l.size); err != nil {
			return err
		}
	}
	consumer, err := conn.NewConsumer(mem, comch.ConsumerConfig{MaxTasks: n})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, consumer.Close()) }()
	if _, err := consumer.PostBatch(bufs); err != nil {
		return err
	}
	start := time.Now()
	if err := receive(ctx, consumer, l, bufs); err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("Consumer received %d messages in approximately %0.4f milliseconds", l.msgs, milliseconds(start)))
	return nil
}

// receive takes all messages and posts their buffers again.
func receive(ctx context.Context, consumer *comch.Consumer, l load, bufs []*doca.Buffer) error {
	want, received := content(l.size), make([]comch.Received, len(bufs))
	for got := 0; got < l.msgs; {
		n, err := consumer.RecvBatch(ctx, received)
		if err != nil {
			return err
		}
		for i, r := range received[:n] {
			if !bytes.Equal(r.Data, want) {
				return fmt.Errorf("a message of %d bytes is not what was sent", len(r.Data))
			}
			clear(r.Data)
			bufs[i] = r.Buffer
		}
		if _, err := consumer.PostBatch(bufs[:n]); err != nil {
			return err
		}
		got += n
	}
	return nil
}
