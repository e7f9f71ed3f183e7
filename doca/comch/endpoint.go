package comch

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// endpoint is what a consumer and a producer have in common: one end of a fast path. The lock of
// its own engine guards what changes.
type endpoint struct {
	path        path
	link        *bind.Link
	kind        string // "consumer" or "producer"
	att         attachment
	otherEngine bool // its engine is not the connection's, so something has to drive that, too
	stopAsked   bool // somebody has asked the context to stop
	suspect     bool // it has stopped by itself, probably because the connection has ended
}

// config returns what the configurations of both contexts have in common, for an endpoint of a
// connection.
func (e *endpoint) config(c *Conn, engine *doca.ProgressEngine) bind.ContextConfig {
	e.otherEngine = engine != c.eng
	return e.configOn(c.c, c.dev, c.owner(), engine)
}

// configOn is config for any path. The owner closes the context before itself.
func (e *endpoint) configOn(path path, dev *doca.Device, owner bind.Owner, engine *doca.ProgressEngine) bind.ContextConfig {
	e.path = path
	return bind.ContextConfig{Kind: e.kind, Device: dev, Engine: engine, OwnEngine: engine == nil, Parent: owner, StopLimit: closeLimit,
		Failed: func(error) { e.stopAsked = true }, // the link has the cause
	}
}

// begin ties the endpoint to its context, which is about to be created.
func (e *endpoint) begin(link *bind.Link, wake func()) {
	e.link = link
	e.att.lost = func(err error) { e.lose(err, wake) }
}

// createError returns the error of a context that could not be created, or in its place that of the connection if
// this is the reason.
func (e *endpoint) createError(err error) error {
	if peer := new(PeerError); errors.As(err, &peer) {
		return peer
	}
	if state := new(doca.StateError); errors.As(err, &state) && state.Op == "create "+e.kind {
		return state
	}
	return err
}

// starting calls f, which starts the context. If the start fails because the connection has
// ended, it returns that as the error. If ctx can never end, startLimit limits the start: DOCA 2.9
// is known to lose the event that ends the start of a consumer.
func (e *endpoint) starting(ctx context.Context, f func(context.Context) error) error {
	limited := ctx
	if ctx.Done() == nil {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, startLimit)
		defer cancel()
	}
	err := f(limited)
	if err == nil {
		return nil
	}
	if limited.Err() != nil && ctx.Err() == nil {
		err = e.fail("start", doca.ErrTimeOut, fmt.Sprintf("DOCA has not started it within %v", startLimit))
	}
	return e.path.refused(ctx, "start "+e.kind, err)
}

// lose tells the endpoint that the connection has ended, and calls wake for those who wait.
func (e *endpoint) lose(err error, wake func()) {
	e.link.LockAlways()
	defer e.link.Unlock()
	if cause := e.path.cause(); cause != nil {
		err = cause
	}
	e.link.Step() // what arrived before
	e.link.Faulted(err)
	wake()
}

// changedLocked records why a context stops that nobody has asked to stop.
func (e *endpoint) changedLocked(state doca.State) {
	switch {
	case state == doca.StateRunning:
		e.stopAsked, e.suspect = false, false
	case (state == doca.StateStopping || state == doca.StateIdle) && !e.stopAsked:
		e.suspect = true
	}
}

// usableLocked returns an error if nothing can be submitted. It may be a suspicion: see resolve.
func (e *endpoint) usableLocked(op string) error {
	end := e.path.end(op, e)
	if end == nil && e.link.Running() {
		return nil
	}
	err := e.link.Check(bind.OpSubmit, op)
	switch {
	case errors.Is(err, doca.ErrClosed):
		return e.withCause(err)
	case end != nil:
		return end
	case e.suspect:
		return &suspicion{error: err}
	}
	return err
}

// usable is usableLocked for a caller without the lock, who gets the true cause.
func (e *endpoint) usable(ctx context.Context, op string) error {
	if err := e.link.LockAlwaysFor(ctx); err != nil {
		return err
	}
	err := e.usableLocked(op)
	e.link.Unlock()
	return e.resolve(ctx, op, err)
}

// withCause adds the end of the path to the error of an endpoint that was closed after it, unless it has
// a cause.
func (e *endpoint) withCause(err error) error {
	closed := new(doca.StateError)
	if !errors.As(err, &closed) || closed.Cause != nil {
		return err
	}
	with := *closed
	with.Cause = e.path.cause()
	return &with
}

// suspectLocked returns the error of an operation that DOCA has refused or that has failed. It is a
// suspicion if the end of the path may be behind it.
func (e *endpoint) suspectLocked(op string, cause error, advice string) error {
	if err := e.usableLocked(op); err != nil {
		return err
	}
	if err := e.fail(op, cause, advice); e.path.suspects(cause) {
		return &suspicion{error: err}
	} else {
		return err
	}
}

// resolve returns the true cause of an error if it is a suspicion, and any other error as it is. It
// may take up to endLimit. The caller must not hold a lock.
func (e *endpoint) resolve(ctx context.Context, op string, err error) error {
	if s := new(suspicion); errors.As(err, &s) {
		return e.path.verdict(ctx, op, e.link.String(), s)
	}
	return err
}

// fail returns the error of an operation that failed.
func (e *endpoint) fail(op string, cause error, advice string) error {
	return &doca.OpError{Op: op, Object: e.link.String(), Err: cause, Advice: advice}
}

// numTasks fills in the default of a number of tasks and checks it against the device's maximum.
func numTasks(field string, n, usual int, most uint32) (int, error) {
	if n == 0 {
		n = min(usual, int(most))
	}
	if n < 1 || uint64(n) > uint64(most) {
		return 0, fmt.Errorf("%w: %s is %d, the device supports 1 to %d", doca.ErrInvalidValue, field, n, most)
	}
	return n, nil
}
