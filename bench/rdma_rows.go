package main

import (
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/bench/cloop"
	"github.com/go-doca/go-doca/bench/result"
)

// rdmaRows are writes to a peer: in this process, and in another one.
func rdmaRows(p pace) []row {
	rows := rdmaBatches(p)
	rows = append(rows, rdmaSingle(p)...)
	if p == atOnce {
		rows = append(rows, rdmaToProcess()...)
	}
	return rows
}

func rdmaBatches(p pace) []row {
	type batch struct {
		name        string
		count, size int
		moving      bool
		goal        float64
	}
	batches := []batch{
		{"batch of 32 writes, the same ranges, 64 B", depth, small, false, 0.9},
		{"batch of 256 writes, the same ranges, 64 B", many, small, false, 0.9},
		{"batch of 32 writes, the same ranges, 1 MiB", depth, 1 << 20, false, 0.9},
		{"batch of 32 writes, other ranges in each run, 64 B", depth, small, true, 0.8},
		{"batch of 256 writes, other ranges in each run, 64 B", many, small, true, 0.8},
	}
	if p == likeCard {
		batches = slices.DeleteFunc(batches, func(b batch) bool { return b.count > depth || b.size > small })
	}
	var rows []row
	for _, c := range batches {
		rows = append(rows, row{group: p.group("RDMA"), name: c.name, pace: p, sides: func(r *rig) []side {
			l, inC := newGoRDMALoop(r, c.count, c.size), r.cRDMALoop(depth, c.count, c.size, c.moving)
			name := "C"
			if c.moving {
				name = "C, set_data"
			}
			sides := []side{{"Go", c.count, l.batch(c.moving), result.Goal{}}, {name, c.count, r.inC(inC.Run), p.inFlight(result.AtLeast(c.goal))}}
			if c.size == 1<<20 {
				sides = append(sides, side{"memcpy", c.count, inC.Memcpy, result.Goal{}})
			}
			return sides
		}})
	}
	return rows
}

// rdmaSingle are writes one at a time, by one goroutine and by several.
func rdmaSingle(p pace) []row {
	rows := []row{{group: p.group("RDMA"), name: "Write", pace: p, sides: func(r *rig) []side {
		l := newGoRDMALoop(r, depth, small)
		return []side{{"Go", depth, l.one, result.Goal{}}, {"C, submit and progress", depth, r.inC(r.cRDMALoop(1, depth, small, true).RunBlocking), p.blocking()}}
	}}}
	for _, n := range []int{2, 8} {
		rows = append(rows, row{group: p.group("RDMA"), pace: p, name: fmt.Sprintf("Write, %d goroutines, one engine", n), sides: func(r *rig) []side {
			l := newGoRDMALoop(r, n, small)
			return []side{
				{"Go", n, l.goroutines(n), result.Goal{}},
				{"Go, one goroutine", 1, l.goroutines(1), result.AtLeast(1)},
				{"C, one thread", depth, r.inC(r.cRDMALoop(1, depth, small, true).RunBlocking), result.Goal{}},
			}
		}})
	}
	return rows
}

// rdmaToProcess are large writes to another process.
func rdmaToProcess() []row {
	var rows []row
	for _, kind := range []string{"memory", "heap"} {
		name := "batch of 32 writes to another process, 1 MiB"
		if kind == "heap" {
			name += ", to its Go heap"
		}
		rows = append(rows, row{group: "RDMA", name: name, sides: func(r *rig) []side {
			w := startWriter(r, kind, depth, 1<<20)
			return []side{{"Go", depth, w.loop.batch(false), result.Goal{}}, {"memcpy", depth, func(rounds int) {
				cloop.CopyRounds(w.file, w.loop.src.Bytes(), depth, 1<<20, rounds)
			}, result.Goal{}}}
		}})
	}
	return rows
}

func (r *rig) cRDMALoop(depth, count, size int, moving bool) *cloop.RDMA {
	l, err := cloop.NewRDMA(depth, count, size, moving)
	r.ok(err)
	r.later(l.Close)
	r.later(func() error { r.check(l.Verify(), "C: the target differs from the source"); return nil })
	return l
}
