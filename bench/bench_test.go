package bench

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator"
)

// depth is the number of copies, or messages, in flight.
const depth = 32

// goLoop does in Go what cLoop does in C.
type goLoop struct {
	dev      *doca.Device
	src, dst *doca.Memory
	copier   *dma.DMA
	batch    *dma.Batch
	pair     [2]*doca.Buffer // destination and source of the first copy
}

// newGoLoop prepares count copies of size bytes.
func newGoLoop(b *testing.B, count, size int) *goLoop {
	b.Helper()
	devices, err := doca.Devices()
	ok(b, err)
	l := &goLoop{}
	l.dev, err = doca.OpenDevice(devices[0].PCIAddr)
	ok(b, err)
	b.Cleanup(func() { ok(b, l.dev.Close()) })
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	ok(b, err)
	b.Cleanup(func() { ok(b, pe.Close()) })
	l.copier, err = dma.New(l.dev, pe, dma.Config{MaxTasks: depth})
	ok(b, err)
	cfg := doca.MemoryConfig{Devices: []*doca.Device{l.dev}}
	l.src, err = doca.NewMemory(count*size, cfg)
	ok(b, err)
	l.dst, err = doca.NewMemory(count*size, cfg)
	ok(b, err)
	for i := range l.src.Bytes() {
		l.src.Bytes()[i] = byte(i*31 + i/251)
	}
	inv, err := doca.NewInventory(2 * count)
	ok(b, err)
	b.Cleanup(func() { ok(b, inv.Close()) })
	l.batch, err = l.copier.NewBatch(count)
	ok(b, err)
	for i := range count {
		src, err := inv.Buffer(l.src, i*size, size)
		ok(b, err)
		ok(b, src.SetData(0, size))
		dst, err := inv.Buffer(l.dst, i*size, size)
		ok(b, err)
		ok(b, l.batch.Add(dst, src))
		if i == 0 {
			l.pair = [2]*doca.Buffer{dst, src}
		}
	}
	return l
}

// run returns a function that runs the batch rounds times.
func (l *goLoop) run(b *testing.B) func(rounds int) {
	ctx := context.Background()
	return func(rounds int) {
		for range rounds {
			if err := l.batch.Run(ctx); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func (l *goLoop) verify(b *testing.B) {
	b.Helper()
	if !bytes.Equal(l.src.Bytes(), l.dst.Bytes()) {
		b.Fatal("the destination differs from the source")
	}
}

func ok(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// compare runs Go and something else in turns, so that both meet the same conditions. It
// reports the best turn of each, and what Go allocates. An operation is one copy or one
// message; a round has count of them.
func compare(b *testing.B, count int, other string, goRound, cRound func(rounds int)) {
	turns := 20
	if testing.Short() { // it only has to run
		turns = 1
	}
	rounds := max(1, b.N/count/turns)
	best := [2]time.Duration{1 << 62, 1 << 62}
	goRound(1)
	cRound(1)
	allocs := uint64(0)
	b.ResetTimer()
	for range turns {
		for i, round := range []func(int){goRound, cRound} {
			before := mallocs()
			start := time.Now()
			round(rounds)
			best[i] = min(best[i], time.Since(start))
			if i == 0 {
				allocs += mallocs() - before
			}
		}
	}
	b.StopTimer()
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(rounds*count) }
	b.ReportMetric(per(best[0]), "go-ns/op")
	b.ReportMetric(per(best[1]), other+"-ns/op")
	b.ReportMetric(float64(best[1])/float64(best[0]), "x-"+other)
	b.ReportMetric(float64(allocs)/float64(turns*rounds*count), "go-allocs/op")
	b.ReportMetric(0, "ns/op")
}

// mallocs returns how many objects have been allocated so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// BenchmarkBatch compares the batch form with the loop in C. 32 copies are in flight: all of
// the batch, or some of it.
func BenchmarkBatch(b *testing.B) {
	for _, c := range []struct{ count, size int }{{depth, 64}, {256, 64}, {depth, 4096}, {depth, 1 << 20}} {
		b.Run(fmt.Sprintf("%dx%d", c.count, c.size), func(b *testing.B) {
			l := newGoLoop(b, c.count, c.size)
			inC, err := newCLoop(depth, c.count, c.size)
			ok(b, err)
			compare(b, c.count, "c", l.run(b), func(rounds int) { ok(b, inC.run(rounds)) })
			l.verify(b)
			if !inC.verify() {
				b.Fatal("C: the destination differs from the source")
			}
			ok(b, inC.close())
		})
	}
}

// BenchmarkMemcpy compares large copies with memcpy of the same bytes.
func BenchmarkMemcpy(b *testing.B) {
	const size = 1 << 20
	l := newGoLoop(b, depth, size)
	inC, err := newCLoop(depth, depth, size)
	ok(b, err)
	compare(b, depth, "memcpy", l.run(b), inC.memcpy)
	ok(b, inC.close())
}

// BenchmarkCallbacks compares the batch form with a binding that crosses into C for each
// submission and into Go for each completion. Go finds the copy by a handle: one made for the
// copy, or one that the task keeps.
func BenchmarkCallbacks(b *testing.B) {
	const count = 256
	for _, each := range []bool{true, false} {
		name := "handle-per-task"
		if each {
			name = "handle-per-copy"
		}
		b.Run(name, func(b *testing.B) {
			l := newGoLoop(b, count, 64)
			callbacks, err := newCallbackLoop(depth, 64, each)
			ok(b, err)
			compare(b, count, "callback", l.run(b), func(rounds int) { ok(b, callbacks.run(rounds*count/depth)) })
			if !callbacks.verify() {
				b.Fatal("callbacks: the destination differs from the source")
			}
			ok(b, callbacks.close())
		})
	}
}

// BenchmarkCopy makes one blocking copy at a time.
func BenchmarkCopy(b *testing.B) {
	l := newGoLoop(b, 1, 64)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.copier.Copy(ctx, l.pair[0], l.pair[1]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCopyAsync makes one copy at a time, as a future.
func BenchmarkCopyAsync(b *testing.B) {
	l := newGoLoop(b, 1, 64)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		f, err := l.copier.CopyAsync(ctx, l.pair[0], l.pair[1])
		if err == nil {
			_, err = f.Wait(ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
