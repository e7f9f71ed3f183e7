package dma_test

import (
	"context"
	"fmt"
	"testing"
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
