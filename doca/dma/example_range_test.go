package dma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// CopyRange copies between memories; it needs no buffers.
func ExampleDMA_CopyRange() {
	if err := copyHello(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: hello
}

func copyHello(ctx context.Context) error {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		return err
	}
	defer dev.Close() // closes all that is made on it
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return err
	}
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	n := copy(mem.Bytes(), "hello")
	if err := copier.CopyRange(ctx, mem, 2048, mem, 0, n); err != nil { // to 2048, from 0
		return err
	}
	fmt.Printf("%s\n", mem.Bytes()[2048:][:n])
	return nil
}

// A batch can have other ranges in each run. Nothing is made anew for them.
func ExampleBatch_AddRange() {
	if err := reverse(context.Background(), "stressed", "drawer"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// desserts
	// reward
}

func reverse(ctx context.Context, words ...string) error {
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
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	batch, err := copier.NewBatch(64)
	if err != nil {
		return err
	}
	for _, word := range words {
		if err := batch.Reset(); err != nil {
			return err
		}
		n := copy(mem.Bytes(), word)
		for i := range n { // byte for byte, the last one first
			if err := batch.AddRange(mem, 2048+i, mem, n-1-i, 1); err != nil {
				return err
			}
		}
		if err := batch.Run(ctx); err != nil {
			return err
		}
		fmt.Printf("%s\n", mem.Bytes()[2048:][:n])
	}
	return nil
}
