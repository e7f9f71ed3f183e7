package sha

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca/bind"
)

// Future is a sum that [SHA.SumAsync] has started. Any goroutine may use it. A program may also
// drop it: the sum goes on.
type Future struct {
	c   *core
	end bind.Completion
}

// futures holds futures for Sum.
var futures = sync.Pool{New: func() any { return new(Future) }}

// Wait waits until the sum has ended, drives the engine while it waits, and returns the sum's
// error. If ctx ends first, Wait returns ctx.Err() and may be called again.
func (f *Future) Wait(ctx context.Context) error {
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() {
		return err
	}
	return f.result(ctx)
}

// result returns the result of a sum that has ended. After a failure it first waits until the
// context is idle, so that the caller can start it again.
func (f *Future) result(ctx context.Context) error {
	err := f.end.Err()
	if err != nil {
		f.c.link.WaitIdle(ctx) // if ctx ends first, Start waits
	}
	return err
}

// Done returns a channel that is closed when the sum has ended. Until then a goroutine drives the
// engine, so the program need not call Wait.
func (f *Future) Done() <-chan struct{} { return f.end.Done() }

// Err returns nil if the sum has succeeded and its error if it has failed. Before that it returns
// an error that wraps ErrInProgress.
func (f *Future) Err() error { return f.end.Err() }
