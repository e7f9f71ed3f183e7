package dma_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// part is a copy of a batch: of buffers, of a range, or of nothing.
type part struct {
	src, dst *doca.Memory
	place    int
	buffers  bool
	n        int
}

// A batch of fewer copies than the one before, or of more, does what it says, whatever was prepared for the others: each run has
// some copies of one of a few plans, which are on several memories, and of which some are of buffers.
func TestBatchSizes(t *testing.T) {
	const tasks, most, room, size = 6, 12, 40, 20
	b := newBench(t, tasks)
	rng := rand.New(rand.NewPCG(1, 2))
	var mems [3]*doca.Memory
	var from, to [len(mems)][most]*doca.Buffer
	for m := range mems {
		mems[m] = b.newMemory(t, 2*most*room, 0)
		for i := range most {
			from[m][i] = must(b.inv.Source(mems[m], i*room, size))(t)
			to[m][i] = must(b.inv.Buffer(mems[m], (most+i)*room, size))(t)
		}
	}
	var plans [4][most]part
	for p := range plans {
		for i := range plans[p] {
			x := part{mems[0], mems[1], i, false, size}
			if p > 0 && (i == 2 || i > 2 && rng.IntN(2) == 0) {
				x = part{mems[rng.IntN(3)], mems[rng.IntN(3)], i, p > 1 && rng.IntN(3) == 0, size - rng.IntN(2)*size/4}
				if rng.IntN(6) == 0 {
					x.n, x.buffers = 0, false
				}
			}
			plans[p][i] = x
		}
	}
	index := map[*doca.Memory]int{mems[0]: 0, mems[1]: 1, mems[2]: 2}
	batches := []*dma.Batch{must(b.dma.NewBatch(most))(t), must(b.dma.NewBatch(most))(t)}
	for round := range 3000 {
		for _, m := range mems {
			for i := range m.Bytes() {
				m.Bytes()[i] = byte(rng.Uint32())
			}
		}
		plan := slices.Clone(plans[rng.IntN(len(plans))][:1+rng.IntN(most)])
		if rng.IntN(3) == 0 && len(plan) > 1 { // not only the first ones
			plan = slices.Delete(plan, 0, 1)
		}
		batch := batches[rng.IntN(20)/19]
		check(t, batch.Reset())
		for i, x := range plan {
			switch {
			case x.buffers:
				src := from[index[x.src]][x.place]
				if rng.IntN(2) == 0 {
					check(t, src.SetData(0, x.n))
				}
				plan[i].n = src.DataLen()
				check(t, batch.Add(to[index[x.dst]][x.place], src))
			default:
				check(t, batch.AddRange(x.dst, (most+x.place)*room, x.src, x.place*room, x.n))
			}
			if i+1 < most && rng.IntN(50) == 0 { // it is not added, and leaves nothing behind
				wantErr(t, batch.AddRange(mems[2], 0, mems[1], 2*most*room, 1), doca.ErrInvalidValue)
			}
		}
		for again := range 1 + rng.IntN(3) { // the same again, with other bytes
			check(t, batch.Run(soonish(t)))
			for i, x := range plan {
				was, is := x.src.Bytes()[x.place*room:][:x.n], x.dst.Bytes()[(most+x.place)*room:][:x.n]
				require.True(t, bytes.Equal(was, is), "round %d.%d: copy %d of %d: %+v", round, again, i, len(plan), x)
				for k := range was {
					was[k]++
				}
			}
		}
		switch rng.IntN(10) {
		case 0: // takes a task from the batch
			check(t, b.dma.CopyRange(soonish(t), mems[0], 0, mems[1], 0, 1))
		case 1:
			check(t, b.dma.Stop(soonish(t)))
			check(t, b.dma.Start(soonish(t)))
		}
	}
}

// The tasks that a batch keeps from a larger run are there for others, also while it runs.
func TestBatchKeepsNoTaskFromOthers(t *testing.T) {
	const tasks = 4
	b := newBench(t, tasks)
	batch := must(b.dma.NewBatch(tasks))(t)
	fill := func(n int) {
		check(t, batch.Reset())
		for i := range n {
			check(t, batch.AddRange(b.mem, 4096+i*64, b.mem, i*64, 64))
		}
	}
	fill(tasks)
	check(t, batch.Run(soonish(t)))
	fill(1)
	release := hold(t)
	check(t, batch.Submit(t.Context()))
	var copies []*dma.Future
	for i := range tasks - 1 {
		f, err := b.dma.CopyRangeAsync(soonish(t), b.mem, 8192+i*64, b.mem, 0, 64)
		require.NoError(t, err, "task %d is free", i)
		copies = append(copies, f)
	}
	_, err := b.dma.CopyRangeAsync(canceled(t), b.mem, 9000, b.mem, 0, 64)
	assert.Error(t, err, "there is no further task")
	release()
	check(t, batch.Wait(soonish(t)))
	for i, f := range copies {
		_, err := f.Wait(soonish(t))
		require.NoError(t, err, fmt.Sprint(i))
	}
	fill(tasks) // it gets them back
	check(t, batch.Run(soonish(t)))
}

// A batch that has had copies, and now has only such of no bytes.
func TestBatchOfNothingLeft(t *testing.T) {
	b := newBench(t, 4)
	batch := must(b.dma.NewBatch(4))(t)
	fill := func(n int) {
		check(t, batch.Reset())
		for i := range 4 {
			check(t, batch.AddRange(b.mem, 4096+i*64, b.mem, i*64, n))
		}
	}
	fill(64)
	check(t, batch.Run(soonish(t)))
	check(t, b.dma.Stop(soonish(t)))
	check(t, b.dma.Start(soonish(t))) // the tasks are gone
	fill(0)
	check(t, batch.Run(soonish(t)))
	fill(64)
	copy(b.mem.Bytes(), "new")
	check(t, batch.Run(soonish(t)))
	assert.Equal(t, "new", string(b.mem.Bytes()[4096:][:3]))
}
