package dma_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// batch makes a batch of n copies of size bytes, from pair at on.
func (b *bench) batch(t testing.TB, at, n, size int) (batch *dma.Batch, src, dst []*doca.Buffer) {
	t.Helper()
	batch = must(b.dma.NewBatch(n))(t)
	for i := range n {
		s, d := b.pair(t, at+i, size)
		src, dst = append(src, s), append(dst, d)
		check(t, batch.Add(d, s))
	}
	return batch, src, dst
}

func same(t testing.TB, src, dst []*doca.Buffer) {
	t.Helper()
	for i := range src {
		if !bytes.Equal(src[i].Data(), dst[i].Data()) {
			t.Fatalf("copy %d differs", i)
		}
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	b := newBench(t, 32)
	batch, src, dst := b.batch(t, 0, 32, 64)
	if batch.Len() != 32 {
		t.Errorf("Len() = %d", batch.Len())
	}
	wantErr(t, batch.Wait(t.Context()), doca.ErrBadState, "Submit")
	for round := range 50 {
		for i, s := range src {
			for k := range s.Bytes() {
				s.Bytes()[k] = byte(round + i + k)
			}
		}
		check(t, batch.Run(t.Context()))
		same(t, src, dst)
	}
	// Whatever changes between runs, the next one notices.
	check(t, src[3].SetData(10, 20))
	check(t, dst[4].SetData(1, 2))
	check(t, batch.Run(t.Context()))
	same(t, src, dst)
	if dst[3].DataLen() != 20 || dst[4].DataLen() != 64 {
		t.Errorf("data lengths %d and %d", dst[3].DataLen(), dst[4].DataLen())
	}
	extra := b.source(t, 1<<19, 8, 99)
	check(t, src[5].SetData(0, 50))
	check(t, src[5].Chain(extra))
	check(t, batch.Run(t.Context()))
	check(t, batch.Run(t.Context()))
	if dst[5].DataLen() != 58 || !bytes.Equal(dst[5].Data(), append(bytes.Clone(src[5].Data()), extra.Data()...)) {
		t.Error("the list was not copied")
	}
	check(t, extra.Close())
	check(t, batch.Run(t.Context()))
	check(t, batch.Run(t.Context()))
	check(t, b.dma.Stop(t.Context()))
	wantErr(t, batch.Run(t.Context()), doca.ErrBadState, "idle")
	check(t, b.dma.Start(t.Context()))
	for range 2 {
		check(t, batch.Run(t.Context()))
		same(t, src, dst)
	}
	check(t, src[7].Close())
	wantErr(t, batch.Run(t.Context()), doca.ErrClosed, "run batch")
	check(t, batch.Reset())
	if batch.Len() != 0 {
		t.Error("Reset left copies")
	}
	check(t, batch.Add(dst[0], src[1]))
	check(t, batch.Run(t.Context()))
	same(t, src[1:2], dst[:1])
	check(t, batch.Close())
	check(t, batch.Close())
	wantErr(t, batch.Run(t.Context()), doca.ErrClosed)
	wantErr(t, batch.Add(dst[0], src[0]), doca.ErrClosed)
	wantErr(t, batch.Reset(), doca.ErrClosed)
}

func TestBatchErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	for _, n := range []int{-1, 0} {
		_, err := b.dma.NewBatch(n)
		wantErr(t, err, doca.ErrInvalidValue, "a batch of")
	}
	batch := must(b.dma.NewBatch(2))(t)
	wantErr(t, batch.Run(t.Context()), doca.ErrEmpty)
	src, dst := b.pair(t, 0, 64)
	src2, dst2 := b.pair(t, 1, 64)
	wantErr(t, batch.Add(nil, src), doca.ErrInvalidValue)
	wantErr(t, batch.Add(dst, nil), doca.ErrInvalidValue)
	check(t, batch.Add(dst, src))
	check(t, batch.Add(dst, src2))
	wantErr(t, batch.Add(dst2, src2), doca.ErrFull, "2")
	wantErr(t, batch.Run(t.Context()), doca.ErrInUse, "twice")
	check(t, batch.Reset())
	check(t, batch.Add(dst, src))
	check(t, batch.Add(dst2, dst))
	wantErr(t, batch.Run(t.Context()), doca.ErrInUse)
	check(t, batch.Reset())
	check(t, batch.Add(dst, src))
	check(t, batch.Add(dst2, src)) // reading twice is fine
	check(t, batch.Run(t.Context()))
	check(t, src.SetData(0, 0))
	wantErr(t, batch.Run(t.Context()), doca.ErrInvalidValue, "empty", "copy 0")
	check(t, src.SetData(0, 64))
	big := must(b.inv.Buffer(b.mem, 1024, 2000))(t)
	check(t, big.SetData(0, 2000))
	check(t, batch.Reset())
	check(t, batch.Add(dst, src))
	check(t, batch.Add(dst2, big))
	wantErr(t, batch.Run(t.Context()), doca.ErrInvalidValue, "2000", "64", "copy 1")
	// After every error the buffers are free.
	for _, x := range []*doca.Buffer{src, dst, src2, dst2, big} {
		check(t, x.SetData(0, 64))
	}
	must(b.dma.Copy(t.Context(), dst, src))(t)
}

