// Command graph runs ten instances of a small graph at the same time: two copies with DOCA DMA, then a function that compares
// them, then a sync event that counts the instances. Another event starts them all. It does in Go what NVIDIA's sample of the same
// name does with doca_graph.
//
// In Go, goroutines are the graph: a context node is an operation that a goroutine starts, a dependency is a Wait, and a user node
// is a call. The program does not use doca_graph, whose user nodes are functions in C that DOCA calls while it drives the engine.
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
	"github.com/go-doca/go-doca/doca/syncevent"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const (
	instances = 10
	size      = 1024 // bytes of each copy
)

func main() {
	pci := "03:00.0"
	p := argp.New("doca_graph")
	p.String(&pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI address of the device"})
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, pci) }))
}

// graph is what the instances share.
type graph struct {
	copier       *dma.DMA
	start, count *syncevent.TaskEvent
}

func run(ctx context.Context, pci string) (err error) {
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
	g := new(graph)
	if g.copier, err = dma.New(dev, pe, dma.Config{MaxTasks: 2 * instances}); err != nil {
		return err
	}
	for _, ev := range []**syncevent.TaskEvent{&g.start, &g.count} {
		if *ev, err = syncevent.NewTaskEvent(dev, pe, syncevent.Config{MaxTasks: instances}); err != nil {
			return err
		}
	}
	mem, err := doca.NewMemory(4*instances*size, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(4 * instances)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan error)
	for i := range instances {
		go func() { results <- g.run(ctx, mem, inv, i) }()
	}
	if err = g.start.Set(ctx, 1); err != nil {
		cancel() // the instances need not wait for the start
	}
	for range instances {
		err = errors.Join(err, <-results)
	}
	if err != nil {
		return err
	}
	if _, err := g.count.WaitEqual(ctx, instances, syncevent.AllBits); err != nil {
		return err
	}
	slog.Info("All graph instances have completed")
	return nil
}

// run is one instance.
func (g *graph) run(ctx context.Context, mem *doca.Memory, inv *doca.Inventory, number int) error {
	var src, dst [2]*doca.Buffer
	for i := range 2 {
		var err error
		place := (number*2 + i) * 2 * size
		if src[i], err = inv.Buffer(mem, place, size); err != nil {
			return err
		}
		defer src[i].Close()
		if dst[i], err = inv.Buffer(mem, place+size, size); err != nil {
			return err
		}
		defer dst[i].Close()
		if err := src[i].SetData(0, copy(src[i].Bytes(), bytes.Repeat([]byte{byte(number*2 + i + 1)}, size))); err != nil {
			return err
		}
	}
	if _, err := g.start.WaitEqual(ctx, 1, 0xff); err != nil {
		return err
	}
	var copies [2]*dma.Future
	for i := range copies {
		var err error
		if copies[i], err = g.copier.CopyAsync(ctx, dst[i], src[i]); err != nil {
			return err
		}
	}
	for _, c := range copies {
		if _, err := c.Wait(ctx); err != nil {
			return err
		}
	}
	if err := compare(src, dst); err != nil {
		return fmt.Errorf("instance %d: %w", number, err)
	}
	_, err := g.count.Add(ctx, 1)
	return err
}

// compare is the user node.
func compare(src, dst [2]*doca.Buffer) error {
	for i := range src {
		if !bytes.Equal(src[i].Data(), dst[i].Data()) {
			return fmt.Errorf("copy %d differs", i)
		}
	}
	return nil
}
