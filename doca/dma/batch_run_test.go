package dma_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
)

// A batch that runs is left alone, and so are its buffers.
func TestBatchInUse(t *testing.T) {
	b := newBench(t, 8)
	batch, src, dst := b.batch(t, 0, 4, 64)
	check(t, batch.Run(t.Context()))
	release := hold(t)
	check(t, batch.Submit(t.Context()))
	wantErr(t, batch.Submit(t.Context()), doca.ErrInUse)
	wantErr(t, batch.Add(dst[0], src[0]), doca.ErrInUse)
	wantErr(t, batch.Reset(), doca.ErrInUse)
	wantErr(t, src[0].SetData(0, 1), doca.ErrInUse)
	wantErr(t, dst[0].SetData(0, 1), doca.ErrInUse)
	_, err := b.dma.CopyAsync(t.Context(), dst[1], src[0])
	wantErr(t, err, doca.ErrInUse)
	_, free := b.pair(t, 9, 64)
	f := must(b.dma.CopyAsync(t.Context(), free, src[0]))(t) // the source may be read
	if err := batch.Wait(soon(t)); err != context.DeadlineExceeded {
		t.Errorf("Wait = %v", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- dst[2].Close() }()
	doctest.Stays(t, closed, "the buffer was closed while the batch was in flight")
	release()
	check(t, <-closed)
	check(t, batch.Wait(t.Context()))
	must(f.Wait(t.Context()))(t)
	wantErr(t, batch.Run(t.Context()), doca.ErrClosed)

	// A copy that is in flight has the buffers, even if the batch had them before.
	check(t, batch.Reset())
	check(t, batch.Add(dst[0], src[0]))
	check(t, batch.Run(t.Context()))
	check(t, batch.Run(t.Context()))
	f = must(b.dma.CopyAsync(t.Context(), dst[0], src[1]))(t)
	wantErr(t, batch.Run(t.Context()), doca.ErrInUse)
	must(f.Wait(t.Context()))(t)
	f = must(b.dma.CopyAsync(t.Context(), src[0], src[1]))(t)
	wantErr(t, batch.Run(t.Context()), doca.ErrInUse)
	must(f.Wait(t.Context()))(t)
	check(t, batch.Run(t.Context()))
	f = must(b.dma.CopyAsync(t.Context(), free, dst[0]))(t)
	wantErr(t, batch.Run(t.Context()), doca.ErrInUse)
	must(f.Wait(t.Context()))(t)

	// A copy takes over what a batch left.
	check(t, batch.Reset())
	check(t, batch.Add(dst[0], src[0]))
	for range 3 {
		check(t, batch.Run(t.Context()))
		must(b.dma.Copy(t.Context(), src[0], dst[0]))(t)
	}
	check(t, batch.Submit(t.Context()))
	check(t, batch.Close())
	same(t, src[:1], dst[:1])
}

// A copy gets its task when the batch that has them all ends.
func TestCopyWaitsForBatch(t *testing.T) {
	b := newBench(t, 4)
	batch, _, _ := b.batch(t, 0, 4, 64)
	src, dst := b.pair(t, 10, 64)
	faults(t, "delay=20ms")
	for range 3 {
		check(t, batch.Submit(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if n, err := b.dma.Copy(ctx, dst, src); n != 64 || err != nil {
			t.Errorf("Copy = %d, %v", n, err)
		}
		cancel()
		check(t, batch.Wait(t.Context()))
	}
	f := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
	check(t, batch.Run(t.Context())) // and the other way round
	check(t, f.Err())
}

// Batches keep their tasks only until others need them.
func TestBatchesShareTasks(t *testing.T) {
	t.Parallel()
	b := newBench(t, 8)
	var work sync.WaitGroup
	for w := range 3 {
		batch, src, dst := b.batch(t, w*16, 6, 64)
		work.Go(func() {
			for range 300 {
				if err := batch.Run(context.Background()); err != nil {
					t.Error(err)
					return
				}
			}
			same(t, src, dst)
		})
	}
	for w := range 3 {
		src, dst := b.pair(t, 100+w, 64)
		work.Go(func() {
			for range 300 {
				if n, err := b.dma.Copy(context.Background(), dst, src); n != 64 || err != nil {
					t.Errorf("Copy = %d, %v", n, err)
					return
				}
			}
		})
	}
	work.Wait()
}

// A batch that waits for tasks is closed, or touched: nothing panics, and Run says so.
func TestBatchThatWaitsForTasks(t *testing.T) {
	for _, closing := range []bool{true, false} {
		b := newBench(t, 1)
		src, dst := b.pair(t, 0, 64)
		batch, from, to := b.batch(t, 1, 2, 64)
		release := hold(t)
		busy := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
		ran := make(chan error, 1)
		go func() { ran <- batch.Run(t.Context()) }()
		require.Eventually(t, func() bool { return errors.Is(batch.Add(to[0], from[0]), doca.ErrInUse) }, 20*time.Second, time.Millisecond, "it waits for the only task now")
		if closing {
			check(t, batch.Close())
			release()
			wantErr(t, <-ran, doca.ErrClosed)
		} else {
			wantErr(t, batch.Reset(), doca.ErrInUse)
			wantErr(t, batch.Run(t.Context()), doca.ErrInUse)
			release()
			check(t, <-ran)
			same(t, from, to)
		}
		must(busy.Wait(t.Context()))(t)
		must(b.dma.Copy(t.Context(), dst, src))(t)
	}
}

// A batch of more copies than there are tasks: all are done, run after run, whatever
// changes in between.
func TestBatchLargerThanItsTasks(t *testing.T) {
	t.Parallel()
	for _, tasks := range []int{1, 3, 8} {
		b := newBench(t, tasks)
		batch, src, dst := b.batch(t, 0, 50, 64)
		single, other := b.pair(t, 100, 32)
		for round := range 30 {
			for i, s := range src {
				for k := range s.Bytes() {
					s.Bytes()[k] = byte(round*3 + i + k)
				}
			}
			check(t, batch.Run(t.Context()))
			same(t, src, dst)
			if round%7 == 3 { // others use the tasks between runs
				must(b.dma.Copy(t.Context(), other, single))(t)
				same(t, []*doca.Buffer{single}, []*doca.Buffer{other})
			}
			if round%5 == 2 {
				n := 1 + round
				check(t, src[round].SetData(round/2, n))
				check(t, batch.Run(t.Context()))
				same(t, src, dst)
				if dst[round].DataLen() != n {
					t.Errorf("DataLen() = %d, want %d", dst[round].DataLen(), n)
				}
			}
		}
		check(t, batch.Close())
	}
}

// While the first copies of such a batch are on their way, others read what its later ones read, as SetData has set it.
func TestLargeBatchSharesSources(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	batch, src, dst := b.batch(t, 0, 8, 64)
	check(t, batch.Run(t.Context()))
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t) // tasks of an engine complete in their order, so that one held back delays the others
	t.Cleanup(func() { check(t, pe.Close()) })
	other := must(dma.New(b.dev, pe, dma.Config{}))(t)
	to := must(b.inv.Buffer(b.mem, 4096, 64))(t)
	raw := must(bind.RawContext(b.dma.Context))(t)
	for round := range 3 {
		for _, i := range []int{2, 5} {
			check(t, src[i].SetData(i, 40+round))
		}
		release := must(emulator.Faults{On: emulator.Target{Object: unsafe.Pointer(raw)}, HoldTasks: true}.Add())(t)
		check(t, batch.Submit(t.Context()))
		for _, s := range src {
			must(other.Copy(soonish(t), to, s))(t)
			assert.Equal(t, s.Data(), to.Data())
		}
		release()
		check(t, batch.Wait(t.Context()))
		same(t, src, dst)
	}
}

func TestLargeBatchDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	b := newBench(t, 4)
	batch, src, dst := b.batch(t, 0, 100, 64)
	check(t, batch.Run(t.Context()))
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if err := batch.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a run allocates %v times", n)
	}
	same(t, src, dst)
}

