package dma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// A batch is prepared once and run many times. It is the fastest way to make many small copies.
func ExampleBatch() {
	if err := copyMany(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// round 1: part 0 | part 1 | part 2 | part 3
	// round 2: part 0 | part 1 | part 2 | part 3
}

func copyMany(ctx context.Context) error {
	const parts, size = 4, 64
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
	mem, err := doca.NewMemory(2*parts*size, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2 * parts)
	if err != nil {
		return err
	}
	defer inv.Close()

	batch, err := copier.NewBatch(parts)
	if err != nil {
		return err
	}
	var copies []*doca.Buffer
	for i := range parts {
		src, err := inv.Buffer(mem, i*size, size)
		if err != nil {
			return err
		}
		if err := src.SetData(0, copy(src.Bytes(), fmt.Sprint("part ", i))); err != nil {
			return err
		}
		dst, err := inv.Buffer(mem, (parts+i)*size, size)
		if err != nil {
			return err
		}
		copies = append(copies, dst)
		if err := batch.Add(dst, src); err != nil {
			return err
		}
	}
	for round := 1; round <= 2; round++ {
		if err := batch.Run(ctx); err != nil {
			return err
		}
		fmt.Printf("round %d: %s | %s | %s | %s\n", round, copies[0].Data(), copies[1].Data(), copies[2].Data(), copies[3].Data())
	}
	return nil
}
