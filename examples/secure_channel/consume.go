package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/internal/buffers"
)

const window = 1024 // messages in flight at most

// milliseconds returns the time that has passed since then, for the log.
func milliseconds(since time.Time) float64 {
	return float64(time.Since(since)) / float64(time.Millisecond)
}

// consume receives what the peer sends, with a buffer for each message in flight.
func consume(ctx context.Context, conn *comch.Conn, l load) (err error) {
	caps, err := comch.CapabilitiesOf(conn.Device().Info())
	if err != nil {
		return err
	}
	n := min(window, l.msgs, int(caps.Consumer.MaxTasks))
	set, err := buffers.New(conn.Device(), n, l.size, doca.AccessPCIReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	consumer, err := conn.NewConsumer(set.Memory, comch.ConsumerConfig{MaxTasks: n})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, consumer.Close()) }()
	if _, err := consumer.PostBatch(set.List); err != nil {
		return err
	}
	start := time.Now()
	if err := receive(ctx, consumer, l, n); err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("Consumer received %d messages in approximately %0.4f milliseconds", l.msgs, milliseconds(start)))
	return nil
}

// receive receives all messages, at most n at once, and posts their buffers again. It compares lengths but not contents:
// NVIDIA's program sends memory that it has not filled.
func receive(ctx context.Context, consumer *comch.Consumer, l load, n int) error {
	received, bufs := make([]comch.Received, n), make([]*doca.Buffer, n)
	for got := 0; got < l.msgs; {
		n, err := consumer.RecvBatch(ctx, received)
		if err != nil {
			return err
		}
		for i, r := range received[:n] {
			if len(r.Data) != l.size {
				return fmt.Errorf("a message of %d bytes, not the %d that the peer has announced", len(r.Data), l.size)
			}
			bufs[i] = r.Buffer
		}
		if _, err := consumer.PostBatch(bufs[:n]); err != nil {
			return err
		}
		got += n
	}
	return nil
}
