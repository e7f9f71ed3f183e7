package core_test

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// A step that finds nothing to do lingers for as long as it was told, or until somebody makes it hurry.
func TestStepLingers(t *testing.T) {
	t.Parallel()
	pe := must(common.PECreate())(t)
	ring := must(abi.NewRing())(t)
	steps := must(abi.Alloc[abi.Step](1))(t)
	defer func() {
		check(t, common.PEDestroy(nil, pe))
		ring.Free()
		abi.Free(steps)
	}()
	step := &steps[0]
	step.Ring, step.PE, step.Limit = ring, unsafe.Pointer(pe), 1
	took := func() time.Duration {
		start := time.Now()
		check(t, common.PEProgressStep(step))
		assert.Zero(t, step.Done)
		return time.Since(start)
	}
	before := step.Made()
	took() // it returns
	assert.Equal(t, before+1, step.Made())
	step.Linger = 2e6
	assert.GreaterOrEqual(t, took(), 2*time.Millisecond)

	step.Linger = math.MaxUint32 // 4 s
	go func() {
		time.Sleep(time.Millisecond)
		step.Hurry()
	}()
	assert.Less(t, took(), 4*time.Second)
	assert.Less(t, took(), 4*time.Second, "it still hurries")
	step.Unhurry()
	step.Linger = 2e6
	assert.GreaterOrEqual(t, took(), 2*time.Millisecond)
}

// An engine that lingers holds its lock. Whoever needs the lock gets it at once, and the copy goes on.
func TestLingeringEngineGivesWay(t *testing.T) {
	r := newRig(t)
	core.Linger(r.PE, math.MaxUint32)
	faults(t, "delay=500ms")
	done := make(chan error, 1)
	go func() {
		_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
		done <- err
	}()
	for !core.Busy(r.PE) {
		runtime.Gosched()
	}
	must(r.PE.Progress())(t)
	select {
	case <-done:
		t.Error("the lock was not free before the end of the copy")
	default:
		check(t, <-done)
	}
}

// A copy that ends while its step lingers ends within the call.
func TestCopyEndsInLingeringStep(t *testing.T) {
	r := newRig(t)
	core.Linger(r.PE, math.MaxUint32)
	faults(t, "delay=20ms")
	r.Copy(t) // makes what the others have
	before := core.Polls(r.PE)
	r.Copy(t)
	assert.Equal(t, uint64(1), core.Polls(r.PE)-before)
}

// One processor is enough for goroutines that wait for copies on one engine, and for one beside them: none that waits keeps it.
func TestWaitersShareOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := newRig(t)
	faults(t, "delay=1.4us,rate=4e6")
	const copiers, turns, size = 4, 50, 64
	mem := must(doca.NewMemory(2*copiers*size, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	defer mem.Close()
	copier := must(dma.New(r.Dev, r.PE, dma.Config{MaxTasks: copiers}))(t)
	var beside atomic.Int64
	var all sync.WaitGroup
	for k := range copiers {
		all.Go(func() {
			for i := 0; i < turns || beside.Load() < turns; i++ {
				mem.Bytes()[k*size] = byte(i)
				if !assert.NoError(t, copier.CopyRange(t.Context(), mem, (copiers+k)*size, mem, k*size, size)) {
					return
				}
				if !assert.Equal(t, byte(i), mem.Bytes()[(copiers+k)*size]) {
					return
				}
			}
		})
	}
	all.Go(func() {
		for range turns {
			beside.Add(1)
			runtime.Gosched()
		}
	})
	all.Wait()
}
