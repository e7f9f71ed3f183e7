package comch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// serve answers each message of one client.
func serve(ctx context.Context, srv *comch.Server) {
	conn, err := srv.Accept(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	for {
		msg, err := conn.Recv(ctx)
		if err != nil {
			return // io.EOF when the client has closed
		}
		if err := conn.Send(ctx, append([]byte("you said: "), msg...)); err != nil {
			log.Fatal(err)
		}
	}
}

// A server on the DPU and a client on the host exchange messages. Here both are one program.
func Example() {
	ctx := context.Background()

	// On the DPU.
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dpu.Close()                          // closes all that is made on it
	rep, err := dpu.OpenRepresentor("b1:00.0") // the function of the host whose programs may connect
	if err != nil {
		log.Fatal(err)
	}
	srv, err := comch.Listen(ctx, dpu, rep, "doca/comch", comch.Config{})
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
	conn, err := comch.Dial(ctx, host, "doca/comch", comch.Config{})
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
