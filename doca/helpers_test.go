package doca_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
)

const (
	dpu0  = "0000:03:00.0"
	host0 = "0000:b1:00.0"
)

// The helpers that all packages share.
var (
	check    = doctest.Check
	wantErr  = doctest.WantErr
	faults   = doctest.Faults
	deadline = doctest.Deadline
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

// TestMain runs the tests, or in a process of theirs an exporter of memory.
func TestMain(m *testing.M) {
	if access := os.Getenv("DOCA_TEST_EXPORTER"); access != "" {
		os.Setenv("DOCA_PROVIDER", emulator.Name)
		if err := runExporter(access); err != nil {
			println("exporter:", err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	doctest.Main(m)
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
