package dpa

import (
	"context"
	"errors"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
)

// process is what a context shares with those that extend it: there is one process on the DPA for all of them. Its lock guards DOCA's
// objects of the contexts and of all that belongs to them, for DOCA does not lock. No call waits while it is held, but one of DOCA may take
// long.
type process struct {
	mu    sync.Mutex
	base  *common.DPA   // nil: closed
	fatal *fatalError   // nil: none so far
	crash func() string // see fatalError
}

// lockFor locks mu, but waits no longer than ctx: then it returns ctx.Err(), and does not hold the lock. Where it waits, a goroutine queues
// for it with those that wait without an end.
func (p *process) lockFor(ctx context.Context) error {
	if p.mu.TryLock() {
		return nil
	}
	locked := make(chan struct{})
	go func() {
		p.mu.Lock()
		select {
		case locked <- struct{}{}:
		case <-ctx.Done():
			p.mu.Unlock()
		}
	}()
	select {
	case <-locked:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// busyAdvice goes with the error of a wait for the lock.
const busyAdvice = "another call of DOCA has not returned"

// lookLocked asks DOCA whether there has been a fatal error, and remembers it.
func (p *process) lookLocked() error {
	if p.fatal == nil && p.base != nil && errors.Is(gen.PeekAtLastError(p.base), doca.ErrBadState) {
		p.fatal = &fatalError{p.crash}
	}
	if p.fatal == nil {
		return nil
	}
	return p.fatal
}

// instance is the inner part of a DPA. It never points to it.
type instance struct {
	*process
	name    string
	raw     *common.DPA // nil: closed, or not created
	closing bool        // Close was called
	logs    *logs
	runs    runs
	calls   calls
}

// readyLocked returns an error if the context is closed or has failed.
func (c *instance) readyLocked(op, object string) error {
	switch {
	case c.raw == nil || c.closing:
		return closed(op, c.name)
	case c.fatal != nil:
		return fail(op, object, c.fatal, "")
	}
	return nil
}

// causeLocked returns the error of a call, or the fatal error that may be behind it.
func (c *instance) causeLocked(err error) error {
	if err == nil {
		return nil
	}
	if fatal := c.lookLocked(); fatal != nil && !errors.Is(err, ErrFatal) {
		return fatal
	}
	return err
}

// do calls DOCA for an object of the context, or the context itself.
func (c *instance) do(op, object string, f func(raw *common.DPA) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.readyLocked(op, object); err != nil {
		return err
	}
	return fail(op, object, c.causeLocked(f(c.raw)), "")
}

// use is do for other bindings, which make an error of their own.
func (c *instance) use(op string, f func(raw *common.DPA) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.readyLocked(op, c.name); err != nil {
		return err
	}
	err := f(c.raw)
	if cause := c.causeLocked(err); cause != err {
		return fail(op, c.name, cause, "")
	}
	return err
}

// check returns an error if the context is closed or has failed. It asks DOCA.
func (c *instance) check(ctx context.Context, op string) error {
	if err := c.lockFor(ctx); err != nil {
		return err
	}
	defer c.mu.Unlock()
	if c.raw == nil {
		return closed(op, c.name)
	}
	return fail(op, c.name, c.lookLocked(), "")
}
