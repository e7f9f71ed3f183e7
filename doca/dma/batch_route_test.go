package dma_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// routeWalk is a random walk of batches whose copies go from memory to memory. Each memory has a part that is read, and a part for each
// batch to write to.
type routeWalk struct {
	*bench
	rng  *rand.Rand
	mems []*doca.Memory
	want [][]byte // what the memories have
	bufs [2]*doca.Buffer
}

const (
	routeCopies = 24 // of a batch
	routeSize   = 32 // bytes of a copy
	routePart   = routeCopies * routeSize
	routeMemory = 3 * routePart
)

func newRouteWalk(t *testing.T, tasks, memories int, seed uint64) *routeWalk {
	w := &routeWalk{bench: newBench(t, tasks), rng: rand.New(rand.NewPCG(seed, 0))}
	w.mems, w.want = make([]*doca.Memory, memories), make([][]byte, memories)
	for i := range w.mems {
		w.replace(t, i)
	}
	w.bufs = [2]*doca.Buffer{must(w.inv.Buffer(w.bench.mem, 0, routeSize))(t), w.source(t, 100, routeSize, 3)}
	return w
}

// replace closes a memory and makes another one.
func (w *routeWalk) replace(t *testing.T, i int) {
	if w.mems[i] != nil {
		check(t, w.mems[i].Close())
	}
	w.mems[i] = w.newMemory(t, routeMemory, 0)
	for k := range w.mems[i].Bytes() {
		w.mems[i].Bytes()[k] = byte(w.rng.Uint32())
	}
	w.want[i] = slices.Clone(w.mems[i].Bytes())
}

// fill gives batch number k copies.
func (w *routeWalk) fill(t *testing.T, batch *dma.Batch, k int) {
	check(t, batch.Reset())
	added := false
	among := 1 + w.rng.IntN(len(w.mems))
	dst, src := w.rng.IntN(among), w.rng.IntN(among)
	for n := 1 + w.rng.IntN(routeCopies); batch.Len() < n; {
		if w.rng.IntN(3) > 0 {
			dst, src = w.rng.IntN(among), w.rng.IntN(among)
		}
		to, from, length := (k+1)*routePart+batch.Len()*routeSize, w.rng.IntN(routePart-routeSize), 1+w.rng.IntN(routeSize)
		switch w.rng.IntN(12) {
		case 0:
			check(t, batch.AddRange(w.mems[dst], to, w.mems[src], from, 0))
		case 1:
			if k == 0 && !added { // twice would be a conflict
				added = true
				check(t, batch.Add(w.bufs[0], w.bufs[1]))
			}
		case 2:
			wantErr(t, batch.AddRange(w.mems[dst], routeMemory-1, w.mems[src], from, 2), doca.ErrInvalidValue)
		case 3:
			wantErr(t, batch.AddRange(w.mems[dst], from, w.mems[dst], from+length-1, length), doca.ErrInvalidValue, "overlap")
		case 4: // a memory that is gone when the batch runs, and is not in it
			m := w.newMemory(t, 8, 0)
			wantErr(t, batch.AddRange(m, 0, w.mems[src], from, 9), doca.ErrInvalidValue)
			check(t, m.Close())
			wantErr(t, batch.AddRange(w.mems[dst], to, m, 0, 1), doca.ErrClosed)
		case 5: // no memories
			wantErr(t, batch.AddRange(new(doca.Memory), to, w.mems[src], from, 1), doca.ErrInvalidValue)
			wantErr(t, batch.AddRange(w.mems[dst], to, nil, from, 1), doca.ErrInvalidValue)
		default:
			check(t, batch.AddRange(w.mems[dst], to, w.mems[src], from, length))
			copy(w.want[dst][to:][:length], w.want[src][from:])
		}
	}
}

// step fills both batches, and has them run at once and again.
func (w *routeWalk) step(t *testing.T, batches *[2]*dma.Batch) {
	if w.rng.IntN(4) == 0 {
		w.replace(t, w.rng.IntN(len(w.mems)))
	}
	for k, batch := range batches {
		if w.rng.IntN(4) > 0 {
			w.fill(t, batch, k)
		}
	}
	for range 1 + w.rng.IntN(2) {
		var ran []*dma.Batch
		for _, batch := range batches {
			if err := batch.Submit(t.Context()); err == nil {
				ran = append(ran, batch)
			} else { // it was not filled again, and a memory of it is gone, or it was never filled
				assert.True(t, errors.Is(err, doca.ErrClosed) || errors.Is(err, doca.ErrEmpty), "%v", err)
			}
		}
		for _, batch := range ran {
			require.NoError(t, batch.Wait(t.Context()))
		}
	}
	for i, m := range w.mems {
		require.Equal(t, w.want[i], m.Bytes(), "memory %d", i)
	}
}

