package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/stretchr/testify/assert"
)

// Whoever waits for a task that takes long sleeps: the engine is called a few times
// when it falls asleep and wakes up, not all the time.
func TestWaitSleeps(t *testing.T) {
	r := newRig(t)
	faults(t, "delay=200ms")
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	before := core.Polls(r.PE)
	start := time.Now()
	must(f.Wait(t.Context()))(t)
	if d := time.Since(start); d < 190*time.Millisecond || d > 20*time.Second {
		t.Errorf("the wait took %v", d)
	}
	if n := core.Polls(r.PE) - before; n > 1000 {
		t.Errorf("%d calls of the engine during the wait", n)
	}
}

// So does Run when there is nothing to do, and its context ends it at once.
func TestRunSleeps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	start := time.Now()
	err := r.PE.Run(deadline(t, 200*time.Millisecond))
	wantErr(t, err, context.DeadlineExceeded)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("Run ended after %v", d)
	}
	if n := core.Polls(r.PE); n > 1000 {
		t.Errorf("%d calls of an idle engine", n)
	}
}

// A polling engine does not sleep: it makes more calls than one that sleeps would in all that time.
func TestBusyPoll(t *testing.T) {
	t.Parallel()
	pe := must(doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true}))(t)
	defer pe.Close()
	ctx, cancel := context.WithCancel(deadline(t, 20*time.Second))
	go func() {
		for core.Polls(pe) < 2000 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	wantErr(t, pe.Run(ctx), context.Canceled)
}

// An engine without notifications is polled with pauses.
func TestWaitWithoutNotification(t *testing.T) {
	for _, f := range []string{"doca_pe_get_notification_handle", "doca_pe_request_notification"} {
		r := newRig(t)
		faults(t, "delay=100ms,fail-call="+f+":1:NOT_SUPPORTED")
		before := core.Polls(r.PE)
		r.Copy(t)
		if n := core.Polls(r.PE) - before; n > 5000 {
			t.Errorf("%s fails: %d calls of the engine during the wait", f, n)
		}
		wantErr(t, r.PE.Run(deadline(t, 20*time.Millisecond)), context.DeadlineExceeded)
	}
}

// A sleep while a batch waits in C is short, and ends by the engine's timer. One that nothing limits is not ended by it.
func TestSleepTimer(t *testing.T) {
	t.Parallel()
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	defer pe.Close()
	for range 3 {
		assert.True(t, core.Pauses(pe, true, time.Minute))
		assert.False(t, core.Pauses(pe, false, 20*time.Millisecond))
	}
	core.FailTimer(pe) // as where the program has no descriptor left
	assert.False(t, core.Pauses(pe, true, 0), "Go's timer ends it")
}

// A timer that was set for a sleep that something else has ended does not end a later one.
func TestSleepTimerStale(t *testing.T) {
	t.Parallel()
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	defer pe.Close()
	for range 100 {
		core.Pauses(pe, true, time.Nanosecond)
		if core.Pauses(pe, false, 2*time.Millisecond) {
			t.Fatal("the timer has ended a sleep without a limit")
		}
	}
}
