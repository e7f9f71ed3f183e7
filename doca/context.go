package doca

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// Context is the life of a DOCA context: it is created idle, started, stopped and
// closed, and after a stop may be started again. Packages that bind a DOCA library
// build on it; their users find its methods on the objects of those packages. It may
// be used from any goroutine.
type Context struct {
	object
	contextInner
	contextTies
}

type (
	contextInner = core.Inner[core.Link]
	contextTies  = core.Ties[Device, ProgressEngine]
)

// Device returns the device the context was created on.
func (c *Context) Device() *Device {
	dev, _ := core.TiesOf(c)
	return dev
}

// Engine returns the engine that completes the context's work.
func (c *Context) Engine() *ProgressEngine {
	_, eng := core.TiesOf(c)
	return eng
}

// State returns the context's state as of the last time the engine was driven. A
// context that has been asked to stop is StateStopping even while DOCA still runs it.
func (c *Context) State() State { return State(core.Of(c).State()) }

// Start starts the context and waits until it runs. A context that is stopping is
// waited for first; one that runs is a [*StateError]. If ctx ends first the start goes
// on; it can be waited for with [Context.WaitRunning]. Stands on doca_ctx_start.
func (c *Context) Start(ctx context.Context) error { return core.Of(c).Start(ctx) }

// WaitRunning waits until a start that is under way has ended. A context that does not
// run then is a [*StateError].
func (c *Context) WaitRunning(ctx context.Context) error { return core.Of(c).WaitRunning(ctx) }

// Stop stops the context and waits until it is idle; Start starts it again. It takes
// no new tasks at once and first lets those in flight end. If ctx ends first the stop
// goes on, and Stop can be called again to wait for it. Stopping an idle context is no
// error. Stands on doca_ctx_stop.
func (c *Context) Stop(ctx context.Context) error { return core.Of(c).Stop(ctx) }

// WaitIdle waits until a stop that is under way has ended, such as that after a fatal
// error. It returns at once if the context is not stopping.
func (c *Context) WaitIdle(ctx context.Context) error { return core.Of(c).WaitIdle(ctx) }
