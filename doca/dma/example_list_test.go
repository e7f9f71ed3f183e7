package dma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// A list of buffers is one source or destination: this copy gathers three pieces.
func ExampleDMA_Copy_list() {
	if err := gather(context.Background(), "one, ", "two, ", "three"); err != nil {
		log.Fatal(err)
	}
	// Output: one, two, three
}

func gather(ctx context.Context, texts ...string) error {
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
	mem, err := doca.NewMemory(1<<16, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(len(texts) + 1)
	if err != nil {
		return err
	}
	defer inv.Close()
	dst, err := inv.Buffer(mem, 0, 4096)
	if err != nil {
		return err
	}

	var pieces []doca.Range
	for i, text := range texts {
		offset := (i + 1) * 4096 // anywhere in memory
		pieces = append(pieces, doca.Range{Memory: mem, Offset: offset, Len: copy(mem.Bytes()[offset:], text)})
	}
	list, err := inv.List(pieces...)
	if err != nil {
		return err
	}
	if _, err := copier.Copy(ctx, dst, list); err != nil {
		return err
	}
	fmt.Printf("%s\n", dst.Data())
	return nil
}
