package dma_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-doca/go-doca/doca"
)

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
	faults(t, "delay=1ms")
	check(t, batch.Submit(t.Context()))
	wantErr(t, batch.Wait(soon(t)), context.DeadlineExceeded)
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
	wantErr(t, batch.Wait(soon(t)), context.DeadlineExceeded)
	wantErr(t, dst[9].SetData(0, 1), doca.ErrInUse)
	wantErr(t, batch.Reset(), doca.ErrInUse)
	check(t, batch.Wait(t.Context()))
	same(t, src, dst)
}