func TestBatchTooBig(t *testing.T) {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "63")
	b := newBench(t, 4)
	batch, _, _ := b.batch(t, 0, 2, 64)
	wantErr(t, batch.Run(t.Context()), doca.ErrTooBig, "64 bytes", "use Copy")
}

func TestBatchAllocations(t *testing.T) {
	b := newBench(t, 32)
	batch, src, dst := b.batch(t, 0, 32, 64)
	ctx := context.Background()
	run := func() {
		if err := batch.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(1000, run); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
	retarget := func() {
		for _, s := range src {
			if err := s.SetData(0, 64-s.DataLen()%2); err != nil {
				t.Fatal(err)
			}
		}
		run()
	}
	if n := testing.AllocsPerRun(1000, retarget); n != 0 {
		t.Errorf("%v allocations per run with other sources", n)
	}
	if n := testing.AllocsPerRun(1000, func() {
		run()
		for i := range 32 {
			check(t, batch.Err(i))
		}
	}); n != 0 {
		t.Errorf("%v allocations per run whose copies are looked at", n)
	}
	same(t, src, dst)
}

// Batches and copies that take tasks from each other in turns allocate nothing.
func TestTakenTasksAllocations(t *testing.T) {
	b := newBench(t, 4)
	ctx := context.Background()
	var batches [2]*dma.Batch
	var srcs, dsts []*doca.Buffer
	for i := range batches {
		var src, dst []*doca.Buffer
		batches[i], src, dst = b.batch(t, 8*i, 4, 64)
		srcs, dsts = append(srcs, src...), append(dsts, dst...)
	}
	src, dst := b.pair(t, 20, 64)
	srcs, dsts = append(srcs, src), append(dsts, dst)
	if n := testing.AllocsPerRun(1000, func() {
		for _, batch := range batches {
			check(t, batch.Run(ctx))
		}
		must(b.dma.Copy(ctx, dst, src))(t)
	}); n != 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
	same(t, srcs, dsts)
}

// A batch that waits for tasks, which others have in flight, allocates nothing either, and no more does a copy.
func TestWaitForTasksAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	b := newBench(t, 4)
	ctx := context.Background()
	first, src, dst := b.batch(t, 0, 2, 64)
	most, from, to := b.batch(t, 2, 8, 64)
	one, other := b.pair(t, 20, 64)
	busy, at, too := b.batch(t, 10, 4, 64)
	round := func() {
		check(t, first.Submit(ctx))
		check(t, most.Run(ctx)) // it needs all tasks
		check(t, first.Wait(ctx))
		check(t, busy.Submit(ctx))
		must(b.dma.Copy(ctx, other, one))(t)
		check(t, busy.Wait(ctx))
	}
	for range 10 {
		round()
	}
	assert.Zero(t, testing.AllocsPerRun(200, round))
	same(t, src, dst)
	same(t, from, to)
	same(t, at, too)
}

// Two batches that stay as they are take turns on the same buffers, and what one of them has filled the other one reads.
func TestBatchesShareBuffers(t *testing.T) {
	b := newBench(t, 8)
	there, src, dst := b.batch(t, 0, 4, 64)
	back := must(b.dma.NewBatch(4))(t)
	for i := range src {
		check(t, back.Add(src[i], dst[i]))
	}
	for turn := range 20 {
		n := 64 - turn%3
		for i := range src {
			check(t, src[i].SetData(0, n))
			src[i].Bytes()[turn] = byte(7*turn + i)
		}
		check(t, there.Run(t.Context()))
		same(t, src, dst)
		for i := range dst {
			assert.Equal(t, n, dst[i].DataLen())
			dst[i].Bytes()[turn]++
		}
		check(t, back.Run(t.Context()))
		same(t, dst, src)
		if turn%4 == 3 { // another use in between
			must(b.dma.Copy(t.Context(), dst[2], src[1]))(t)
			assert.Equal(t, src[1].Data(), dst[2].Data())
		}
	}
	// While one of them runs, the other one is refused, and runs afterwards.
	release := hold(t)
	check(t, there.Submit(t.Context()))
	wantErr(t, back.Submit(t.Context()), doca.ErrInUse)
	release()
	check(t, there.Wait(t.Context()))
	check(t, back.Run(t.Context()))
	same(t, dst, src)
}

