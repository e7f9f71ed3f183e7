// Command cleancopy copies as the documentation says.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/vet/testdata/programs/hw"
)

type copier struct {
	dev    *doca.Device
	pe     *doca.ProgressEngine
	dma    *dma.DMA
	inv    *doca.Inventory
	mem    *doca.Memory
	mu     sync.Mutex
	flying []flight
}

type flight struct {
	f   *dma.Future
	dst *doca.Buffer
}

func open(addr string) (c *copier, err error) {
	c = &copier{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.dev, c.pe, err = hw.Open(addr); err != nil {
		return nil, err
	}
	if c.dma, err = dma.New(c.dev, c.pe, dma.Config{}); err != nil {
		return nil, err
	}
	if c.mem, err = doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{c.dev}}); err != nil {
		return nil, err
	}
	c.inv, err = doca.NewInventory(64)
	return c, err
}

// Close closes all.
func (c *copier) Close() error {
	var errs []error
	if c.dev != nil {
		errs = append(errs, c.dev.Close())
	}
	if c.pe != nil {
		errs = append(errs, c.pe.Close())
	}
	if c.inv != nil {
		errs = append(errs, c.inv.Close())
	}
	return errors.Join(errs...)
}

func (c *copier) once(ctx context.Context, n int) ([]byte, error) {
	src, err := c.inv.Source(c.mem, 0, n)
	if err != nil {
		return nil, err
	}
	dst, err := c.inv.Buffer(c.mem, n, n)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	defer func() { err = errors.Join(err, src.Close(), dst.Close()) }()
	f, err := c.dma.CopyAsync(ctx, dst, src)
	if err != nil {
		return nil, err
	}
	fmt.Println(string(src.Data())) // others may read a source
	c.mem.Bytes()[4*n] = 1          // of another range
	if _, err := f.Wait(ctx); err != nil {
		return nil, err
	}
	return append([]byte(nil), dst.Data()...), nil
}

func (c *copier) limited(ctx context.Context, dst, src *doca.Buffer) (err error) {
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = c.dma.Copy(limited, dst, src)
	switch {
	case err == nil:
		clear(dst.Bytes())
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		if err := c.dma.Stop(ctx); err != nil { // waits for what is in flight
			return err
		}
		clear(dst.Bytes())
		return c.dma.Start(ctx)
	default:
		return err
	}
}

func (c *copier) later(ctx context.Context, dst, src *doca.Buffer) error {
	f, err := c.dma.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.flying = append(c.flying, flight{f, dst})
	c.mu.Unlock()
	return nil
}

func (c *copier) race(ctx context.Context, dst, src *doca.Buffer) (byte, error) {
	f, err := c.dma.CopyAsync(ctx, dst, src)
	if err != nil {
		return 0, err
	}
	select {
	case <-f.Done():
	case <-ctx.Done():
		if _, err := f.Wait(context.Background()); err != nil {
			return 0, err
		}
	}
	return dst.Data()[0], f.Err()
}

func (c *copier) poll(ctx context.Context, dst, src *doca.Buffer) error {
	f, err := c.dma.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	for errors.Is(f.Err(), doca.ErrInProgress) {
		if _, err := c.pe.Progress(); err != nil {
			return err
		}
	}
	clear(dst.Bytes())
	return f.Err()
}

func (c *copier) ring(ctx context.Context, rounds int) error {
	var futures [4]*dma.Future
	for i := range rounds {
		slot := i % 4
		if futures[slot] != nil {
			if _, err := futures[slot].Wait(ctx); err != nil {
				return err
			}
		}
		c.mem.Bytes()[slot*4096] = byte(i)
		var err error
		if futures[slot], err = c.dma.CopyRangeAsync(ctx, c.mem, (4+slot)*4096, c.mem, slot*4096, 4096); err != nil {
			return err
		}
	}
	for _, f := range futures {
		if f != nil {
			if _, err := f.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *copier) batches(ctx context.Context, rounds int) error {
	b, err := c.dma.NewBatch(4)
	if err != nil {
		return err
	}
	defer b.Close()
	for range rounds {
		if err := b.Reset(); err != nil {
			return err
		}
		for i := range 4 {
			if err := b.AddRange(c.mem, (4+i)*64, c.mem, i*64, 64); err != nil {
				return err
			}
		}
		if err := b.Submit(ctx); err != nil {
			return err
		}
		if err := b.Wait(ctx); err != nil {
			return err
		}
		fmt.Println(c.mem.Bytes()[256:512])
	}
	return nil
}

func (c *copier) mapped(ctx context.Context, n int) (err error) {
	data, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, syscall.Munmap(data)) }()
	mem, err := doca.RegisterMemory(data, doca.MemoryConfig{Devices: []*doca.Device{c.dev}})
	if err != nil {
		return err
	}
	err = c.dma.CopyRange(ctx, mem, 0, c.mem, 0, n)
	if errors.Is(err, context.Canceled) {
		log.Print("canceled")
	}
	return errors.Join(err, mem.Close())
}

func main() {
	c, err := open("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	fmt.Println(c.once(ctx, 64))
	mem, err := hw.Scratch(c.dev)
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()
	hw.Clear(mem.Bytes())
	fmt.Println(c.limited(ctx, nil, nil), c.later(ctx, nil, nil), c.poll(ctx, nil, nil), c.ring(ctx, 9), c.batches(ctx, 3), c.mapped(ctx, 4096))
	fmt.Println(c.race(ctx, nil, nil))
}
