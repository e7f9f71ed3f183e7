package dma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// Copy copies one buffer to another and waits.
func ExampleDMA_Copy() {
	if err := copyText(context.Background(), "hello"); err != nil {
		log.Fatal(err)
	}
	// Output: hello
}

func copyText(ctx context.Context, text string) error {
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

	// A buffer is a range of memory that is registered with the device.
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2) // room for two buffers
	if err != nil {
		return err
	}
	defer inv.Close()
	src, err := inv.Buffer(mem, 0, 2048) // offset and length in mem
	if err != nil {
		return err
	}
	dst, err := inv.Buffer(mem, 2048, 2048)
	if err != nil {
		return err
	}

	n := copy(src.Bytes(), text)
	if err := src.SetData(0, n); err != nil { // what the copy reads
		return err
	}
	if _, err := copier.Copy(ctx, dst, src); err != nil {
		return err
	}
	fmt.Printf("%s\n", dst.Data())
	return nil
}
