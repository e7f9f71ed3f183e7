package core_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/abi"
)

func progress(t *testing.T, pe *doca.ProgressEngine) {
	_, err := pe.Progress()
	assert.NoError(t, err)
}

// Goroutines that never leave an engine alone do not keep others from it, however many processors there are.
func TestNobodyStarvesForTheLock(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
		var busy, late sync.WaitGroup
		var ended atomic.Bool
		for range 4 {
			busy.Go(func() {
				for !ended.Load() {
					progress(t, pe)
				}
			})
		}
		for range 3 {
			late.Go(func() {
				for range 20 {
					progress(t, pe)
				}
			})
		}
		late.Wait()
		ended.Store(true)
		busy.Wait()
		check(t, pe.Close())
	}
}

// Goroutines that copy all the time let others copy, too, and count in the steps that found something.
func TestCopiersShareTheLock(t *testing.T) {
	t.Parallel()
	const busy, late, turns, size = 3, 2, 20, 64
	r := newRig(t)
	mem := must(doca.NewMemory(2*(busy+late)*size, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	defer mem.Close()
	before := core.Found(r.PE)
	copyOne := func(k int) bool {
		return assert.NoError(t, r.DMA.CopyRange(t.Context(), mem, (2*k+1)*size, mem, 2*k*size, size))
	}
	var all, ending sync.WaitGroup
	var ended atomic.Bool
	for k := range busy {
		all.Go(func() {
			for !ended.Load() && copyOne(k) {
			}
		})
	}
	for k := range late {
		ending.Go(func() {
			for i := 0; i < turns && copyOne(busy+k); i++ {
			}
		})
	}
	ending.Wait()
	ended.Store(true)
	all.Wait()
	assert.Greater(t, core.Found(r.PE), before)
}

// A pause takes as long as it says, or longer.
func TestPause(t *testing.T) {
	t.Parallel()
	start := time.Now()
	abi.Pause(2_000_000)
	assert.GreaterOrEqual(t, time.Since(start), 2*time.Millisecond)
	abi.Pause(0)
}

// Whoever leaves the lock to others for a turn takes it when they have left, and waits in another way when they have it and do nothing.
func TestATurnEndsEarly(t *testing.T) {
	t.Parallel()
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	assert.True(t, core.WaitForTurn(pe))
	free := core.Hold(pe)
	assert.False(t, core.WaitForTurn(pe))
	free()
	assert.True(t, core.WaitForTurn(pe))
	check(t, pe.Close())
}

// Whoever waits for a lock that is taken for long gets it.
func TestLockIsPassedOn(t *testing.T) {
	t.Parallel()
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	var all sync.WaitGroup
	var got atomic.Int32
	free := core.Hold(pe)
	for range 3 {
		all.Go(func() {
			progress(t, pe)
			got.Add(1)
		})
	}
	waitForWanted(pe, 3)
	assert.Zero(t, got.Load())
	free()
	all.Wait()
	assert.Zero(t, core.Wanted(pe))
	check(t, pe.Close())
}

// Whoever drives the engine and finds its lock taken does not wait for it once the operation has ended: somebody else has found that.
func TestDriverLeavesTheLock(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mem := must(doca.NewMemory(256, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	for _, waits := range []struct {
		before time.Duration
		others int32 // one of them is the next one to take the lock
	}{{0, 0}, {5 * time.Millisecond, 0}, {0, 2}} {
		future := must(r.DMA.CopyRangeAsync(t.Context(), mem, 0, mem, 100, 10))(t)
		free := core.Hold(r.PE)
		var others sync.WaitGroup
		for range waits.others {
			others.Go(func() { progress(t, r.PE) })
		}
		waitForWanted(r.PE, waits.others)
		ended := make(chan error, 1)
		go func() {
			_, err := future.Wait(t.Context())
			ended <- err
		}()
		waitForWanted(r.PE, waits.others+1)
		time.Sleep(waits.before)
		must(core.StepOfHolder(r.PE))(t)
		select {
		case err := <-ended:
			assert.NoError(t, err)
		case <-time.After(20 * time.Second):
			t.Error("a copy has ended, and who drives the engine waits for its lock")
		}
		free()
		others.Wait()
		assert.Zero(t, core.Wanted(r.PE))
	}
	check(t, mem.Close())
}

// waitForWanted waits until so many goroutines wait for the lock of the engine.
func waitForWanted(pe *doca.ProgressEngine, n int32) {
	for core.Wanted(pe) < n {
		runtime.Gosched()
	}
}

// The lock behind handles that are nil is shared by all of them, and taken like any other.
func TestNothingHasALock(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20000 {
				_, err := (*doca.ProgressEngine)(nil).Progress()
				if !assert.ErrorIs(t, err, doca.ErrInvalidValue) {
					return
				}
				(&doca.Context{}).State()
			}
		})
	}
	all.Wait()
}
