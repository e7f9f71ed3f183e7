package main

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/bench/cloop"
	"github.com/go-doca/go-doca/bench/result"
)

const (
	depth = 32  // copies, writes or messages in flight
	many  = 256 // copies of a large batch
	small = 64  // bytes
)

// dmaTable makes the rows of DMA.
type dmaTable struct {
	pace
	rows []row
}

// dmaRows are copies in memory. Those of a card are small: for large ones the emulator is slower than a card anyway.
func dmaRows(p pace) []row {
	t := &dmaTable{pace: p}
	t.batches()
	if p == likeCard {
		t.turns()
	}
	t.single()
	t.parallel()
	return t.rows
}

func (t *dmaTable) add(r row) {
	r.group, r.pace = t.group("DMA"), t.pace
	t.rows = append(t.rows, r)
}

func (t *dmaTable) batches() {
	shapes := []struct {
		count, size int
		name        string
	}{{depth, small, "64 B"}, {many, small, "64 B"}, {depth, 4 << 10, "4 KiB"}, {depth, 1 << 20, "1 MiB"}}
	if t.pace == likeCard {
		shapes = shapes[:1]
	}
	for _, s := range shapes {
		t.add(row{name: fmt.Sprintf("batch of %d, fixed buffers, %s", s.count, s.name), sides: func(r *rig) []side {
			l, c := newGoLoop(r, depth, s.count, s.size), r.cLoop(depth, s.count, s.size, cloop.FixedBufs)
			sides := []side{{"Go", s.count, l.fixed(), result.Goal{}}, {"C", s.count, r.inC(c.Run), t.inFlight(result.AtLeast(0.9))}}
			if s.size == 1<<20 {
				sides = append(sides, side{"memcpy", s.count, c.Memcpy, result.Goal{}})
			}
			return sides
		}})
	}
	t.batch("source data set", (*goLoop).dataSet, depth, cSide{"C, set_data", cloop.SetSourceData, result.AtLeast(0.7)})
	news := []cSide{{"C, set_data", cloop.SetData, result.AtLeast(0.8)}, {"C, get and dec_refcount", cloop.GetBufs, result.AtLeast(1)}}
	t.batch("other buffers", (*goLoop).added, depth, news...)
	t.batch("other ranges", (*goLoop).ranges, depth, news...)
	if t.pace == atOnce {
		t.batch("other ranges", (*goLoop).ranges, many, news...)
		for _, number := range []int{4, depth} {
			memories := func(l *goLoop) func(int) { return l.memories(number) }
			t.batch(fmt.Sprintf("ranges of %d other memories", 2*number), memories, depth, cSide{"C, set_data", cloop.Memories, result.AtLeast(0.8)})
		}
	}
	t.varied(news)
}

// cSide is a loop in C.
type cSide struct {
	name    string
	buffers uint32
	goal    result.Goal
}

// batch adds a row of small copies in a batch that is prepared for each run.
func (t *dmaTable) batch(what string, run func(*goLoop) func(int), count int, others ...cSide) {
	t.add(row{name: fmt.Sprintf("batch of %d, %s in each run", count, what), sides: func(r *rig) []side {
		sides := []side{{"Go", count, run(newGoLoop(r, depth, count, small)), result.Goal{}}}
		for _, o := range others {
			sides = append(sides, side{o.name, count, r.inC(r.cLoop(depth, count, small, o.buffers).Run), t.inFlight(o.goal)})
		}
		return sides
	}})
}

// varied adds a row of batches that are never as large as the one before.
func (t *dmaTable) varied(others []cSide) {
	t.add(row{name: fmt.Sprintf("batches of 1 to %d, other ranges in each run", depth), sides: func(r *rig) []side {
		count := depth * (depth + 1) / 2
		sides := []side{{"Go", count, newGoLoop(r, depth, depth, small).varied(), result.Goal{}}}
		for _, o := range others {
			sides = append(sides, side{o.name, count, r.inC(r.cLoop(depth, depth, small, o.buffers).RunVaried), t.inFlight(o.goal)})
		}
		return sides
	}})
}

// single adds the rows with one copy at a time.
func (t *dmaTable) single() {
	t.one("Copy", (*goLoop).copyBuffers, cSide{"C, submit and progress", cloop.FixedBufs, t.blocking()})
	t.one("CopyRange", (*goLoop).copyRange, cSide{"C, submit and progress", cloop.SetData, t.blocking()})
	t.one("CopyAsync and Wait", (*goLoop).copyAsync, cSide{"C, submit and progress", cloop.FixedBufs, result.Goal{}})
	t.one("Copy, with buffers made and closed", (*goLoop).copyNewBuffers, cSide{"C, get and dec_refcount", cloop.GetBufs, result.Goal{}})
	t.add(row{name: "batch of one", sides: func(r *rig) []side {
		l := newGoLoop(r, depth, 1, small)
		return []side{{"Go", 1, l.fixed(), result.Goal{}}, {"C, submit and progress", 1, r.inC(r.cLoop(1, 1, small, cloop.FixedBufs).RunBlocking), t.blocking()}}
	}})
}

