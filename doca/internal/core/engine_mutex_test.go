package core_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// While a call of DOCA takes long, its engine is not free. Who waits for it heeds its context, and leaves nothing.
func TestWaitForABusyEngineEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mem := must(doca.NewMemory(256, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	batch := must(r.DMA.NewBatch(2))(t)
	check(t, batch.AddRange(mem, 0, mem, 100, 10))
	check(t, batch.Submit(t.Context()))
	future := must(r.DMA.CopyRangeAsync(t.Context(), mem, 20, mem, 120, 10))(t)
	_, link := newContext(t, r)
	closing, _ := newContext(t, r)
	calls := map[string]func(context.Context) error{
		"Copy":           func(ctx context.Context) error { _, err := r.DMA.Copy(ctx, r.Dst, r.Src); return err },
		"CopyAsync":      func(ctx context.Context) error { _, err := r.DMA.CopyAsync(ctx, r.Dst, r.Src); return err },
		"CopyRange":      func(ctx context.Context) error { return r.DMA.CopyRange(ctx, mem, 0, mem, 100, 10) },
		"CopyRangeAsync": func(ctx context.Context) error { _, err := r.DMA.CopyRangeAsync(ctx, mem, 0, mem, 100, 10); return err },
		"Future.Wait":    func(ctx context.Context) error { _, err := future.Wait(ctx); return err },
		"Future.Wait 2":  func(ctx context.Context) error { _, err := future.Wait(ctx); return err },
		"Batch.Wait":     batch.Wait,
		"Start":          r.DMA.Start,
		"Stop":           r.DMA.Stop,
		"WaitIdle":       r.DMA.WaitIdle,
		"WaitRunning":    r.DMA.WaitRunning,
		"Run":            r.PE.Run,
		"LockAlwaysFor":  link.LockAlwaysFor,
		"Shutdown":       closing.Shutdown,
	}
	doctest.EndWhileBusy(t, calls, core.Hold(r.PE))
	assert.Eventually(t, func() bool { return core.Wanted(r.PE) == 0 }, 20*time.Second, time.Millisecond)
	check(t, batch.Wait(t.Context()))
	_, err := future.Wait(t.Context())
	check(t, err)
	r.Copy(t)
	check(t, batch.Close())
	check(t, closing.Close())
	check(t, mem.Close())
}

// Many goroutines wait for a mutex one at a time, some not long enough. It is never taken twice, nor lost.
func TestMutexOfAnEngine(t *testing.T) {
	t.Parallel()
	m := core.NewMutex()
	var next sync.Mutex // who may wait
	var all sync.WaitGroup
	inside, turns, gaveUp := 0, 0, 0
	for k := range 6 {
		all.Go(func() {
			for i := range 3000 {
				if !m.TryLock() {
					done := make(chan struct{})
					if (i+k)%3 == 0 {
						time.AfterFunc(time.Duration(i%50)*time.Microsecond, func() { close(done) })
					}
					next.Lock()
					var ends [2]chan struct{}
					ends[i%2] = done
					got := i%5 == 0 && m.Demand(64) || m.Await(ends[0], ends[1])
					if !got {
						gaveUp++
					}
					next.Unlock()
					if !got {
						continue
					}
				}
				inside++
				turns++
				assert.Equal(t, 1, inside)
				if i%500 == 0 {
					time.Sleep(2 * time.Millisecond) // until the next one is promised it
				}
				inside--
				m.Unlock()
			}
		})
	}
	all.Wait()
	require.True(t, m.TryLock())
	assert.Positive(t, turns)
	assert.Equal(t, 6*3000, turns+gaveUp)
	m.Unlock()
	assert.Panics(t, m.Unlock)
}

// A mutex is passed on to who demands it, and nobody else gets it in between. Who has it for long keeps it.
func TestDemandAMutex(t *testing.T) {
	t.Parallel()
	m := core.NewMutex()
	require.True(t, m.Demand(1))
	require.False(t, m.Demand(1))
	got := make(chan bool)
	go func() { got <- m.Demand(math.MaxInt) }()
	for !m.Promised() {
		runtime.Gosched()
	}
	m.Unlock()
	require.False(t, m.TryLock())
	require.True(t, <-got)
	require.False(t, m.TryLock())
	m.Unlock()
	require.True(t, m.TryLock())
}
