package doca_test

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

const (
	dpu0  = "0000:03:00.0"
	host0 = "0000:b1:00.0"
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

// rig is one of everything.
type rig struct {
	dev      *doca.Device
	pe       *doca.ProgressEngine
	dma      *dma.DMA
	mem      *doca.Memory
	inv      *doca.Inventory
	src, dst *doca.Buffer
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := openRig(t)
	t.Cleanup(func() {
		for _, c := range r.closers() {
			if err := c.Close(); err != nil {
				t.Errorf("Close of %v: %v", c, err)
			}
		}
	})
	return r
}

// openRig is newRig without the closing at the end.
func openRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{}
	r.dev = must(doca.OpenDevice(dpu0))(t)
	r.pe = must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	r.dma = must(dma.New(r.dev, r.pe, dma.Config{MaxTasks: 8}))(t)
	r.mem = must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{r.dev}}))(t)
	r.inv = must(doca.NewInventory(16))(t)
	r.src = must(r.inv.Buffer(r.mem, 0, 64))(t)
	r.dst = must(r.inv.Buffer(r.mem, 1024, 64))(t)
	check(t, r.src.SetData(0, 64))
	for i := range r.src.Bytes() {
		r.src.Bytes()[i] = byte(i + 1)
	}
	return r
}

type closer interface {
	Close() error
	Shutdown(context.Context) error
}

func (r *rig) closers() []closer {
	return []closer{r.dma, r.pe, r.src, r.dst, r.inv, r.mem, r.dev}
}

func (r *rig) copy(t testing.TB) {
	t.Helper()
	n, err := r.dma.Copy(context.Background(), r.dst, r.src)
	if err != nil || n != 64 {
		t.Fatalf("Copy = %d, %v", n, err)
	}
	if string(r.dst.Data()) != string(r.src.Data()) {
		t.Fatal("the copy differs")
	}
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

// deadline is a context that ends soon.
func deadline(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// gc runs the collector and lets cleanups run.
func gc() {
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
}

// collect waits for a leak report.
func collect(t testing.TB, reports <-chan doca.Object) doca.Object {
	t.Helper()
	for range 200 {
		runtime.GC()
		select {
		case o := <-reports:
			return o
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatal("no leak was reported")
	return doca.Object{}
}

// captureStderr returns what f writes to os.Stderr.
func captureStderr(t testing.TB, f func()) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "stderr")
	check(t, err)
	defer file.Close()
	stderr := os.Stderr
	os.Stderr = file
	f()
	os.Stderr = stderr
	text, err := os.ReadFile(file.Name())
	check(t, err)
	return string(text)
}
