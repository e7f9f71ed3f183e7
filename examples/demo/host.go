package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/internal/buffers"
)

// asHost is the first argument of the host's process, before the address of its device and
// the server's name.
const asHost = "as-host"

// host is the host's side: it connects to the DPU's process, greets it and sends it data.
func host(ctx context.Context, pciAddr, name string) (err error) {
	dev, err := doca.OpenDeviceFunc(func(i doca.DeviceInfo) bool { return i.PCIAddr == pciAddr && comch.ClientSupported(i) == nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	conn, err := comch.Dial(ctx, dev, name, comch.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.Send(ctx, []byte("Hello from the host, in Go.")); err != nil {
		return err
	}
	answer, err := conn.Recv(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("to host: %q\n", answer)
	took, err := sendData(ctx, conn)
	if err != nil {
		return err
	}
	return conn.Send(ctx, strconv.AppendInt(nil, took.Nanoseconds(), 10))
}

// sendData sends the data straight into the memory of the DPU's process.
func sendData(ctx context.Context, conn *comch.Conn) (took time.Duration, err error) {
	set, err := buffers.New(conn.Device(), messages, step, doca.AccessPCIReadOnly)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	data(set.Memory.Bytes())
	producer, err := conn.NewProducer(comch.ProducerConfig{MaxTasks: messages})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, producer.Close()) }()
	consumer, err := conn.WaitConsumer(ctx)
	if err != nil {
		return 0, err
	}
	msgs := make([]comch.Message, messages)
	for i, buf := range set.List {
		if err := buf.SetData(0, step); err != nil {
			return 0, err
		}
		msgs[i] = comch.Message{Buffer: buf, Consumer: consumer}
	}
	start := time.Now()
	_, err = producer.SendBatch(ctx, msgs)
	return time.Since(start), err
}
