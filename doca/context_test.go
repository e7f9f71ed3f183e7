package doca_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
)

func TestContextLife(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx := t.Context()
	state := func(want doca.State) {
		t.Helper()
		if got := r.DMA.State(); got != want {
			t.Fatalf("state is %v, want %v", got, want)
		}
	}
	state(doca.StateRunning)
	if r.DMA.Device() != r.Dev || r.DMA.Engine() != r.PE {
		t.Error("Device or Engine differs")
	}
	err := r.DMA.Start(ctx)
	wantErr(t, err, doca.ErrBadState, "start", "dma#", "running", "idle")
	var se *doca.StateError
	if !errors.As(err, &se) || se.State != doca.StateRunning || len(se.Need) != 1 || se.Need[0] != doca.StateIdle || errors.Is(err, doca.ErrClosed) {
		t.Errorf("error is %#v", err)
	}
	r.Copy(t)
	check(t, r.DMA.Stop(ctx))
	state(doca.StateIdle)
	check(t, r.DMA.Stop(ctx))
	check(t, r.DMA.WaitIdle(ctx))
	_, err = r.DMA.Copy(ctx, r.Dst, r.Src)
	wantErr(t, err, doca.ErrBadState, "copy", "idle", "running")
	wantErr(t, r.DMA.WaitRunning(ctx), doca.ErrBadState)
	for range 3 {
		check(t, r.DMA.Start(ctx))
		state(doca.StateRunning)
		check(t, r.DMA.WaitRunning(ctx))
		r.Copy(t)
		check(t, r.DMA.Stop(ctx))
	}
	check(t, r.DMA.Close())
	state(doca.StateClosed)
	wantErr(t, r.DMA.Start(ctx), doca.ErrClosed)
	check(t, r.DMA.Stop(ctx))
	_, err = r.DMA.Copy(ctx, r.Dst, r.Src)
	wantErr(t, err, doca.ErrClosed)
	wantErr(t, err, doca.ErrBadState)
}

// With a context that has ended nothing begins but the end: Start leaves an idle context idle, and Stop stops one that runs.
func TestContextLifeAfterItsTime(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	check(t, r.DMA.WaitRunning(ended))
	wantErr(t, r.DMA.Start(ended), doca.ErrBadState, "running")
	check(t, r.DMA.Stop(ended))
	assert.Equal(t, doca.StateIdle, r.DMA.State())
	wantErr(t, r.DMA.Start(ended), context.Canceled, "start", "dma#", "nothing has begun")
	assert.Equal(t, doca.StateIdle, r.DMA.State())
	check(t, r.DMA.WaitIdle(ended))
	check(t, r.DMA.Start(t.Context()))
	r.Copy(t)
}

// A stop lets what is in flight end, takes nothing new, and goes on after its context
// has ended.
func TestStopWithWorkInFlight(t *testing.T) {
	r := newRig(t)
	release := hold(t)
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	wantErr(t, r.DMA.Stop(soon(t, 10*time.Millisecond)), context.DeadlineExceeded, "goes on")
	if s := r.DMA.State(); s != doca.StateStopping {
		t.Errorf("state is %v", s)
	}
	_, err := r.DMA.CopyAsync(t.Context(), r.Dst, r.Src)
	wantErr(t, err, doca.ErrBadState, "stopping")
	release()
	if n, err := f.Wait(t.Context()); n != 64 || err != nil {
		t.Errorf("the copy ended with %d, %v", n, err)
	}
	if s := r.DMA.State(); s != doca.StateIdle {
		t.Errorf("state is %v: the stop did not go on", s)
	}
	check(t, r.DMA.Start(t.Context()))
	f = must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	check(t, r.DMA.Stop(t.Context()))
	check(t, f.Err())
	check(t, r.DMA.Start(t.Context()))
}

// A start that fails leaves the context idle, a stop that fails leaves it running.
func TestStartAndStopFaults(t *testing.T) {
	r := newRig(t)
	faults(t, "fail-call=doca_ctx_stop:1")
	wantErr(t, r.DMA.Stop(t.Context()), doca.ErrDriver, "doca_ctx_stop")
	if s := r.DMA.State(); s != doca.StateRunning {
		t.Errorf("state is %v", s)
	}
	r.Copy(t)
	check(t, r.DMA.Stop(t.Context()))
	faults(t, "fail-call=doca_ctx_start:1")
	wantErr(t, r.DMA.Start(t.Context()), doca.ErrDriver, "doca_ctx_start")
	if s := r.DMA.State(); s != doca.StateIdle {
		t.Errorf("state is %v", s)
	}
	check(t, r.DMA.Start(t.Context()))
	r.Copy(t)
}

