package rdma

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca/bind"
)

// Future is an operation that a call such as [Conn.WriteAsync] has started. Any goroutine may use
// it. A program may also drop it: the operation goes on.
type Future struct {
	c        *core
	end      bind.Completion
	accepted bind.Completion // all items are submitted, or it has failed; if async
	async    bool
	op       *op    // nil when it has ended; guarded by the engine's lock
	value    uint64 // the result, once it has ended
}

// futures holds futures for blocking operations.
var futures = sync.Pool{New: func() any { return new(Future) }}

// beginLocked ties the future to an operation that was launched.
func (f *Future) beginLocked(o *op) {
	f.c, f.op, o.future = o.c, o, f
	if o.info().local {
		f.end.InitLocal(o.c.link)
	} else {
		f.end.Init(o.c.link)
	}
	if f.async {
		f.accepted.Init(o.c.link)
		if !o.batch[0].Waits() {
			f.accepted.Complete(nil)
		}
	}
}

// acceptLocked records that all items are submitted.
func (f *Future) acceptLocked() {
	if f.async && !f.accepted.Completed() {
		f.accepted.Complete(nil)
	}
}

// finishLocked records the end.
func (f *Future) finishLocked(o *op) {
	f.op, f.value = nil, o.value
	f.acceptLocked()
	f.end.Complete(o.err)
}

// Wait waits until the operation has ended, drives the engine meanwhile, and returns its error. If
// ctx ends first, Wait returns ctx.Err() and may be called again.
func (f *Future) Wait(ctx context.Context) error {
	if f == nil || f.c == nil {
		return noFuture("wait")
	}
	if err := bind.NeedContext(ctx, "wait", f.c.link); err != nil {
		return err
	}
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() {
		return err
	}
	return f.outcome(ctx)
}

// outcome returns the operation's error. After a failure it first waits until the context is idle, so
// that the caller can start it again.
func (f *Future) outcome(ctx context.Context) error {
	err := f.end.Err()
	if err != nil {
		f.c.link.WaitIdle(ctx) // if ctx ends first, Start waits
	}
	return err
}

// Done returns a channel that is closed when the operation has ended. Until then a goroutine drives
// the engine, so the program need not call Wait.
func (f *Future) Done() <-chan struct{} {
	if f == nil || f.c == nil {
		return nil
	}
	return f.end.Done()
}

// Err returns nil if the operation has succeeded and its error if it has failed. Before that it
// returns an error that wraps ErrInProgress.
func (f *Future) Err() error {
	if f == nil || f.c == nil {
		return noFuture("look")
	}
	return f.end.Err()
}

// Value returns the result of an operation that has one and has succeeded: what the peer's word was
// before an atomic operation, what the peer's sync event was before an addition, or its value. Value returns 0
// for other operations and before the end.
func (f *Future) Value() uint64 {
	if f == nil || f.c == nil || f.end.Err() != nil {
		return 0
	}
	return f.value
}

// run does a single operation and waits for it.
func (c *conn) run(ctx context.Context, k kind, a *access) error {
	_, err := c.runForValue(ctx, k, a)
	return err
}

// runForValue is run for an operation that has a result.
func (c *conn) runForValue(ctx context.Context, k kind, a *access) (uint64, error) {
	o, err := c.beginLocked(ctx, k, a, true)
	if err != nil {
		return 0, err
	}
	o.stepLocked()
	if !o.running { // it has ended in the step
		value, err := o.value, o.err
		c.r.giveOpLocked(o)
		c.r.link.Unlock()
		if err != nil {
			c.r.link.WaitIdle(ctx) // if ctx ends first, Start waits
		}
		return value, err
	}
	o.here = false
	f := futures.Get().(*Future)
	f.beginLocked(o)
	c.r.link.Unlock()
	value := uint64(0)
	if err = f.Wait(ctx); err == nil {
		value = f.value
	}
	if f.end.Completed() { // else the operation goes on, and keeps it
		futures.Put(f)
	}
	return value, err
}

// start starts a single operation, and waits until it has a task.
func (c *conn) start(ctx context.Context, k kind, a *access) (*Future, error) {
	f := &Future{async: true}
	o, err := c.beginLocked(ctx, k, a, false)
	if err != nil {
		return nil, err
	}
	f.beginLocked(o)
	c.r.link.Unlock()
	if err := f.accepted.Wait(ctx); err != nil && !f.accepted.Completed() {
		c.r.link.LockAlways()
		defer c.r.link.Unlock()
		if o := f.op; o != nil && o.batch[0].Waits() {
			o.withdrawLocked(err)
			return nil, err
		}
	}
	return f, nil
}
