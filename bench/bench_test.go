package bench

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator"
)

const depth = 32

// goLoop is the Go side of what cLoop does.
type goLoop struct {
	dev      *doca.Device
	src, dst *doca.Memory
	copier   *dma.DMA
	pairs    [][2]*doca.Buffer // destination, source
}

func newGoLoop(b *testing.B, size int) *goLoop {
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
	l.src, err = doca.NewMemory(depth*size, cfg)
	ok(b, err)
	l.dst, err = doca.NewMemory(depth*size, cfg)
	ok(b, err)
	for i := range l.src.Bytes() {
		l.src.Bytes()[i] = byte(i*31 + i/251)
	}
	inv, err := doca.NewInventory(2 * depth)
	ok(b, err)
	b.Cleanup(func() { ok(b, inv.Close()) })
	for i := range depth {
		src, err := inv.Buffer(l.src, i*size, size)
		ok(b, err)
		ok(b, src.SetData(0, size))
		dst, err := inv.Buffer(l.dst, i*size, size)
		ok(b, err)
		l.pairs = append(l.pairs, [2]*doca.Buffer{dst, src})
	}
	return l
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

// compare runs Go and something else in turns, many times, so that both see the same
// machine, and reports the best round of each. An operation is one copy.
func compare(b *testing.B, other string, goRound, cRound func(rounds int)) {
	const turns = 20
	rounds := max(1, b.N/depth/turns)
	best := [2]time.Duration{1 << 62, 1 << 62}
	goRound(1)
	cRound(1)
	b.ReportAllocs()
	b.ResetTimer()
	for range turns {
		for i, round := range []func(int){goRound, cRound} {
			start := time.Now()
			round(rounds)
			best[i] = min(best[i], time.Since(start))
		}
	}
	b.StopTimer()
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(rounds*depth) }
	b.ReportMetric(per(best[0]), "go-ns/op")
	b.ReportMetric(per(best[1]), other+"-ns/op")
	b.ReportMetric(float64(best[1])/float64(best[0]), "x-"+other)
	b.ReportMetric(0, "ns/op")
}

// The batch form against the loop in C, 32 copies in flight.
func BenchmarkBatch(b *testing.B) {
	for _, size := range []int{64, 4096, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := newGoLoop(b, size)
			batch, err := l.copier.NewBatch(depth)
			ok(b, err)
			for _, p := range l.pairs {
				ok(b, batch.Add(p[0], p[1]))
			}
			c, err := newCLoop(depth, size)
			ok(b, err)
			ctx := context.Background()
			compare(b, "c", func(rounds int) {
				for range rounds {
					ok(b, batch.Run(ctx))
				}
			}, func(rounds int) { ok(b, c.run(rounds)) })
			l.verify(b)
			if !c.verify() {
				b.Fatal("C: the destination differs from the source")
			}
			ok(b, c.close())
		})
	}
}

// Large copies against memcpy of the same bytes.
func BenchmarkMemcpy(b *testing.B) {
	const size = 1 << 20
	l := newGoLoop(b, size)
	batch, err := l.copier.NewBatch(depth)
	ok(b, err)
	for _, p := range l.pairs {
		ok(b, batch.Add(p[0], p[1]))
	}
	c, err := newCLoop(depth, size)
	ok(b, err)
	ctx := context.Background()
	compare(b, "memcpy", func(rounds int) {
		for range rounds {
			ok(b, batch.Run(ctx))
		}
	}, c.memcpy)
	b.SetBytes(size)
	ok(b, c.close())
}

// The batch form against a binding that crosses into C for each submission and has each
// completion call Go.
func BenchmarkCallbacks(b *testing.B) {
	l := newGoLoop(b, 64)
	batch, err := l.copier.NewBatch(depth)
	ok(b, err)
	for _, p := range l.pairs {
		ok(b, batch.Add(p[0], p[1]))
	}
	c, err := newCallbackLoop(depth, 64)
	ok(b, err)
	ctx := context.Background()
	compare(b, "callback", func(rounds int) {
		for range rounds {
			ok(b, batch.Run(ctx))
		}
	}, func(rounds int) { ok(b, c.run(rounds)) })
	ok(b, c.close())
}

// One blocking copy at a time.
func BenchmarkCopy(b *testing.B) {
	l := newGoLoop(b, 64)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, err := l.copier.Copy(ctx, l.pairs[0][0], l.pairs[0][1])
		ok(b, err)
	}
}

// One copy at a time as a future.
func BenchmarkCopyAsync(b *testing.B) {
	l := newGoLoop(b, 64)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		f, err := l.copier.CopyAsync(ctx, l.pairs[0][0], l.pairs[0][1])
		ok(b, err)
		_, err = f.Wait(ctx)
		ok(b, err)
	}
}
