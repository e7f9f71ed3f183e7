package core

import (
	"context"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
)

// Completion is the end of an operation; see bind.Completion.
type Completion struct {
	w       waiter
	waiting atomic.Bool // a goroutine is in Wait and uses w
	eng     *Engine
	err     error
	done    chan struct{} // made by Done; guarded by the engine's mu
}

// Init prepares the completion for an operation. Nobody may still wait for the operation
// before. local says that the device does it alone. Init does not allocate when it is called again.
func (c *Completion) Init(link *Link, local bool) {
	if c.w.wake == nil {
		c.w.wake = make(chan struct{}, 1)
	}
	c.w.ready.Store(false)
	c.w.local = local
	c.eng, c.err, c.done = link.eng, nil, nil
}

// Ready reports whether Init was called.
func (c *Completion) Ready() bool { return c != nil && c.eng != nil }

func noCompletion(op string) error {
	return Fail(op, "completion", abi.ErrorInvalidValue, "it is nil or a zero value: call Init with the Link of a context")
}

// Complete ends the operation and wakes those who wait. The engine is locked.
func (c *Completion) Complete(err error) {
	c.err = err
	e, done := c.eng, c.done
	e.signal(&c.w) // c may be in use again after this
	if done != nil {
		close(done)
		e.unwatchLocked()
	}
}

// Completed reports whether the operation has ended.
func (c *Completion) Completed() bool { return c.w.ready.Load() }

// Wait waits until the operation has ended and returns its error, or ctx.Err() if ctx ends
// first. It drives the engine. Any number of goroutines may call it.
func (c *Completion) Wait(ctx context.Context) error {
	if !c.Ready() {
		return noCompletion("wait")
	}
	if err := NeedContext(ctx, "wait", nil); err != nil {
		return err
	}
	if c.w.ready.Load() {
		return c.err
	}
	if c.eng.lead.Load() == nil { // what was just submitted is often done
		c.eng.try(&c.w)
		if c.w.ready.Load() {
			return c.err
		}
	}
	if !c.waiting.CompareAndSwap(false, true) {
		if err := c.eng.lockFor(ctx); err != nil {
			return err
		}
		done := c.doneLocked()
		c.eng.mu.Unlock()
		select {
		case <-done:
			return c.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := c.eng.wait(ctx, &c.w)
	c.waiting.Store(false)
	if err != nil {
		return err
	}
	return c.err
}

// Err returns the operation's error, or one that is ErrInProgress if it has not ended.
func (c *Completion) Err() error {
	if !c.Ready() {
		return noCompletion("look")
	}
	if !c.w.ready.Load() {
		return errPending
	}
	return c.err
}

// Done returns a channel that is closed when the operation has ended. While it is open, a
// goroutine drives the engine.
func (c *Completion) Done() <-chan struct{} {
	c.eng.lock()
	defer c.eng.mu.Unlock()
	return c.doneLocked()
}

func (c *Completion) doneLocked() <-chan struct{} {
	if c.done != nil {
		return c.done
	}
	done := make(chan struct{})
	if c.w.ready.Load() {
		close(done)
		return done
	}
	c.done = done
	c.eng.watchLocked()
	return done
}