// Copies from memory to memory in any order, of few and of very many memories, some of which are closed and replaced, get to their
// places, also if two batches that use the same memories run at once.
func TestBatchFromMemoryToMemory(t *testing.T) {
	defer dma.SetMaxMemories(24)()
	for seed, memories := range []int{1, 2, 4, 12, 60, 60} {
		w := newRouteWalk(t, []int{64, 30, 7}[seed%3], memories, uint64(seed))
		batches := [2]*dma.Batch{must(w.dma.NewBatch(routeCopies))(t), must(w.dma.NewBatch(routeCopies))(t)}
		for range 150 {
			w.step(t, &batches)
		}
	}
}

// After Reset a batch takes any copies, whether they go as those before or not, and is empty until then.
func TestBatchAfterReset(t *testing.T) {
	t.Parallel()
	b := newBench(t, 8)
	batch := must(b.dma.NewBatch(6))(t)
	a, gone := b.newMemory(t, 64, 1), b.newMemory(t, 64, 2)
	source, target := b.pair(t, 7, 32)
	add := func(src *doca.Memory) { // copies to the first bytes
		clear(b.mem.Bytes()[:64])
		check(t, batch.AddRange(b.mem, 0, src, 0, 32))
		check(t, batch.AddRange(b.mem, 32, src, 32, 32))
	}
	empty := func() {
		require.Zero(t, batch.Len())
		wantErr(t, batch.Run(t.Context()), doca.ErrEmpty)
		wantErr(t, batch.Err(0), doca.ErrInvalidValue)
	}
	for _, next := range []func(){
		func() { add(a) },
		func() {
			add(a)
			check(t, batch.Add(target, source))
			check(t, batch.AddRange(b.mem, 64, a, 0, 8))
		},
		func() { check(t, batch.Add(target, source)) },
		func() { check(t, batch.AddRange(b.mem, 0, a, 0, 0)) },
		func() { check(t, batch.AddRange(a, 0, b.mem, 128, 8)) },
		func() { wantErr(t, batch.AddRange(b.mem, 0, gone, 60, 8), doca.ErrInvalidValue); add(gone) },
		func() { wantErr(t, batch.AddRange(b.mem, 0, new(doca.Memory), 0, 8), doca.ErrInvalidValue); add(a) },
	} {
		add(gone)
		require.NoError(t, batch.Run(t.Context()))
		require.Equal(t, gone.Bytes(), b.mem.Bytes()[:64])
		check(t, batch.Reset())
		empty()
		check(t, batch.Reset())
		next()
		n := batch.Len()
		require.NoError(t, batch.Run(t.Context()))
		for i := range n {
			require.NoError(t, batch.Err(i))
		}
		check(t, batch.Reset())
		empty()
	}
	add(gone)
	require.NoError(t, batch.Run(t.Context()))
	check(t, batch.Reset())
	check(t, gone.Close())
	wantErr(t, batch.AddRange(b.mem, 0, gone, 0, 8), doca.ErrClosed)
	empty()
	add(a)
	require.NoError(t, batch.Run(t.Context()), "the memory of earlier copies does not matter")
	require.Equal(t, a.Bytes(), b.mem.Bytes()[:64])
}

// A memory that was in a batch before Reset is not checked any more, and one that is still in it is, at the copy that is the first with it.
func TestBatchChecksItsMemoriesAlone(t *testing.T) {
	b := newBench(t, 8)
	batch := must(b.dma.NewBatch(6))(t)
	mems := [3]*doca.Memory{b.newMemory(t, 64, 0), b.newMemory(t, 64, 0), b.newMemory(t, 64, 0)}
	fill := func(order ...int) {
		check(t, batch.Reset())
		for i, k := range order {
			check(t, batch.AddRange(b.mem, 64*i, mems[k], 0, 64))
		}
	}
	fill(0, 1, 2, 0, 1, 2)
	require.NoError(t, batch.Run(t.Context()))
	check(t, mems[1].Close())
	wantErr(t, batch.Run(t.Context()), doca.ErrClosed, "copy 1 of the batch")
	fill(2, 0, 0, 2)
	require.NoError(t, batch.Run(t.Context()))
	check(t, mems[0].Close())
	wantErr(t, batch.Run(t.Context()), doca.ErrClosed, "copy 1 of the batch")
	fill(2, 2)
	require.NoError(t, batch.Run(t.Context()))
}

// Copies from memory to memory allocate nothing, in whatever order they come, once these memories were used.
func TestBatchOfManyMemoriesAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	for _, memories := range []int{2, 8, 32, 500} {
		b := newBench(t, 32)
		batch := must(b.dma.NewBatch(32))(t)
		mems := make([]*doca.Memory, memories)
		for i := range mems {
			mems[i] = b.newMemory(t, 4096, 0)
		}
		round := 0
		run := func() {
			round++
			check(t, batch.Reset())
			for i := range 32 {
				check(t, batch.AddRange(mems[(i+32*round)%memories], 64*i, b.mem, 64*i, 64))
			}
			check(t, batch.Run(t.Context()))
		}
		for range memories {
			run()
		}
		assert.Zero(t, testing.AllocsPerRun(100, run), "%d memories", memories)
	}
}
