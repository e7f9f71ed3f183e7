package bind

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// Completion is the end of an operation that a context's records tell of. It is for
// packages that bind DOCA libraries: they embed one in what they hand out, Init it
// before they submit and Complete it in their Handle function. Its zero value needs
// Init.
type Completion struct{ c core.Completion }

// Init makes the completion ready for a new operation on a context. The operation
// before it must have ended, and nobody may wait for that any more. It does not
// allocate when used again.
func (c *Completion) Init(link *Link) { c.c.Init(&link.l) }

// Complete ends the operation. The engine's lock is held.
func (c *Completion) Complete(err error) { c.c.Complete(err) }

// Completed tells whether the operation has ended.
func (c *Completion) Completed() bool { return c.c.Completed() }

// Wait waits until the operation has ended and returns its error, or ctx.Err() if ctx
// ends first; the operation goes on then, and Wait may be called again. It drives the
// engine. Any number of goroutines may call it.
func (c *Completion) Wait(ctx context.Context) error { return c.c.Wait(ctx) }

// Err returns the operation's error: nil if it succeeded, and an error that is
// ErrInProgress if it has not ended.
func (c *Completion) Err() error { return c.c.Err() }

// Done returns a channel that is closed when the operation has ended. As long as one
// is open, a goroutine of the engine drives it.
func (c *Completion) Done() <-chan struct{} { return c.c.Done() }
