package bench

import (
	"runtime"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// heap returns how many bytes the Go heap has in use.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkMemory reports what a buffer, and an idle DMA context, take of the Go heap.
func BenchmarkMemory(b *testing.B) {
	const count = 1000
	l := newGoLoop(b, 1, 64)
	inv, err := doca.NewInventory(count + 1)
	ok(b, err)
	b.Cleanup(func() { ok(b, inv.Close()) })
	bufs := make([]*doca.Buffer, count)
	_, err = inv.Buffer(l.src, 0, 64)
	ok(b, err)
	before := heap()
	for i := range bufs {
		bufs[i], err = inv.Buffer(l.src, 0, 64)
		ok(b, err)
	}
	b.ReportMetric((heap()-before)/count, "B/buffer")
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	ok(b, err)
	before = heap()
	d, err := dma.New(l.dev, pe, dma.Config{})
	ok(b, err)
	b.ReportMetric(heap()-before, "B/context")
	runtime.KeepAlive(bufs)
	runtime.KeepAlive(d)
	b.ReportMetric(0, "ns/op")
}
