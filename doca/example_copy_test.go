package doca_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// copyText copies a text with the DMA engine of a device and returns the copy.
func copyText(ctx context.Context, pciAddr, text string) (copied string, err error) {
	dev, err := doca.OpenDevice(pciAddr)
	if err != nil {
		return "", err
	}
	// Closing the device closes everything made on it, in the order that DOCA demands.
	defer func() { err = errors.Join(err, dev.Close()) }()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return "", err
	}

	// One memory for both: the first half is the source, the second the destination.
	mem, err := doca.NewMemory(2*len(text), doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return "", err
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	src, err := inv.Buffer(mem, 0, len(text))
	if err != nil {
		return "", err
	}
	dst, err := inv.Buffer(mem, len(text), len(text))
	if err != nil {
		return "", err
	}

	// A copy reads the data segment of its source.
	if err := src.SetData(0, copy(src.Bytes(), text)); err != nil {
		return "", err
	}
	if _, err := copier.Copy(ctx, dst, src); err != nil {
		return "", err
	}
	return string(dst.Data()), nil
}

// Copy a text: the smallest program that does something on a device.
func Example_copy() {
	copied, err := copyText(context.Background(), "03:00.0", "hello, DOCA")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(copied)
	// Output: hello, DOCA
}
