package syncevent_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/syncevent"
)

// The host makes an event that it waits for; the DPU imports it and sets it. Both are in one process here; the descriptor would
// go to the other one as a message of package comch.
func Example() {
	ctx := context.Background()
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	event, err := syncevent.New(host, syncevent.Config{Publishers: syncevent.RemotePCI})
	if err != nil {
		log.Fatal(err)
	}
	descriptor, err := event.ExportPCI(host)
	if err != nil {
		log.Fatal(err)
	}

	var other sync.WaitGroup
	other.Go(func() { // on the DPU
		dpu, err := doca.OpenDevice("03:00.0")
		if err != nil {
			log.Fatal(err)
		}
		defer dpu.Close()
		imported, err := syncevent.Import(dpu, descriptor, syncevent.Config{})
		if err != nil {
			log.Fatal(err)
		}
		if err := imported.Set(ctx, 1); err != nil {
			log.Fatal(err)
		}
	})

	seen, err := event.WaitGreater(ctx, 0, syncevent.AllBits)
	if err != nil {
		log.Fatal(err)
	}
	other.Wait()
	fmt.Println(seen)
	// Output: 1
}

// A task waits: the goroutine that drives the engine sleeps meanwhile.
func ExampleTaskEvent() {
	ctx := context.Background()
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer pe.Close()
	event, err := syncevent.NewTaskEvent(dev, pe, syncevent.Config{})
	if err != nil {
		log.Fatal(err)
	}
	wait, err := event.WaitEqualAsync(ctx, 2, 0xff)
	if err != nil {
		log.Fatal(err)
	}
	if err := event.Set(ctx, 2); err != nil {
		log.Fatal(err)
	}
	<-wait.Done()
	fmt.Println(wait.Err())
	// Output: <nil>
}
