package comch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// The fast path: a consumer posts a buffer, and a producer of the peer writes into it. Both ends
// of the connection are in this program; Example shows how to make them.
func ExampleConn_NewProducer() {
	ctx := context.Background()
	client, server := connect(ctx, "doca/comch/data")
	defer client.Device().Close()
	defer server.Device().Close()

	received := make(chan struct{})
	go func() {
		defer close(received)
		if err := receiveData(ctx, server); err != nil {
			log.Fatal(err)
		}
	}()
	if err := sendData(ctx, client); err != nil {
		log.Fatal(err)
	}
	<-received
	// Output: 1048576 bytes, with "block 7"
}

// receiveData is the side with the consumer.
func receiveData(ctx context.Context, conn *comch.Conn) error {
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{
		Devices: []*doca.Device{conn.Device()},
		Access:  doca.AccessPCIReadWrite, // the peer's device writes to it
	})
	if err != nil {
		return err
	}
	defer mem.Close()
	inv, err := doca.NewInventory(1)
	if err != nil {
		return err
	}
	defer inv.Close()
	buf, err := inv.Buffer(mem, 0, mem.Len())
	if err != nil {
		return err
	}
	consumer, err := conn.NewConsumer(mem, comch.ConsumerConfig{})
	if err != nil {
		return err
	}
	defer consumer.Close()
	if err := consumer.Post(buf); err != nil {
		return err
	}
	r, err := consumer.Recv(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes, with %q\n", len(r.Data), r.Imm)
	return nil // to receive more, post r.Buffer again
}

// sendData is the side with the producer.
func sendData(ctx context.Context, conn *comch.Conn) error {
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}})
	if err != nil {
		return err
	}
	defer mem.Close()
	inv, err := doca.NewInventory(1)
	if err != nil {
		return err
	}
	defer inv.Close()
	buf, err := inv.Buffer(mem, 0, mem.Len())
	if err != nil {
		return err
	}
	if err := buf.SetData(0, buf.Len()); err != nil {
		return err
	}
	producer, err := conn.NewProducer(comch.ProducerConfig{})
	if err != nil {
		return err
	}
	defer producer.Close()
	consumer, err := conn.WaitConsumer(ctx) // the peer's
	if err != nil {
		return err
	}
	return producer.Send(ctx, buf, []byte("block 7"), consumer)
}
