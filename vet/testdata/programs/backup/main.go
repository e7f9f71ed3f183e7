// Command backup copies the memory of a host in blocks, with retries.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

const block = 1 << 16

type worker struct {
	copier *dma.DMA
	local  *doca.Memory
	remote *doca.Memory
	log    *slog.Logger
}

func openWorker(dev *doca.Device, pe *doca.ProgressEngine, descriptor []byte) (*worker, error) {
	local, err := doca.NewMemory(4*block, doca.MemoryConfig{Devices: []*doca.Device{dev}}) // want unclosed
	if err != nil {
		return nil, err
	}
	remote, err := doca.ImportMemory(dev, descriptor)
	if err != nil {
		return nil, err
	}
	copier, err := dma.New(dev, pe, dma.Config{MaxTasks: 16})
	if err != nil {
		return nil, errors.Join(err, local.Close(), remote.Close())
	}
	return &worker{copier: copier, local: local, remote: remote, log: slog.Default()}, nil
}

// pipeline overlaps copying and writing.
func (w *worker) pipeline(ctx context.Context, out *os.File, blocks int) error {
	for i := range blocks {
		off := i % 4 * block
		f, err := w.copier.CopyRangeAsync(ctx, w.local, off, w.remote, i*block, block)
		if err != nil {
			return err
		}
		if _, err := out.Write(w.local.Bytes()[off:][:block]); err != nil { // want inflight
			return err
		}
		if _, err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) retry(ctx context.Context, dst, src *doca.Buffer) error {
	for attempt := range 3 {
		limited, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		_, err := w.copier.Copy(limited, dst, src) // want ctxabort
		cancel()
		if err == nil {
			return nil
		}
		w.log.Warn("copy failed", "attempt", attempt, "err", err)
	}
	return errors.New("too many attempts")
}

func (w *worker) fallback(ctx context.Context, n int) error {
	limited, cancel := context.WithDeadline(ctx, time.Now().Add(time.Second))
	defer cancel()
	if err := w.copier.CopyRange(limited, w.local, 0, w.remote, 0, n); err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			copy(w.local.Bytes(), make([]byte, n)) // want ctxabort
		}
		return err
	}
	return nil
}

// mapped copies through memory that the program has mapped itself.
func mapped(ctx context.Context, dev *doca.Device, copier *dma.DMA, src *doca.Memory, n int) error {
	data, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	mem, err := doca.RegisterMemory(data, doca.MemoryConfig{Devices: []*doca.Device{dev}}) // want unclosed
	if err != nil {
		return errors.Join(err, syscall.Munmap(data))
	}
	err = copier.CopyRange(ctx, mem, 0, src, 0, n)
	if isCanceled(err) {
		return errors.Join(err, syscall.Munmap(data)) // want ctxabort
	}
	return errors.Join(err, mem.Close(), syscall.Munmap(data))
}

func isCanceled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func batch(ctx context.Context, copier *dma.DMA, inv *doca.Inventory, mem *doca.Memory) error {
	b, err := copier.NewBatch(8)
	if err != nil {
		return err
	}
	defer b.Close()
	first, err := inv.Buffer(mem, 0, block)
	if err != nil {
		return err
	}
	defer first.Close()
	for i := range 8 {
		src, err := inv.Source(mem, i*block, block) // want unclosed
		if err != nil {
			return err
		}
		if err := b.Add(first, src); err != nil {
			return err
		}
	}
	if err := b.Submit(ctx); err != nil {
		return err
	}
	fmt.Println(first.Data()[0]) // want inflight
	return b.Wait(ctx)
}

func run(ctx context.Context, addr string, descriptor []byte) error {
	dev, err := doca.OpenDevice(addr)
	if err != nil {
		return err
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{}) // want unclosed
	if err != nil {
		return err
	}
	w, err := openWorker(dev, pe, descriptor)
	if err != nil {
		return err
	}
	if err := w.retry(ctx, nil, nil); err != nil {
		return err
	}
	return w.pipeline(ctx, os.Stdout, 100)
}

func main() {
	addr := flag.String("device", "03:00.0", "")
	flag.Parse()
	if err := run(context.Background(), *addr, nil); err != nil {
		slog.Error("backup", "err", err)
	}
	if err := mapped(context.Background(), nil, nil, nil, 1); err != nil {
		slog.Error("backup", "err", err)
	}
	if err := batch(context.Background(), nil, nil, nil); err != nil {
		slog.Error("backup", "err", err)
	}
	w := worker{}
	fmt.Println(w.fallback(context.Background(), 1))
}
