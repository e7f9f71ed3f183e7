// Package datapath has what the client and the server of the Comch data path samples share:
// each sends one text with a producer and receives one with a consumer.
package datapath

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/internal/buffers"
)

// Both sides of the sample know these.
const (
	ServerName = "comch_data_path_sample_server"
	MaxText    = 4080

	// The client sends one before and one after the texts; the server repeats them.
	Start = "start_data_path_test"
	Stop  = "stop_data_path_test"

	memorySize = 1 << 20
	maxTasks   = 2
)

// Expect receives a message, which must be want.
func Expect(ctx context.Context, conn *comch.Conn, want string) error {
	msg, err := conn.Recv(ctx)
	if err != nil {
		return fmt.Errorf("waiting for %q: %w", want, err)
	}
	if string(msg) != want {
		return fmt.Errorf("the peer sent %q, not %q", msg, want)
	}
	return nil
}

// Send waits for the peer's consumer and sends it a text.
func Send(ctx context.Context, conn *comch.Conn, text string) (err error) {
	id, err := conn.WaitConsumer(ctx)
	if err != nil {
		return err
	}
	set, err := buffers.New(conn.Device(), 1, memorySize, doca.AccessPCIReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	buf := set.List[0]
	if err := buf.SetData(0, copy(buf.Bytes(), text)); err != nil {
		return err
	}
	producer, err := conn.NewProducer(comch.ProducerConfig{MaxTasks: maxTasks})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, producer.Close()) }()
	return producer.Send(ctx, buf, nil, id)
}

// Receive receives a text with a consumer and prints it.
func Receive(ctx context.Context, conn *comch.Conn) (err error) {
	set, err := buffers.New(conn.Device(), 1, memorySize, doca.AccessPCIReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	consumer, err := conn.NewConsumer(set.Memory, comch.ConsumerConfig{MaxTasks: maxTasks})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, consumer.Close()) }()
	if err := consumer.Post(set.List[0]); err != nil {
		return err
	}
	received, err := consumer.Recv(ctx)
	if err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("Message received: '%s'", received.Data))
	return nil
}
