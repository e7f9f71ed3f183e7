// Command cache_invalidate copies a text with DOCA DMA, and drops the copy from the processor's cache before it reads it. It is
// the Go twin of NVIDIA's sample of the same name.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/mmapadvise"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const maxText = 4096

func main() {
	pci, text := "03:00.0", "This is a sample piece of text"
	p := argp.New("doca_cache_invalidate")
	p.String(&pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI address of the device"})
	sample.Text(p, &text, maxText, "Text to copy")
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, pci, text) }))
}

func run(ctx context.Context, pci, text string) (err error) {
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it, in the order that DOCA demands.
	defer func() { err = errors.Join(err, dev.Close()) }()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(dev, pe, dma.Config{MaxTasks: 1})
	if err != nil {
		return err
	}
	advise, err := mmapadvise.New(dev, pe, mmapadvise.Config{MaxTasks: 1})
	if err != nil {
		return err
	}
	mem, err := doca.NewMemory(2*maxText, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	src, err := inv.Buffer(mem, 0, maxText)
	if err != nil {
		return err
	}
	dst, err := inv.Buffer(mem, maxText, maxText)
	if err != nil {
		return err
	}
	if err := src.SetData(0, copy(src.Bytes(), text)); err != nil {
		return err
	}
	if _, err := copier.Copy(ctx, dst, src); err != nil {
		return err
	}
	if err := advise.InvalidateCache(ctx, dst); err != nil {
		return err
	}
	if string(dst.Data()) != text {
		return errors.New("the destination differs from the source")
	}
	slog.Info(fmt.Sprintf("The cache was invalidated, and the memory reads: %s", dst.Data()))
	return nil
}
