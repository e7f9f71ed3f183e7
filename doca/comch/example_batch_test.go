package comch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// Batches are the fastest way to send many small messages: each call handles many of them.
func ExampleProducer_SendBatch() {
	const messages, size = 1000, 64
	ctx := context.Background()
	client, server := connect(ctx, "doca/comch/batch")
	defer client.Device().Close()
	defer server.Device().Close()

	received := make(chan int)
	go func() {
		n, err := receiveBatches(ctx, server, messages, size)
		if err != nil {
			log.Fatal(err)
		}
		received <- n
	}()
	if err := sendBatch(ctx, client, messages, size); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-received, "bytes")
	// Output: 64000 bytes
}

// receiveBatches receives n messages of up to size bytes and returns how many bytes they had.
func receiveBatches(ctx context.Context, conn *comch.Conn, n, size int) (total int, err error) {
	const posted = 32 // buffers
	mem, err := doca.NewMemory(posted*size, doca.MemoryConfig{
		Devices: []*doca.Device{conn.Device()},
		Access:  doca.AccessPCIReadWrite,
	})
	if err != nil {
		return 0, err
	}
	defer mem.Close()
	inv, err := doca.NewInventory(posted)
	if err != nil {
		return 0, err
	}
	defer inv.Close()
	bufs := make([]*doca.Buffer, posted)
	for i := range bufs {
		if bufs[i], err = inv.Buffer(mem, i*size, size); err != nil {
			return 0, err
		}
	}
	consumer, err := conn.NewConsumer(mem, comch.ConsumerConfig{})
	if err != nil {
		return 0, err
	}
	defer consumer.Close()
	if _, err := consumer.PostBatch(bufs); err != nil {
		return 0, err
	}
	batch := make([]comch.Received, posted)
	for n > 0 {
		k, err := consumer.RecvBatch(ctx, batch) // as many as there are
		if err != nil {
			return 0, err
		}
		for i, r := range batch[:k] {
			total += len(r.Data)
			bufs[i] = r.Buffer
		}
		if _, err := consumer.PostBatch(bufs[:k]); err != nil {
			return 0, err
		}
		n -= k
	}
	return total, nil
}

// sendBatch sends n messages of size bytes. Here all have the same buffer.
func sendBatch(ctx context.Context, conn *comch.Conn, n, size int) error {
	mem, err := doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}})
	if err != nil {
		return err
	}
	defer mem.Close()
	inv, err := doca.NewInventory(1)
	if err != nil {
		return err
	}
	defer inv.Close()
	buf, err := inv.Buffer(mem, 0, size)
	if err != nil {
		return err
	}
	if err := buf.SetData(0, size); err != nil {
		return err
	}
	producer, err := conn.NewProducer(comch.ProducerConfig{})
	if err != nil {
		return err
	}
	defer producer.Close()
	consumer, err := conn.WaitConsumer(ctx)
	if err != nil {
		return err
	}
	batch := make([]comch.Message, n)
	for i := range batch {
		batch[i] = comch.Message{Buffer: buf, Consumer: consumer}
	}
	_, err = producer.SendBatch(ctx, batch)
	return err
}
