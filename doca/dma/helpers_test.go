package dma_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
)

// TestMain makes every test a leak test: what one of them leaves open, or running, fails
// the run.
func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	before := runtime.NumGoroutine()
	code := m.Run()
	if open := doca.OpenObjects(); len(open) > 0 {
		for _, o := range open {
			fmt.Fprintf(os.Stderr, "left open: %s\n%s\n", o.Name, o.Stack)
		}
		code = 1
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "goroutines left running:\n%s\n", stacks[:runtime.Stack(stacks, true)])
			code = 1
			break
		}
	}
	os.Exit(code)
}

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

// must returns the value, or ends the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantErr checks that err is want and that its text has all the words.
func wantErr(t testing.TB, err, want error, words ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

// faults applies faults until the end of the test, which cannot be parallel then.
func faults(t testing.TB, spec string) {
	t.Helper()
	check(t, emulator.SetFaults(spec))
	t.Cleanup(emulator.ClearFaults)
}

// soonish is a context that ends before the test hangs.
func soonish(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// soon is a context that ends in 10 ms.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
