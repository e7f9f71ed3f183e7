package bind

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// Completion is the end of an operation, for users to wait for. Embed or keep one in what
// you hand out. Call Init before the submission, and Complete in the context's Handle
// function.
type Completion core.Completion

// Init prepares the completion for an operation on a context. The operation before must
// have ended, and nobody may still wait for it. Init does not allocate when it is called
// again. It does nothing if link is nil or a zero value.
func (c *Completion) Init(link *Link) {
	if c != nil && link.made() {
		c.in().Init(&link.l, false)
	}
}

// InitLocal is Init for an operation that the device does alone: no other process and no other goroutine has to run so that
// it ends. Whoever waits then polls for some microseconds before it offers its core to others.
func (c *Completion) InitLocal(link *Link) {
	if c != nil && link.made() {
		c.in().Init(&link.l, true)
	}
}

// Complete ends the operation with its error, nil for success, and wakes those who wait. It
// needs the lock of the context's [Link].
func (c *Completion) Complete(err error) {
	if c != nil && c.in().Ready() {
		c.in().Complete(err)
	}
}

// Completed reports whether the operation has ended.
func (c *Completion) Completed() bool { return c != nil && c.in().Completed() }

// Wait waits until the operation has ended, drives the engine meanwhile, and returns the
// operation's error. If ctx ends first, Wait returns ctx.Err(); the operation goes on, and
// Wait may be called again. Any number of goroutines may call it.
func (c *Completion) Wait(ctx context.Context) error {
	return c.in().Wait(ctx)
}

// Err returns the operation's error: nil for success, ErrInProgress if the operation has
// not ended.
func (c *Completion) Err() error {
	return c.in().Err()
}

// Done returns a channel that is closed when the operation has ended. While the channel is
// open, a goroutine of the engine drives it. Done returns nil before Init.
func (c *Completion) Done() <-chan struct{} {
	if c == nil || !c.in().Ready() {
		return nil
	}
	return c.in().Done()
}

// in returns the inner part.
func (c *Completion) in() *core.Completion { return (*core.Completion)(c) }
