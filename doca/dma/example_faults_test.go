package dma_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
)

// A test lets a task fail on the emulator. The failure stops the context, and Start makes it
// usable again.
func Example_faults() {
	if err := copyAgain(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the first copy failed with an I/O error: true
	// the context is idle
	// the second copy: 64 bytes
}

func copyAgain(ctx context.Context) error {
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
	mem, err := doca.NewMemory(128, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		return err
	}
	defer inv.Close()
	src, err := inv.Buffer(mem, 0, 64)
	if err != nil {
		return err
	}
	if err := src.SetData(0, 64); err != nil {
		return err
	}
	dst, err := inv.Buffer(mem, 64, 64)
	if err != nil {
		return err
	}

	end, err := emulator.Faults{FailTasks: []emulator.TaskFault{{N: 1, Code: doca.ErrIOFailed}}}.Apply()
	if err != nil {
		return err
	}
	_, err = copier.Copy(ctx, dst, src)
	end()
	fmt.Println("the first copy failed with an I/O error:", errors.Is(err, doca.ErrIOFailed))
	fmt.Println("the context is", copier.State())
	if err := copier.Start(ctx); err != nil {
		return err
	}
	n, err := copier.Copy(ctx, dst, src)
	if err != nil {
		return err
	}
	fmt.Println("the second copy:", n, "bytes")
	return nil
}
