package dma_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
)

// newReportsBench makes a bench whose context has batches reported together. The emulator then does so, as a card may.
func newReportsBench(t *testing.T, maxTasks int, also emulator.Faults) *bench {
	t.Helper()
	b := newBench(t, maxTasks)
	check(t, b.dma.Close())
	b.dma = must(dma.New(b.dev, b.pe, dma.Config{MaxTasks: maxTasks, OptimizeReports: true}))(t)
	also.HoldReports = true
	also.On = emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(b.dma.Context))(t))}
	t.Cleanup(must(also.Add())(t))
	return b
}

// All copies of a batch are reported with the last one, and none before.
func TestOptimizeReports(t *testing.T) {
	t.Parallel()
	const n = 4
	b := newReportsBench(t, 2*n, emulator.Faults{Rate: 200})
	batch, src, dst := b.batch(t, 0, n, 64)
	for range 2 {
		check(t, batch.Submit(t.Context()))
		ended := 0
		for ended == 0 {
			ended = must(b.pe.Progress())(t)
			runtime.Gosched()
		}
		for more := 1; more > 0; ended += more { // what has ended by now; another copy would take 5 ms
			more = must(b.pe.Progress())(t)
		}
		assert.Equal(t, n, ended)
		check(t, batch.Wait(t.Context()))
		same(t, src, dst)
	}
}

// Batches of one, of as many as there are tasks, and of more end, and so do two at a time and other copies beside them.
func TestOptimizeReportsOfAllSizes(t *testing.T) {
	t.Parallel()
	const tasks = 8
	b := newReportsBench(t, tasks, emulator.Faults{})
	at := 0
	for _, n := range []int{1, 2, tasks, tasks + 1, 3 * tasks} {
		batch, src, dst := b.batch(t, at, n, 64)
		for range 3 {
			check(t, batch.Run(t.Context()))
			same(t, src, dst)
		}
		check(t, batch.Close())
		at += n
	}
	one, oneSrc, oneDst := b.batch(t, at, tasks/2, 64)
	other, otherSrc, otherDst := b.batch(t, at+tasks/2, tasks/2, 64)
	source, target := b.pair(t, at+tasks, 64)
	for range 10 {
		check(t, one.Submit(t.Context()))
		check(t, other.Submit(t.Context()))
		must(b.dma.Copy(t.Context(), target, source))(t)
		check(t, one.Wait(t.Context()))
		check(t, other.Wait(t.Context()))
	}
	same(t, append(oneSrc, otherSrc...), append(oneDst, otherDst...))
}

// If DOCA refuses a copy after others, nobody may ever report these. The context stops, so that they end.
func TestOptimizeReportsRefused(t *testing.T) {
	t.Parallel()
	b := newReportsBench(t, 8, emulator.Faults{RefuseTasks: []emulator.TaskFault{{N: 7, Code: abi.ErrorNoMemory}}})
	batch, src, dst := b.batch(t, 0, 4, 64)
	check(t, batch.Run(t.Context()))
	clear(dst[1].Bytes())
	wantErr(t, batch.Run(t.Context()), doca.ErrNoMemory, "copy 2 of the batch")
	check(t, batch.Err(1))
	assert.Equal(t, src[1].Data(), dst[1].Data(), "what DOCA has accepted is carried out")
	wantErr(t, batch.Err(2), doca.ErrNoMemory)
	wantErr(t, batch.Err(3), doca.ErrNoMemory)
	check(t, b.dma.WaitIdle(t.Context()))
	wantErr(t, batch.Run(t.Context()), doca.ErrBadState, "NO_MEMORY")
	check(t, b.dma.Start(t.Context()))
	check(t, batch.Run(t.Context()))
	same(t, src, dst)
}

// Without it the others end by themselves, and the context goes on.
func TestBatchRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, 8)
	on := emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(b.dma.Context))(t))}
	t.Cleanup(must(emulator.Faults{On: on, RefuseTasks: []emulator.TaskFault{{N: 3, Code: abi.ErrorNoMemory}, {N: 9, Code: abi.ErrorNoMemory}}}.Add())(t))
	batch, src, dst := b.batch(t, 0, 4, 64)
	wantErr(t, batch.Run(t.Context()), doca.ErrNoMemory, "copy 2 of the batch")
	check(t, batch.Err(1))
	assert.Equal(t, doca.StateRunning, b.dma.State())
	check(t, batch.Run(t.Context()))
	same(t, src, dst)
	must(b.dma.Copy(t.Context(), dst[0], src[0]))(t)
	_, err := b.dma.Copy(t.Context(), dst[1], src[1])
	wantErr(t, err, doca.ErrNoMemory)
	must(b.dma.Copy(t.Context(), dst[1], src[1]))(t)
}
