package dma_test

import (
	"context"
	"io"
	"log"
	"os"
	"strings"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// A stream copies between a reader or writer and memory that only the device reaches, such as
// imported memory. Here the memory is this program's own.
func ExampleStream() {
	if err := streamThrough(context.Background(), os.Stdout, strings.NewReader("by way of the device\n")); err != nil {
		log.Fatal(err)
	}
	// Output: by way of the device
}

func streamThrough(ctx context.Context, w io.Writer, r io.Reader) error {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		return err
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return err
	}
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}

	stream, err := copier.NewStream(dma.StreamConfig{})
	if err != nil {
		return err
	}
	defer stream.Close()
	n, err := stream.CopyIn(ctx, stream.Destinations(mem, 0, mem.Len()), r)
	if err != nil {
		return err
	}
	_, err = stream.CopyOut(ctx, w, stream.Sources(mem, 0, int(n)))
	return err
}
