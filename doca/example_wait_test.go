package doca_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// Bound a wait with a context.Context. It ends the wait and never the work of the hardware:
// Close and Shutdown wait for that.
func Example_timeout() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	rep, err := dev.OpenRepresentor("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	server, err := comch.Listen(context.Background(), dev, rep, "doca example", comch.Config{})
	if err != nil {
		log.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err = server.Accept(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Println("nobody has connected in time")
	}

	// Close without a limit waits until the hardware is done; Shutdown has one.
	ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := dev.Shutdown(ctx); err != nil {
		log.Fatal(err) // what is left stays open: call Shutdown or Close again
	}
	// Output: nobody has connected in time
}

// Drive an engine in a goroutine. A program that uses the blocking calls does not need this:
// whoever waits drives the engine.
func ExampleProgressEngine_Run() {
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer pe.Close()

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- pe.Run(ctx) }()

	stop()
	fmt.Println(<-ended)
	// Output: context canceled
}