// A copy fails on its way: those before it are done, those in flight fail, and the rest is
// never begun. Afterwards everything works again.
func TestLargeBatchWithAFailure(t *testing.T) {
	const tasks, copies = 3, 20
	for _, at := range []int{1, 3, 4, 10, copies} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			b := newBench(t, tasks)
			batch, src, dst := b.batch(t, 0, copies, 64)
			faults(t, fmt.Sprintf("fail-task=%d:DRIVER", at))
			wantErr(t, batch.Run(t.Context()), doca.ErrDriver, fmt.Sprintf("(copy %d of the batch)", at-1))
			if s := b.dma.State(); s != doca.StateIdle {
				t.Errorf("the context is %v", s)
			}
			for i := range copies {
				err := batch.Err(i)
				switch {
				case i < at-1:
					check(t, err)
					same(t, src[i:i+1], dst[i:i+1])
				case i == at-1:
					wantErr(t, err, doca.ErrDriver)
				case err == nil:
					t.Errorf("copy %d has no error", i)
				case dst[i].DataLen() != 0:
					t.Errorf("copy %d failed and left %d bytes", i, dst[i].DataLen())
				}
			}
			check(t, b.dma.Start(t.Context()))
			for range 2 {
				check(t, batch.Run(t.Context()))
				same(t, src, dst)
			}
			check(t, batch.Err(at-1))
		})
	}
}

