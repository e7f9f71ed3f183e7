package doctest

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// The PCI addresses of the emulator's first port, on the DPU's side and on the host's.
const (
	DPU0  = "0000:03:00.0"
	Host0 = "0000:b1:00.0"
)

// Rig is one of everything.
type Rig struct {
	Dev      *doca.Device
	PE       *doca.ProgressEngine
	DMA      *dma.DMA
	Mem      *doca.Memory
	Inv      *doca.Inventory
	Src, Dst *doca.Buffer
}

// NewRig opens a rig until the end of the test.
func NewRig(t testing.TB) *Rig {
	t.Helper()
	r := OpenRig(t)
	t.Cleanup(func() {
		for _, c := range r.Closers() {
			if err := c.Close(); err != nil {
				t.Errorf("Close of %v: %v", c, err)
			}
		}
	})
	return r
}

// OpenRig is NewRig without the closing at the end.
func OpenRig(t testing.TB) *Rig {
	t.Helper()
	r := &Rig{}
	r.Dev = Must(doca.OpenDevice(DPU0))(t)
	r.PE = Must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	r.DMA = Must(dma.New(r.Dev, r.PE, dma.Config{MaxTasks: 8}))(t)
	r.Mem = Must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	r.Inv = Must(doca.NewInventory(16))(t)
	r.Src = Must(r.Inv.Buffer(r.Mem, 0, 64))(t)
	r.Dst = Must(r.Inv.Buffer(r.Mem, 1024, 64))(t)
	Check(t, r.Src.SetData(0, 64))
	for i := range r.Src.Bytes() {
		r.Src.Bytes()[i] = byte(i + 1)
	}
	return r
}

// Closer is what all objects have in common.
type Closer interface {
	// Close closes the object.
	Close() error
	// Shutdown closes the object and waits no longer than its context.
	Shutdown(context.Context) error
}

// Closers returns the objects in an order that needs no waiting.
func (r *Rig) Closers() []Closer {
	return []Closer{r.DMA, r.PE, r.Src, r.Dst, r.Inv, r.Mem, r.Dev}
}

// Copy copies the source to the destination and compares them.
func (r *Rig) Copy(t testing.TB) {
	t.Helper()
	n, err := r.DMA.Copy(context.Background(), r.Dst, r.Src)
	if err != nil || n != 64 {
		t.Fatalf("Copy = %d, %v", n, err)
	}
	if string(r.Dst.Data()) != string(r.Src.Data()) {
		t.Fatal("the copy differs")
	}
}
