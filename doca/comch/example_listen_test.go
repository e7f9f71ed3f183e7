package comch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// A server on the DPU serves many clients, each on a goroutine of its own.
func ExampleListen() {
	ctx := context.Background()
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dpu.Close()
	rep, err := dpu.OpenRepresentor("b1:00.0") // the function of the host whose programs may connect
	if err != nil {
		log.Fatal(err)
	}
	srv, err := comch.Listen(ctx, dpu, rep, "doca/comch/listen", comch.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() { acceptAll(ctx, srv) })

	for _, name := range []string{"Ada", "Grace", "Katherine"} { // on the host
		answer, err := askServer(ctx, "doca/comch/listen", name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}

	if err := srv.Close(); err != nil { // ends Accept
		log.Fatal(err)
	}
	served.Wait()
	// Output:
	// Hello Ada
	// Hello Grace
	// Hello Katherine
}

// acceptAll serves clients until the server is closed.
func acceptAll(ctx context.Context, srv *comch.Server) {
	for {
		conn, err := srv.Accept(ctx)
		if errors.Is(err, doca.ErrClosed) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			if err := greet(ctx, conn); err != nil {
				log.Print(err)
			}
		}()
	}
}

// greet answers each message of a client.
func greet(ctx context.Context, conn *comch.Conn) error {
	defer conn.Close()
	for {
		name, err := conn.Recv(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, doca.ErrClosed) { // the client or the server has closed
			return nil
		}
		if err != nil {
			return err
		}
		if err := conn.Send(ctx, append([]byte("Hello "), name...)); err != nil {
			return err
		}
	}
}

// askServer is a client on the host.
func askServer(ctx context.Context, server, name string) (string, error) {
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		return "", err
	}
	defer host.Close() // closes the connection as well
	conn, err := comch.Dial(ctx, host, server, comch.Config{})
	if err != nil {
		return "", err
	}
	if err := conn.Send(ctx, []byte(name)); err != nil {
		return "", err
	}
	answer, err := conn.Recv(ctx)
	return string(answer), err
}
