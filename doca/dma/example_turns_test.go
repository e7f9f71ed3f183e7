package dma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// Two batches take turns, so that the device always has copies: the program prepares one while the other is in flight.
func ExampleBatch_Submit() {
	if err := reorder(context.Background(), 100); err != nil {
		log.Fatal(err)
	}
	// Output: 100 records in order: true
}

// reorder copies records of one size to another memory, in the opposite order.
func reorder(ctx context.Context, records int) error {
	const size, inBatch = 64, 16
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
	copier, err := dma.New(dev, pe, dma.Config{MaxTasks: 2 * inBatch}) // both batches are in flight
	if err != nil {
		return err
	}
	cfg := doca.MemoryConfig{Devices: []*doca.Device{dev}}
	table, err := doca.NewMemory(records*size, cfg)
	if err != nil {
		return err
	}
	sorted, err := doca.NewMemory(records*size, cfg)
	if err != nil {
		return err
	}
	for i := range records {
		copy(table.Bytes()[i*size:], fmt.Sprint("record ", records-1-i))
	}

	var batches [2]*dma.Batch
	for k := range batches {
		if batches[k], err = copier.NewBatch(inBatch); err != nil {
			return err
		}
	}
	turns := 0
	for i := 0; i < records; turns++ {
		b := batches[turns%2]
		if turns >= 2 {
			if err := b.Wait(ctx); err != nil { // the other one is in flight meanwhile
				return err
			}
		}
		if err := b.Reset(); err != nil {
			return err
		}
		for ; i < records && b.Len() < inBatch; i++ {
			if err := b.AddRange(sorted, i*size, table, (records-1-i)*size, size); err != nil {
				return err
			}
		}
		if err := b.Submit(ctx); err != nil {
			return err
		}
	}
	for k := range min(turns, 2) {
		if err := batches[k].Wait(ctx); err != nil {
			return err
		}
	}

	inOrder := true
	for i := range records {
		want := fmt.Sprint("record ", i)
		inOrder = inOrder && string(sorted.Bytes()[i*size:][:len(want)]) == want
	}
	fmt.Printf("%d records in order: %v\n", records, inOrder)
	return nil
}
