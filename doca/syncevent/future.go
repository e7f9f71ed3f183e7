package syncevent

import (
	"context"

	"github.com/go-doca/go-doca/doca/bind"
)

// Future is a task that [TaskEvent.GetAsync] and its like have started. Any goroutine may use it. A program may also drop it: the
// task goes on.
type Future struct {
	c     *taskEvent
	end   bind.Completion
	slot  *slot // nil when the task has ended; guarded by the engine's lock
	value uint64
}

// Wait waits until the task has ended, drives the engine meanwhile, and returns what the task has read: the value for GetAsync, the
// value before for AddAsync, 0 for the others. If ctx ends first, Wait returns ctx.Err() and may be called again. If the program
// stops or closes the event, waits end with a [*doca.StateError].
func (f *Future) Wait(ctx context.Context) (uint64, error) {
	if f == nil || f.c == nil {
		return 0, noFuture("wait")
	}
	if err := bind.NeedContext(ctx, "wait", f.c.link); err != nil {
		return 0, err
	}
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() {
		return 0, err
	}
	return f.result(ctx)
}

// result returns the result of a task that has ended. After a failure it first waits until the context is idle, so that the caller
// can start it again.
func (f *Future) result(ctx context.Context) (uint64, error) {
	err := f.end.Err()
	if err != nil {
		f.c.link.WaitIdle(ctx) // if ctx ends first, Start waits
		return 0, err
	}
	return f.value, nil
}

// detach lets the task go on without the future, and reports whether it does. If not, it has ended.
func (f *Future) detach() bool {
	f.c.link.LockAlways()
	defer f.c.link.Unlock()
	if f.slot == nil {
		return false
	}
	f.slot.future, f.slot = nil, nil
	return true
}

// Done returns a channel that is closed when the task has ended. Until then a goroutine drives the engine, so the program need not
// call Wait.
func (f *Future) Done() <-chan struct{} {
	if f == nil || f.c == nil {
		return nil
	}
	return f.end.Done()
}

// Err returns nil if the task has succeeded and its error if it has failed. Before that it returns an error that wraps
// ErrInProgress.
func (f *Future) Err() error {
	if f == nil || f.c == nil {
		return noFuture("err")
	}
	return f.end.Err()
}
