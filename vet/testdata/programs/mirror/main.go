// Command mirror keeps copies of the blocks of one memory in another.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

type closer interface{ Close() error }

// must is what many programs have.
func must[T any](v T, err error) T {
	if err != nil {
		slog.Error("fatal", "err", err)
		os.Exit(1)
	}
	return v
}

type block struct {
	off, n int
	data   []byte
}

type mirror struct {
	dev      *doca.Device
	engine   *doca.ProgressEngine
	copier   *dma.DMA
	from, to *doca.Memory
	inv      *doca.Inventory

	mu     sync.Mutex
	blocks map[int]block
	inst   dma.DMA
}

func pick() (*doca.Device, error) {
	infos, err := doca.Devices()
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if dma.Supported(info) != nil {
			continue
		}
		dev, err := doca.OpenDevice(info.PCIAddr) // want unclosed
		if err != nil {
			return nil, err
		}
		if dev.Info().ActiveRate < 100e9 {
			continue // slow: and stays open
		}
		return dev, nil
	}
	return nil, errors.New("no device")
}

func newMirror(size int) (_ *mirror, err error) {
	m := &mirror{blocks: map[int]block{}}
	m.dev, err = pick()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.dev.Close())
		}
	}()
	m.engine, err = doca.NewProgressEngine(doca.EngineConfig{}) // lost with m if a memory fails: a field of a local struct is not followed
	if err != nil {
		return nil, err
	}
	m.copier, err = dma.New(m.dev, m.engine, dma.Config{MaxTasks: 16})
	if err != nil {
		_ = m.engine.Close()
		return nil, err
	}
	cfg := doca.MemoryConfig{Devices: []*doca.Device{m.dev}}
	if m.from, err = doca.NewMemory(size, cfg); err != nil {
		return nil, err
	}
	if m.to, err = doca.NewMemory(size, cfg); err != nil {
		return nil, err
	}
	m.inv, err = doca.NewInventory(64)
	m.inst = *m.copier // want copied
	return m, err
}

func (m *mirror) pair(off, n int) (src, dst *doca.Buffer, err error) {
	src, err = m.inv.Source(m.from, off, n) // want unclosed
	if err != nil {
		return nil, nil, err
	}
	dst, err = m.inv.Buffer(m.to, off, n)
	if err != nil {
		return nil, nil, fmt.Errorf("destination of %d: %w", off, err)
	}
	return src, dst, nil
}

// touch writes into a block and sends it on.
func (m *mirror) touch(ctx context.Context, off int, text string) error {
	src, dst, err := m.pair(off, len(text))
	if err != nil {
		return err
	}
	defer src.Close()
	defer dst.Close()
	f, err := m.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	fill(src, text) // want inflight
	_, err = f.Wait(ctx)
	return err
}

func fill(b *doca.Buffer, text string) { copy(b.Bytes(), text) }

// many starts all copies and waits for them at the end.
func (m *mirror) many(ctx context.Context, offs []int) error {
	var futures []*dma.Future
	for _, off := range offs {
		f, err := m.copier.CopyRangeAsync(ctx, m.to, off, m.from, off, 4096)
		if err != nil {
			return err
		}
		futures = append(futures, f)
	}
	for _, f := range futures {
		if _, err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// verify compares before the copy is over.
func (m *mirror) verify(ctx context.Context, off, n int) (bool, error) {
	f, err := m.copier.CopyRangeAsync(ctx, m.to, off, m.from, off, n)
	if err != nil {
		return false, err
	}
	same := bytes.Equal(m.to.Bytes()[off:off+n], m.from.Bytes()[off:off+n]) // want inflight
	if _, err := f.Wait(ctx); err != nil {
		return false, err
	}
	return same, nil
}

func (m *mirror) limited(off, n int) error {
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	if err := m.copier.CopyRange(ctx, m.to, off, m.from, off, n); err != nil {
		if ctx.Err() != nil {
			clear(m.to.Bytes()[off : off+n]) // want ctxabort
		}
		return err
	}
	return nil
}

func (m *mirror) remember(off, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blocks[off] = block{off, n, bytes.Clone(m.to.Bytes()[off : off+n])}
}

func closeAll(list ...closer) {
	for _, c := range list {
		c.Close() // not seen through an interface
	}
}

func (m *mirror) shut() {
	m.inv.Close() // want closeerror
	if err := m.copier.Close(); err != nil {
		slog.Error("close", "err", err)
	}
	go m.engine.Close() // want closeerror
	closeAll(m.from, m.to)
	m.dev.Close() // want closeerror
}

func (m *mirror) peek(n int) (b []byte, err error) {
	scratch, err := doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{m.dev}})
	if err != nil {
		return nil, err
	}
	if err := m.copier.CopyRange(context.Background(), scratch, 0, m.to, 0, n); err != nil {
		return nil, errors.Join(err, scratch.Close())
	}
	b = scratch.Bytes()
	if err := scratch.Close(); err != nil {
		return nil, err
	}
	return b, nil // want kept
}

func main() {
	size := flag.Int("size", 1<<20, "bytes")
	flag.Parse()
	m := must(newMirror(*size))
	defer m.shut()
	ctx := context.Background()
	scratch := must(doca.NewInventory(4)) // want unclosed
	fmt.Println(scratch)
	if err := m.touch(ctx, 0, "hello"); err != nil {
		slog.Error("touch", "err", err)
	}
	must(m.verify(ctx, 0, 4096))
	must(m.peek(16))
	if err := errors.Join(m.many(ctx, []int{0, 4096}), m.limited(0, 4096)); err != nil {
		slog.Error("copy", "err", err)
	}
	m.remember(0, 16)
}
