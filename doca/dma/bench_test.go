package dma_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/stretchr/testify/require"
)

func BenchmarkBatch(b *testing.B) {
	for _, depth := range []int{1, 8, 32, 128} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			r := newBench(b, depth)
			batch, _, _ := r.batch(b, 0, depth, 64)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if err := batch.Run(ctx); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(depth), "ns/copy")
		})
	}
}

func BenchmarkBatchNewSources(b *testing.B) {
	const depth = 32
	r := newBench(b, depth)
	batch, src, _ := r.batch(b, 0, depth, 64)
	ctx := context.Background()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for _, s := range src {
			if err := s.SetData(i%2, 62); err != nil {
				b.Fatal(err)
			}
		}
		if err := batch.Run(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/depth, "ns/copy")
}

func BenchmarkCopy(b *testing.B) {
	r := newBench(b, 4)
	src, dst := r.pair(b, 0, 64)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.dma.Copy(ctx, dst, src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCopyParallel(b *testing.B) {
	r := newBench(b, 64)
	b.ReportAllocs()
	next := make(chan int, 1000)
	for i := range 1000 {
		next <- i
	}
	b.RunParallel(func(pb *testing.PB) {
		src, dst := r.pair(b, <-next, 64)
		for pb.Next() {
			if _, err := r.dma.Copy(context.Background(), dst, src); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkCopyAsync(b *testing.B) {
	r := newBench(b, 4)
	src, dst := r.pair(b, 0, 64)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		f, err := r.dma.CopyAsync(ctx, dst, src)
		if err == nil {
			_, err = f.Wait(ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStream copies 4 MiB of a memory to a writer, and back from a reader, in pieces. cpu-ns/piece is the time of
// all processors, which other load does not change much.
func BenchmarkStream(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			const total = 4 << 20
			r := newBench(b, 4)
			mem, err := doca.NewMemory(total, doca.MemoryConfig{Devices: []*doca.Device{r.dev}})
			require.NoError(b, err)
			s, err := r.dma.NewStream(dma.StreamConfig{BufferSize: size})
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, s.Close()) })
			data := make([]byte, total)
			ctx := context.Background()
			b.SetBytes(2 * total)
			b.ReportAllocs()
			var before, after syscall.Rusage
			require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
			for b.Loop() {
				if _, err := s.CopyOut(ctx, io.Discard, s.Sources(mem, 0, total)); err != nil {
					b.Fatal(err)
				}
				if _, err := s.CopyIn(ctx, s.Destinations(mem, 0, total), bytes.NewReader(data)); err != nil {
					b.Fatal(err)
				}
			}
			require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
			used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
			b.ReportMetric(float64(used)/float64(b.N)/float64(2*total/size), "cpu-ns/piece")
		})
	}
}