// A failed task stops the context; it is idle when the error is known, says why, and
// can be started again.
func TestFatalTaskError(t *testing.T) {
	r := newRig(t)
	for _, code := range []doca.Error{doca.ErrIOFailed, doca.ErrDriver, doca.ErrUnexpected} {
		faults(t, fmt.Sprintf("fail-task=1:%d", code))
		_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
		wantErr(t, err, code, "dma#", "Start")
		if s := r.DMA.State(); s != doca.StateIdle {
			t.Fatalf("state is %v", s)
		}
		_, err = r.DMA.Copy(t.Context(), r.Dst, r.Src)
		wantErr(t, err, doca.ErrBadState, code.Error())
		wantErr(t, err, code)
		check(t, r.DMA.Start(t.Context()))
		r.Copy(t)
	}
}

// The tasks that a failure leaves in flight take their time: nothing of theirs is freed
// before, and the error is not returned before the context is idle.
func TestFatalTaskErrorWithOthersInFlight(t *testing.T) {
	r := newRig(t)
	other := must(r.Inv.Buffer(r.Mem, 2000, 64))(t)
	fail := must(emulator.Faults{HoldTasks: true, FailTasks: []emulator.TaskFault{{N: 1}}}.Add())(t)
	bad := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	release := hold(t)
	late := must(r.DMA.CopyAsync(t.Context(), other, r.Src))(t)
	fail()
	<-bad.Done()
	if s := r.DMA.State(); s != doca.StateStopping {
		t.Errorf("state is %v", s)
	}
	wantErr(t, late.Err(), doca.ErrInProgress)
	waited := make(chan error, 1)
	go func() {
		_, err := bad.Wait(context.Background())
		waited <- err
	}()
	doctest.Stays(t, waited, "the error came before the context was idle")
	release()
	err := <-waited
	wantErr(t, err, doca.ErrIOFailed)
	if s := r.DMA.State(); s != doca.StateIdle {
		t.Errorf("state is %v", s)
	}
	_, err = late.Wait(t.Context())
	wantErr(t, err, doca.ErrIOFailed)
	check(t, other.Close())
	check(t, r.DMA.Start(t.Context()))
	r.Copy(t)
}

// All who wait for a stop learn that it failed.
func TestStopFaultWithWorkInFlight(t *testing.T) {
	r := newRig(t)
	faults(t, "fail-call=doca_ctx_stop:*") // also for one that comes too late to wait for the other
	release := hold(t)
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	var stops sync.WaitGroup
	for range 2 {
		stops.Go(func() {
			if err := r.DMA.Stop(deadline(t, 20*time.Second)); !errors.Is(err, doca.ErrDriver) {
				t.Errorf("Stop = %v", err)
			}
		})
	}
	time.Sleep(10 * time.Millisecond) // both wait
	release()
	stops.Wait()
	faults(t, "")
	must(f.Wait(t.Context()))(t)
	if s := r.DMA.State(); s != doca.StateRunning {
		t.Errorf("state is %v", s)
	}
	r.Copy(t)
}

// Start waits for a stop that is under way.
func TestStartWhileStopping(t *testing.T) {
	r := newRig(t)
	release := hold(t)
	must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	wantErr(t, r.DMA.Stop(soon(t, time.Millisecond)), context.DeadlineExceeded)
	wantErr(t, r.DMA.Start(soon(t, time.Millisecond)), context.DeadlineExceeded, "stopping")
	release()
	check(t, r.DMA.Start(t.Context()))
	r.Copy(t)
}

func TestNewContextErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, err := dma.New(nil, r.PE, dma.Config{})
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = dma.New(r.Dev, nil, dma.Config{})
	wantErr(t, err, doca.ErrInvalidValue)
	check(t, r.PE.Close())
	_, err = dma.New(r.Dev, r.PE, dma.Config{})
	wantErr(t, err, doca.ErrClosed, "engine#")
	_, err = r.PE.Progress()
	wantErr(t, err, doca.ErrClosed)
	wantErr(t, r.PE.Run(t.Context()), doca.ErrClosed)
	_, err = r.PE.NotificationHandle()
	wantErr(t, err, doca.ErrClosed)
	wantErr(t, r.PE.Arm(), doca.ErrClosed)
	wantErr(t, r.PE.ClearNotification(), doca.ErrClosed)
	_, err = bind.RawEngine(r.PE)
	wantErr(t, err, doca.ErrClosed)
}
