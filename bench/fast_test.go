package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
)

// inTurns runs Go and C in many short turns, and reports the median of each and of their ratios. An
// operation is one of count in a round.
func inTurns(b *testing.B, count int, goRound, cRound func(rounds int)) {
	turns := 200
	if testing.Short() { // it only has to run
		turns = 1
	}
	rounds := max(1, b.N/count/turns)
	var took [2][]float64
	var ratios []float64
	goRound(rounds)
	cRound(rounds)
	before := mallocs()
	b.ResetTimer()
	for range turns {
		for i, round := range []func(int){goRound, cRound} {
			start := time.Now()
			round(rounds)
			took[i] = append(took[i], float64(time.Since(start).Nanoseconds())/float64(rounds*count))
		}
		last := len(ratios)
		ratios = append(ratios, took[1][last]/took[0][last])
	}
	b.StopTimer()
	b.ReportMetric(median(took[0]), "go-ns/op")
	b.ReportMetric(median(took[1]), "c-ns/op")
	b.ReportMetric(median(ratios), "x-c")
	b.ReportMetric(float64(mallocs()-before)/float64(turns*rounds*count), "go-allocs/op")
	b.ReportMetric(0, "ns/op")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// BenchmarkOne makes one copy at a time, which C submits and then makes progress for.
func BenchmarkOne(b *testing.B) {
	ctx := context.Background()
	for name, one := range map[string]func(l *goLoop, i int) error{
		"copy":  func(l *goLoop, _ int) error { _, err := l.copier.Copy(ctx, l.pair[0], l.pair[1]); return err },
		"range": func(l *goLoop, i int) error { return l.copier.CopyRange(ctx, l.dst, i%32*64, l.src, i%32*64, 64) },
		"async": func(l *goLoop, _ int) error {
			f, err := l.copier.CopyAsync(ctx, l.pair[0], l.pair[1])
			if err == nil {
				_, err = f.Wait(ctx)
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			l := newGoLoop(b, depth, 64)
			inC, err := newCLoop(1, 1, 64)
			ok(b, err)
			inTurns(b, 1, func(rounds int) {
				for i := range rounds {
					if err := one(l, i); err != nil {
						b.Fatal(err)
					}
				}
			}, func(rounds int) { ok(b, inC.run(rounds)) })
			ok(b, inC.close())
		})
	}
}

// BenchmarkBatchTurns is BenchmarkBatch and BenchmarkRanges with medians of turns.
func BenchmarkBatchTurns(b *testing.B) {
	for _, count := range []int{1, depth, 256} {
		for _, kind := range []string{"fixed", "set", "get"} {
			b.Run(fmt.Sprintf("%s-%dx64", kind, count), func(b *testing.B) {
				l := newGoLoop(b, count, 64)
				run := l.run(b)
				inC, err := newCLoop(depth, count, 64)
				if kind != "fixed" {
					inC, err = newCRanges(depth, count, 64, kind == "get")
					run = l.runRanges(b, count, 64)
				}
				ok(b, err)
				inTurns(b, count, run, func(rounds int) { ok(b, inC.run(rounds)) })
				ok(b, inC.close())
			})
		}
	}
}

// BenchmarkSources sets the data of buffers that it has before each run of a batch, and with add also fills
// the batch anew.
func BenchmarkSources(b *testing.B) {
	ctx := context.Background()
	for _, add := range []bool{false, true} {
		b.Run(fmt.Sprintf("add=%v", add), func(b *testing.B) {
			l := newGoLoop(b, depth, 64)
			inv, err := doca.NewInventory(2 * depth)
			ok(b, err)
			b.Cleanup(func() { ok(b, inv.Close()) })
			batch, err := l.copier.NewBatch(depth)
			ok(b, err)
			var srcs, dsts []*doca.Buffer
			for i := range depth {
				src, err := inv.Source(l.src, 0, depth*64)
				ok(b, err)
				dst, err := inv.Buffer(l.dst, i*64, 64)
				ok(b, err)
				ok(b, src.SetData(i*64, 64))
				ok(b, batch.Add(dst, src))
				srcs, dsts = append(srcs, src), append(dsts, dst)
			}
			inC, err := newCRanges(depth, depth, 64, false)
			ok(b, err)
			first := 0
			inTurns(b, depth, func(rounds int) {
				for range rounds {
					first = (first + 1) % depth
					if add {
						ok(b, batch.Reset())
					}
					for i, src := range srcs {
						if err := src.SetData((first+i)%depth*64, 64); err != nil {
							b.Fatal(err)
						}
						if add {
							if err := batch.Add(dsts[i], src); err != nil {
								b.Fatal(err)
							}
						}
					}
					if err := batch.Run(ctx); err != nil {
						b.Fatal(err)
					}
				}
			}, func(rounds int) { ok(b, inC.run(rounds)) })
			ok(b, inC.close())
		})
	}
}

// BenchmarkGoroutines makes blocking copies on several goroutines and one engine, against one goroutine.
func BenchmarkGoroutines(b *testing.B) {
	for _, n := range []int{1, 2, 8, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := newGoLoop(b, 64, 64)
			ctx := context.Background()
			var wg sync.WaitGroup
			b.ResetTimer()
			for g := range n {
				wg.Go(func() {
					for range b.N / n {
						if err := l.copier.CopyRange(ctx, l.dst, g*64, l.src, g*64, 64); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkEngines runs a loop on one thread and on two with an engine each, in Go and in C.
func BenchmarkEngines(b *testing.B) {
	run := func(b *testing.B, n int, loops []func(rounds int)) float64 {
		var wg sync.WaitGroup
		start := time.Now()
		for _, loop := range loops[:n] {
			wg.Go(func() { loop(b.N) })
		}
		wg.Wait()
		return float64(time.Since(start).Nanoseconds()) / float64(b.N)
	}
	var inGo, inC []func(int)
	var closers []func() error
	for range 2 {
		l := newGoLoop(b, 1, 64)
		inGo = append(inGo, func(rounds int) {
			for range rounds {
				if err := l.copier.CopyRange(context.Background(), l.dst, 0, l.src, 0, 64); err != nil {
					b.Error(err)
				}
			}
		})
		c, err := newCLoop(1, 1, 64)
		ok(b, err)
		inC = append(inC, func(rounds int) { c.run(rounds) })
		closers = append(closers, c.close)
	}
	var linear [2][]float64
	turns := 9
	if testing.Short() {
		turns = 1
	}
	for range turns {
		for i, loops := range [][]func(int){inGo, inC} {
			one := run(b, 1, loops)
			linear[i] = append(linear[i], one/run(b, 2, loops))
		}
	}
	b.ReportMetric(median(linear[0]), "go-linear")
	b.ReportMetric(median(linear[1]), "c-linear")
	for _, close := range closers {
		ok(b, close())
	}
}
