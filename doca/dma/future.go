package dma

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca/bind"
)

// Future is a copy that [DMA.CopyAsync] has started. Any goroutine may use it. A program may also
// drop it: the copy goes on.
type Future struct {
	c   *core
	end bind.Completion
	op  *copyOp // nil when the copy has ended; guarded by the engine's lock
	n   int
	why reason // of a failure
}

// futures holds futures for Copy.
var futures = sync.Pool{New: func() any { return new(Future) }}

// beginLocked ties the future to a copy that was launched. It may have ended.
func (f *Future) beginLocked(c *core, o *copyOp) {
	f.c, f.n = c, 0
	f.why.reset()
	f.end.InitLocal(c.link)
	if o.pending == 0 { // it had nothing to do
		c.putOpLocked(o)
		f.end.Complete(nil)
		return
	}
	o.future, f.op = f, o
}

// Wait waits until the copy has ended, and drives the engine while it waits. It returns the number
// of bytes copied: all of them, or 0 with an error. If ctx ends first, Wait returns ctx.Err() and
// may be called again.
func (f *Future) Wait(ctx context.Context) (int, error) {
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

// result returns the result of the copy. After a failure it first waits until the context is idle,
// so that the caller can start it again.
func (f *Future) result(ctx context.Context) (int, error) {
	err := f.end.Err()
	if err != nil {
		f.c.link.WaitIdle(ctx) // if ctx ends first, Start waits
		err = f.why.of(ctx, f.c, err)
	}
	return f.n, err
}

// Done returns a channel that is closed when the copy has ended. Until then a goroutine drives the
// engine, so the program need not call Wait.
func (f *Future) Done() <-chan struct{} {
	if f == nil || f.c == nil {
		return nil
	}
	return f.end.Done()
}

// Err returns nil if the copy has succeeded and its error if it has failed, the one that Wait returns. Before that it
// returns an error that wraps ErrInProgress. To find out whether memory that was imported is the reason of a failure, it may
// wait up to 5 seconds, once, for a process that has exported memory and is stopped. Wait does so no longer than its ctx.
func (f *Future) Err() error {
	if f == nil || f.c == nil {
		return noFuture("look")
	}
	err := f.end.Err()
	if err == nil || !f.end.Completed() {
		return err
	}
	return f.why.of(context.Background(), f.c, err)
}
