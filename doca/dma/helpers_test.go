package dma_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// The helpers that all packages share.
var (
	check   = doctest.Check
	wantErr = doctest.WantErr
	faults  = doctest.Faults
	hold    = doctest.Hold
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

func TestMain(m *testing.M) { doctest.Main(m) }

// bench is a context with memory to copy within.
type bench struct {
	dev *doca.Device
	pe  *doca.ProgressEngine
	dma *dma.DMA
	mem *doca.Memory
	inv *doca.Inventory
}

func newBench(t testing.TB, maxTasks int) *bench {
	t.Helper()
	b := &bench{}
	b.dev = must(doca.OpenDevice("03:00.0"))(t)
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{b.inv, b.dev, b.pe, b.mem, b.dma} {
			if err := c.Close(); err != nil {
				t.Errorf("Close of %v: %v", c, err)
			}
		}
	})
	b.pe = must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	b.dma = must(dma.New(b.dev, b.pe, dma.Config{MaxTasks: maxTasks}))(t)
	b.mem = must(doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{b.dev}}))(t)
	b.inv = must(doca.NewInventory(1024))(t)
	return b
}

// source returns a buffer whose data segment is n bytes at off, filled from a seed.
func (b *bench) source(t testing.TB, off, n, seed int) *doca.Buffer {
	t.Helper()
	s := must(b.inv.Buffer(b.mem, off, n))(t)
	check(t, s.SetData(0, n))
	for i := range s.Data() {
		s.Data()[i] = byte(i*7 + seed)
	}
	return s
}

// pair returns the source and the destination of copy i.
func (b *bench) pair(t testing.TB, i, n int) (src, dst *doca.Buffer) {
	t.Helper()
	return b.source(t, 2*i*n, n, i), must(b.inv.Buffer(b.mem, (2*i+1)*n, n))(t)
}

// soonish is a context that ends before the test hangs.
func soonish(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Second) }

// soon is a context that ends 10 ms after the wait for it has begun.
func soon(t testing.TB) context.Context { return doctest.Soon(t, 10*time.Millisecond) }

// canceled is a context that has ended. A wait with it makes a step or two of the engine, which nobody else drives.
func canceled(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
