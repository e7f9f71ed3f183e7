package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-doca/go-doca/doca"
)

// BenchmarkRanges copies other ranges in each round: a batch of them, against a loop in C that sets
// the data of buffers it has, or gets and frees buffers.
func BenchmarkRanges(b *testing.B) {
	for _, count := range []int{depth, 256} {
		for _, get := range []bool{false, true} {
			other := "set"
			if get {
				other = "get"
			}
			b.Run(fmt.Sprintf("%dx64/%s", count, other), func(b *testing.B) {
				const size = 64
				l := newGoLoop(b, count, size)
				inC, err := newCRanges(depth, count, size, get)
				ok(b, err)
				compare(b, count, "c", l.runRanges(b, count, size), func(rounds int) { ok(b, inC.run(rounds)) })
				l.verify(b)
				if !inC.verify() {
					b.Fatal("C: the destination differs from the source")
				}
				ok(b, inC.close())
			})
		}
	}
}

// runRanges returns a function that runs the batch with other ranges in each round.
func (l *goLoop) runRanges(b *testing.B, count, size int) func(rounds int) {
	ctx := context.Background()
	first := 0
	return func(rounds int) {
		for range rounds {
			first++
			if first == count {
				first = 0
			}
			err := l.batch.Reset()
			for i := range count {
				k := first + i
				if k >= count {
					k -= count
				}
				if err == nil {
					err = l.batch.AddRange(l.dst, k*size, l.src, k*size, size)
				}
			}
			if err == nil {
				err = l.batch.Run(ctx)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkCopyRange makes one blocking copy at a time, each of another range.
func BenchmarkCopyRange(b *testing.B) {
	l := newGoLoop(b, depth, 64)
	ctx := context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i = (i + 64) % (depth * 64)
		if err := l.copier.CopyRange(ctx, l.dst, i, l.src, i, 64); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBufferForEach makes buffers for each copy, and closes them after it.
func BenchmarkBufferForEach(b *testing.B) {
	l := newGoLoop(b, depth, 64)
	inv, err := doca.NewInventory(2)
	ok(b, err)
	ctx := context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i = (i + 64) % (depth * 64)
		src, err := inv.Buffer(l.src, i, 64)
		ok(b, err)
		ok(b, src.SetData(0, 64))
		dst, err := inv.Buffer(l.dst, i, 64)
		ok(b, err)
		if _, err := l.copier.Copy(ctx, dst, src); err != nil {
			b.Fatal(err)
		}
		ok(b, src.Close())
		ok(b, dst.Close())
	}
}
