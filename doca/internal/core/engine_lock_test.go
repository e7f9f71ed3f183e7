package core_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
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

// Whoever waits for a lock that is taken for long, gets it; so does whoever waits while the one that has it makes steps.
func TestLockIsPassedOn(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]int{"no steps": 0, "steps": 100_000} {
		t.Run(name, func(t *testing.T) {
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
			for core.Wanted(pe) < 3 {
				runtime.Gosched()
			}
			for range steps {
				core.MakeStep(pe)
			}
			assert.Zero(t, got.Load())
			free()
			all.Wait()
			assert.Zero(t, core.Wanted(pe))
			check(t, pe.Close())
		})
	}
}
