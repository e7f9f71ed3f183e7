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

// produce waits for the peer's consumer and sends one buffer to it, again and again.
func produce(ctx context.Context, conn *comch.Conn, l load) (err error) {
	caps, err := comch.CapabilitiesOf(conn.Device().Info())
	if err != nil {
		return err
	}
	n := min(window, l.msgs, int(caps.Producer.MaxTasks))
	set, err := buffers.New(conn.Device(), 1, l.size, doca.AccessPCIReadOnly)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	buf := set.List[0]
	for i := range buf.Bytes() {
		buf.Bytes()[i] = byte(i)
	}
	if err := buf.SetData(0, l.size); err != nil {
		return err
	}
	producer, err := conn.NewProducer(comch.ProducerConfig{MaxTasks: n})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, producer.Close()) }()
	consumer, err := conn.WaitConsumer(ctx)
	if err != nil {
		return err
	}
	msgs := make([]comch.Message, n)
	for i := range msgs {
		msgs[i] = comch.Message{Buffer: buf, Consumer: consumer}
	}
	start := time.Now()
	for sent := 0; sent < l.msgs; {
		n, err := producer.SendBatch(ctx, msgs[:min(len(msgs), l.msgs-sent)])
		if err != nil {
			return err
		}
		sent += n
	}
	slog.Info(fmt.Sprintf("Producer sent %d messages in approximately %0.4f milliseconds", l.msgs, milliseconds(start)))
	return nil
}
