// Command dma_local_copy copies a text from one part of this machine's memory to another with
// DOCA DMA. It is the Go twin of NVIDIA's sample of the same name, with the same flags and
// messages.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const maxText = 4096

type config struct {
	pci      string
	text     string
	src, dst int // buffers on each side
}

func main() {
	cfg := config{pci: "03:00.0", text: "This is a sample piece of text", src: 1, dst: 1}
	p := argp.New("doca_dma_local_copy")
	p.String(&cfg.pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI device address"})
	sample.Text(p, &cfg.text, maxText, "Text to copy")
	sample.Counts(p, &cfg.src, &cfg.dst)
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, cfg) }))
}

func run(ctx context.Context, cfg config) (err error) {
	dev, err := doca.OpenDevice(cfg.pci)
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
	if n, most := cfg.src+cfg.dst, copier.Limits().MaxListLen; n > int(most) {
		return fmt.Errorf("%d source and destination buffers are more than the device's list length of %d: ask for fewer with -ns and -nd", n, most)
	}

	text := append([]byte(cfg.text), 0)
	src, err := doca.NewMemory(len(text), doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	dst, err := doca.NewMemory(len(text), doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	copy(src.Bytes(), text)
	inv, err := doca.NewInventory(cfg.src + cfg.dst)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	from, err := buffers.Chain(inv, src, 0, len(text), cfg.src)
	if err != nil {
		return err
	}
	to, err := buffers.Chain(inv, dst, 0, len(text), cfg.dst)
	if err != nil {
		return err
	}
	if _, err := copier.Copy(ctx, to, from); err != nil {
		return err
	}
	if !bytes.Equal(dst.Bytes(), text) {
		return errors.New("the destination differs from the source")
	}
	slog.Info("Success, memory copied and verified as correct")
	return nil
}