// Stop lets a batch that runs end, with all its copies.
func TestStopDuringLargeBatch(t *testing.T) {
	b := newBench(t, 2)
	batch, src, dst := b.batch(t, 0, 40, 64)
	faults(t, "delay=1ms") // with two tasks, the batch takes twenty steps of the engine at least
	check(t, batch.Submit(t.Context()))
	wantErr(t, batch.Wait(canceled(t)), context.Canceled)
	check(t, b.dma.Stop(t.Context()))
	check(t, batch.Wait(t.Context()))
	same(t, src, dst)
	wantErr(t, batch.Run(t.Context()), doca.ErrBadState)
	check(t, b.dma.Start(t.Context()))
	check(t, batch.Run(t.Context()))
}

// A cancelled wait leaves the batch and its buffers to the device.
func TestCancelledLargeBatch(t *testing.T) {
	b := newBench(t, 2)
	batch, src, dst := b.batch(t, 0, 10, 64)
	faults(t, "delay=5ms")
	check(t, batch.Submit(t.Context()))
	wantErr(t, batch.Wait(canceled(t)), context.Canceled)
	wantErr(t, dst[9].SetData(0, 1), doca.ErrInUse)
	wantErr(t, batch.Reset(), doca.ErrInUse)
	check(t, batch.Wait(t.Context()))
	same(t, src, dst)
}

// After a Submit that has failed there is nothing to wait for: what came before is not its result.
func TestWaitAfterSubmitThatFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	batch, _, _ := b.batch(t, 0, 3, 64)
	nothing := func() {
		t.Helper()
		wantErr(t, batch.Wait(t.Context()), doca.ErrBadState, "not submitted")
		wantErr(t, batch.Err(0), doca.ErrBadState)
	}
	check(t, batch.Run(t.Context()))
	check(t, batch.Wait(t.Context()))
	wantErr(t, batch.Submit(canceled(t)), context.Canceled)
	nothing()
	check(t, batch.Run(t.Context()))
	check(t, b.dma.Stop(t.Context()))
	wantErr(t, batch.Submit(t.Context()), doca.ErrBadState)
	nothing()
	check(t, b.dma.Start(t.Context()))
	var none context.Context
	for _, start := range []func(context.Context) error{batch.Submit, batch.Run} {
		check(t, batch.Run(t.Context()))
		wantErr(t, start(none), doca.ErrInvalidValue, "ctx is nil")
		nothing()
	}
	check(t, batch.Submit(t.Context()))
	wantErr(t, batch.Submit(t.Context()), doca.ErrInUse)
	wantErr(t, batch.Submit(none), doca.ErrInvalidValue)
	check(t, batch.Wait(t.Context()))
	check(t, batch.Err(0))
}

// A copy that DOCA refuses while those before it are in flight does not stop the context, nor is it the reason of a later stop.
func TestBatchRefusedWhileItRuns(t *testing.T) {
	for at := 1; at <= 6; at++ {
		b := newBench(t, 2)
		batch, src, dst := b.batch(t, 0, 6, 64)
		on := emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(b.dma.Context))(t))}
		release := must(emulator.Faults{On: on, RefuseTasks: []emulator.TaskFault{{N: uint64(at), Code: doca.ErrNoMemory}}}.Add())(t)
		err := batch.Run(t.Context())
		release()
		wantErr(t, err, doca.ErrNoMemory)
		assert.NotContains(t, err.Error(), "Start", "refused: %d", at)
		assert.Equal(t, doca.StateRunning, b.dma.State())
		check(t, batch.Run(t.Context()))
		same(t, src, dst)
		check(t, b.dma.Stop(t.Context()))
		stopped := new(doca.StateError)
		require.ErrorAs(t, batch.Run(t.Context()), &stopped)
		assert.NoError(t, stopped.Cause, "refused: %d", at)
	}
}
