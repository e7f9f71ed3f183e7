package dma

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca"
)

// Future is a copy that was started. It may be used from any goroutine, and dropped:
// the copy goes on regardless.
type Future struct {
	c   *core
	end doca.Completion
	op  *copyOp // nil when the copy has ended; guarded by the engine's lock
	n   int
}

// futures are those of Copy, which nobody else sees.
var futures = sync.Pool{New: func() any { return new(Future) }}

// Wait waits until the copy has ended and returns the number of bytes copied, which is
// all or none. If ctx ends first it returns ctx.Err(), and Wait may be called again.
func (f *Future) Wait(ctx context.Context) (int, error) {
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() {
		return 0, err
	}
	return f.result(ctx)
}

// result returns what came out. After a failure the context is on its way to idle;
// callers find it there.
func (f *Future) result(ctx context.Context) (int, error) {
	err := f.end.Err()
	if err != nil {
		f.c.link.WaitIdle(ctx) // if ctx ends first, Start waits for the rest
	}
	return f.n, err
}

// Done returns a channel that is closed when the copy has ended. As long as it is open
// a goroutine drives the engine, so nobody has to call Wait.
func (f *Future) Done() <-chan struct{} { return f.end.Done() }

// Err returns the error of a copy that has ended; nil is success. Before that it
// returns an error that is ErrInProgress.
func (f *Future) Err() error { return f.end.Err() }
