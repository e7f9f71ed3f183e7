package comch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca/comch"
)

// The short form of the fast path: the consumer and the producer have buffers of their own. Both ends of the
// connection are in this program; Example shows how to make them.
func ExampleConsumer_Messages() {
	ctx := context.Background()
	client, server := connect(ctx, "doca/comch/messages")
	defer client.Device().Close()
	defer server.Device().Close()

	go func() { // the sender
		id, err := client.WaitConsumer(ctx)
		if err != nil {
			log.Fatal(err)
		}
		producer, err := client.NewProducer(comch.ProducerConfig{BufferSize: 4096})
		if err != nil {
			log.Fatal(err)
		}
		for _, text := range []string{"hello", "host"} {
			if err := producer.SendBytes(ctx, []byte(text), nil, id); err != nil {
				log.Fatal(err)
			}
		}
		if err := client.Close(); err != nil { // which ends the loop
			log.Fatal(err)
		}
	}()

	consumer, err := server.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 4096})
	if err != nil {
		log.Fatal(err)
	}
	for r, err := range consumer.Messages(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", r.Data)
	}
	// Output:
	// hello
	// host
}