// A task of a batch that fails stops the context; the batch tells which copies are
// done, and runs again after a start.
func TestBatchFaults(t *testing.T) {
	for _, spec := range []string{"fail-task=3", "fail-task=8", "fail-task=1", "lose-device=2", "fail-task=3,delay=20ms"} {
		t.Run(spec, func(t *testing.T) {
			b := newBench(t, 8)
			batch, src, dst := b.batch(t, 0, 8, 64)
			check(t, batch.Run(t.Context()))
			for _, d := range dst {
				clear(d.Bytes())
			}
			faults(t, spec)
			err := batch.Run(t.Context())
			wantErr(t, err, doca.ErrIOFailed, "dma#", "of the batch")
			if s := b.dma.State(); s != doca.StateIdle {
				t.Errorf("state is %v", s)
			}
			failed := 0
			for i := range 8 {
				switch err := batch.Err(i); {
				case err == nil && !bytes.Equal(dst[i].Data(), src[i].Data()):
					t.Errorf("copy %d claims to be done", i)
				case err != nil:
					failed++
					if dst[i].DataLen() != 0 {
						t.Errorf("the destination of failed copy %d has data", i)
					}
				}
			}
			if failed == 0 {
				t.Error("no copy failed")
			}
			faults(t, "")
			wantErr(t, batch.Run(t.Context()), doca.ErrBadState, "IO_FAILED")
			check(t, b.dma.Start(t.Context()))
			for range 3 {
				check(t, batch.Run(t.Context()))
				same(t, src, dst)
				check(t, batch.Err(0))
			}
		})
	}
	for _, spec := range []string{"exhaust-pool=1", "exhaust-pool=4", "fail-call=doca_dma_task_memcpy_alloc_init:8"} {
		t.Run(spec, func(t *testing.T) {
			b := newBench(t, 8)
			batch, src, dst := b.batch(t, 0, 8, 64)
			faults(t, spec)
			if err := batch.Run(t.Context()); !errors.Is(err, doca.ErrNoMemory) && !errors.Is(err, doca.ErrDriver) {
				t.Errorf("Run = %v", err)
			}
			for range 2 {
				check(t, batch.Run(t.Context()))
				same(t, src, dst)
			}
		})
	}
}

// Wait and Err answer with an error where there is no run or no such copy.
func TestBatchWithoutARun(t *testing.T) {
	b := newBench(t, 4)
	batch, src, dst := b.batch(t, 0, 3, 64)
	wantErr(t, batch.Wait(t.Context()), doca.ErrBadState, "not submitted")
	wantErr(t, batch.Err(0), doca.ErrBadState, "not submitted")
	wantErr(t, batch.Err(3), doca.ErrInvalidValue, "no copy 3")
	check(t, batch.Run(t.Context()))
	check(t, batch.Wait(t.Context()))
	for _, i := range []int{-1, 3} {
		wantErr(t, batch.Err(i), doca.ErrInvalidValue, "3 copies")
	}
	faults(t, "fail-task=2")
	wantErr(t, batch.Run(t.Context()), doca.ErrIOFailed)
	for _, i := range []int{-1, 3, 100} {
		wantErr(t, batch.Err(i), doca.ErrInvalidValue, "3 copies")
	}
	wantErr(t, batch.Err(1), doca.ErrIOFailed)
	wantErr(t, batch.Submit(t.Context()), doca.ErrBadState)
	check(t, b.dma.Start(t.Context()))
	faults(t, "delay=50ms")
	check(t, batch.Submit(t.Context()))
	wantErr(t, batch.Err(0), doca.ErrInProgress)
	check(t, batch.Wait(t.Context()))
	check(t, batch.Err(2))
	same(t, src, dst)
	check(t, batch.Reset())
	wantErr(t, batch.Wait(t.Context()), doca.ErrBadState, "not submitted")
	wantErr(t, batch.Err(0), doca.ErrInvalidValue, "0 copies")
	check(t, batch.Add(dst[0], src[0]))
	check(t, src[0].SetData(0, 0))
	wantErr(t, batch.Submit(t.Context()), doca.ErrInvalidValue)
	wantErr(t, batch.Wait(t.Context()), doca.ErrBadState, "not submitted")
	check(t, batch.Close())
	wantErr(t, batch.Wait(t.Context()), doca.ErrClosed)
	wantErr(t, batch.Err(0), doca.ErrClosed)
}

// A copy that was added after a run has not succeeded: there is nothing to say of it before the next run.
func TestBatchErrOfACopyAddedSince(t *testing.T) {
	b := newBench(t, 4)
	batch := must(b.dma.NewBatch(4))(t)
	check(t, batch.AddRange(b.mem, 0, b.mem, 100, 10))
	check(t, batch.AddRange(b.mem, 0, b.mem, 100, 0))
	check(t, batch.Run(t.Context()))
	check(t, batch.AddRange(b.mem, 10, b.mem, 110, 10))
	check(t, batch.Err(1))
	wantErr(t, batch.Err(2), doca.ErrBadState, "copy 2 was added after the last run")
	check(t, batch.Wait(t.Context())) // of the last run
	faults(t, "fail-task=2")
	wantErr(t, batch.Run(t.Context()), doca.ErrIOFailed)
	check(t, batch.AddRange(b.mem, 20, b.mem, 120, 10))
	wantErr(t, batch.Err(2), doca.ErrIOFailed)
	wantErr(t, batch.Err(3), doca.ErrBadState)
	check(t, b.dma.Start(t.Context()))
	check(t, batch.Run(t.Context()))
	check(t, batch.Err(3))
}
