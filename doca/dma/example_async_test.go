package dma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// CopyAsync starts a copy. The program does something else and waits later.
func ExampleDMA_CopyAsync() {
	if err := copyMeanwhile(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: 1048576 bytes
}

func copyMeanwhile(ctx context.Context) error {
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
	mem, err := doca.NewMemory(2<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		return err
	}
	defer inv.Close()
	src, err := inv.Buffer(mem, 0, 1<<20)
	if err != nil {
		return err
	}
	if err := src.SetData(0, 1<<20); err != nil {
		return err
	}
	dst, err := inv.Buffer(mem, 1<<20, 1<<20)
	if err != nil {
		return err
	}

	copied, err := copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	// Until the copy has ended, both buffers belong to the device. Do something else here.
	n, err := copied.Wait(ctx) // or select on copied.Done()
	if err != nil {
		return err
	}
	fmt.Println(n, "bytes")
	return nil
}
