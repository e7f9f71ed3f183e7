package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
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
	if d := time.Since(start); d < 190*time.Millisecond || d > 10*time.Second {
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
	if d := time.Since(start); d > 10*time.Second {
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
