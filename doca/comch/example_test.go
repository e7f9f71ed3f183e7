package comch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// serve is the DPU's side of the examples: it answers each message of one client.
func serve(ctx context.Context, srv *comch.Server) {
	conn, err := srv.Accept(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	for {
		msg, err := conn.Recv(ctx)
		if err != nil {
			return // io.EOF: the client has closed
		}
		if err := conn.Send(ctx, append([]byte("you said: "), msg...)); err != nil {
			log.Fatal(err)
		}
	}
}

func Example() {
	ctx := context.Background()

	// On the DPU. Closing the device closes all that is made on it.
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dpu.Close()
	rep, err := dpu.OpenRepresentor("b1:00.0") // the host's function whose programs may connect
	if err != nil {
		log.Fatal(err)
	}
	srv, err := comch.Listen(ctx, dpu, rep, "doca/comch example", comch.Config{})
	if err != nil {
		log.Fatal(err)
	}
	go serve(ctx, srv)

	// On the host.
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	conn, err := comch.Dial(ctx, host, "doca/comch example", comch.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if err := conn.Send(ctx, []byte("hello")); err != nil {
		log.Fatal(err)
	}
	msg, err := conn.Recv(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", msg)
	// Output: you said: hello
}

// receiveData is the side with the consumer: buffers that the peer writes into.
func receiveData(ctx context.Context, conn *comch.Conn) {
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{
		Devices: []*doca.Device{conn.Device()},
		Access:  doca.AccessPCIReadWrite,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()
	inv, err := doca.NewInventory(1)
	if err != nil {
		log.Fatal(err)
	}
	defer inv.Close()
	buf, err := inv.Buffer(mem, 0, mem.Len())
	if err != nil {
		log.Fatal(err)
	}
	consumer, err := conn.NewConsumer(mem, comch.ConsumerConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer consumer.Close()
	if err := consumer.Post(buf); err != nil {
		log.Fatal(err)
	}
	r, err := consumer.Recv(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bytes, with %q\n", len(r.Data), r.Imm)
}

func ExampleConn_NewProducer() {
	ctx := context.Background()
	client, server := connect(ctx, "doca/comch example of data")
	defer client.Device().Close()
	defer server.Device().Close()

	received := make(chan struct{})
	go func() {
		defer close(received)
		receiveData(ctx, server)
	}()

	id, err := client.WaitConsumer(ctx) // the peer's
	if err != nil {
		log.Fatal(err)
	}
	producer, err := client.NewProducer(comch.ProducerConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer producer.Close()
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{client.Device()}})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()
	inv, err := doca.NewInventory(1)
	if err != nil {
		log.Fatal(err)
	}
	defer inv.Close()
	buf, err := inv.Buffer(mem, 0, mem.Len())
	if err != nil {
		log.Fatal(err)
	}
	if err := buf.SetData(0, 1<<20); err != nil {
		log.Fatal(err)
	}
	if err := producer.Send(ctx, buf, []byte("block 7"), id); err != nil {
		log.Fatal(err)
	}
	<-received
	// Output: 1048576 bytes, with "block 7"
}

// connect makes both ends of a connection.
func connect(ctx context.Context, name string) (client, server *comch.Conn) {
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	rep, err := dpu.OpenRepresentor("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	srv, err := comch.Listen(ctx, dpu, rep, name, comch.Config{})
	if err != nil {
		log.Fatal(err)
	}
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	accepted := make(chan *comch.Conn)
	go func() { // Dial waits for the server to do its part
		conn, err := srv.Accept(ctx)
		if err != nil {
			log.Fatal(err)
		}
		accepted <- conn
	}()
	if client, err = comch.Dial(ctx, host, name, comch.Config{}); err != nil {
		log.Fatal(err)
	}
	return client, <-accepted
}