func (t *dmaTable) one(name string, one func(*goLoop, context.Context, int) error, c cSide) {
	t.add(row{name: name, sides: func(r *rig) []side {
		l := newGoLoop(r, depth, depth, small)
		inGo := l.each(func(ctx context.Context, i int) error { return one(l, ctx, i) })
		return []side{{"Go", depth, inGo, result.Goal{}}, {c.name, depth, r.inC(r.cLoop(1, depth, small, c.buffers).RunBlocking), c.goal}}
	}})
}

// parallel adds the rows with goroutines: on one engine, and with an engine each.
func (t *dmaTable) parallel() {
	for _, c := range []struct{ n, fewer int }{{2, 1}, {8, 1}, {64, 8}} {
		t.add(row{name: fmt.Sprintf("CopyRange, %d goroutines, one engine", c.n), sides: func(r *rig) []side {
			l := newGoLoop(r, c.n, c.n, small)
			fewer := fmt.Sprintf("Go, %d goroutines", c.fewer)
			if c.fewer == 1 {
				fewer = "Go, one goroutine"
			}
			return []side{
				{"Go", c.n, l.goroutines(c.n), result.Goal{}},
				{fewer, c.fewer, l.goroutines(c.fewer), result.AtLeast(1)},
				{"C, one thread", depth, r.inC(r.cLoop(1, depth, small, cloop.SetData).RunBlocking), result.Goal{}},
			}
		}})
	}
	run := (*cloop.DMA).Run
	t.scaling("batch of 32", depth, (*goLoop).fixed, cloop.FixedBufs, run)
	t.scaling("batch of 32, other ranges in each run", depth, (*goLoop).ranges, cloop.SetData, run)
	t.scaling("Copy", 1, (*goLoop).copies, cloop.FixedBufs, (*cloop.DMA).RunBlocking)
	t.scaling("CopyRange", 1, (*goLoop).copiesOfRanges, cloop.SetData, (*cloop.DMA).RunBlocking)
}

// scaling adds a row for two goroutines and two threads that have an engine each. window is how many copies C has in flight.
func (t *dmaTable) scaling(name string, window int, goRun func(*goLoop) func(int), buffers uint32, cRun func(*cloop.DMA, int) error) {
	t.add(row{name: name + ", two goroutines with an engine each: scaling", scaling: true, sides: func(r *rig) []side {
		var inGo, inC [2]func(int)
		for i := range 2 {
			inGo[i] = goRun(newGoLoop(r, depth, depth, small))
			c := r.cLoop(window, depth, small, buffers)
			inC[i] = r.inC(func(rounds int) error { return cRun(c, rounds) })
		}
		return []side{
			{"Go", 2 * depth, together(2, func(i, rounds int) { inGo[i](rounds) }), result.Goal{}},
			{"C, two threads", 2 * depth, together(2, func(i, rounds int) { inC[i](rounds) }), result.AtLeast(0.95)},
			{"Go, one goroutine", depth, inGo[0], result.Goal{}},
			{"C, one thread", depth, inC[0], result.Goal{}},
		}
	}})
}

// cLoop prepares a loop in C, and has its copies looked at in the end.
func (r *rig) cLoop(depth, count, size int, buffers uint32) *cloop.DMA {
	l, err := cloop.NewDMA(depth, count, size, buffers)
	r.ok(err)
	r.later(l.Close)
	r.later(func() error { r.check(l.Verify(), "C: the destination differs from the source"); return nil })
	return l
}

// inC is a run that ends the program when it fails.
func (r *rig) inC(run func(rounds int) error) func(int) {
	return func(rounds int) { r.ok(run(rounds)) }
}

// callbackRows compare a batch with a binding that crosses into C for each submission and into Go for each completion. Go finds the
// copy by a handle: one made for the copy, or one that the task keeps.
func callbackRows() []row {
	return []row{{group: "DMA", name: "batch of 256, fixed buffers, 64 B, for a callback into Go", sides: func(r *rig) []side {
		sides := []side{{"Go", many, newGoLoop(r, depth, many, small).fixed(), result.Goal{}}}
		for _, each := range []bool{true, false} {
			l, err := cloop.NewCallbacks(depth, small, each)
			r.ok(err)
			r.later(l.Close)
			name := "cgo, a handle for each task"
			if each {
				name = "cgo, a handle for each copy"
			}
			sides = append(sides, side{name, depth, r.inC(l.Run), result.Goal{}})
		}
		return sides
	}}}
}
