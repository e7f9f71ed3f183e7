package doca

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// Context is a DOCA context. It is created idle; it can be started, stopped and started
// again, and is closed in the end. Objects such as a dma.DMA embed a Context. It may be
// used from any goroutine.
type Context struct {
	object
	contextInner
	contextTies
}

type (
	contextInner = core.Inner[core.Link]
	contextTies  = core.Ties[Device, ProgressEngine]
)

// Device returns the device that the context was created on.
func (c *Context) Device() *Device {
	dev, _ := core.TiesOf(c)
	return dev
}

// Engine returns the progress engine that completes the context's work.
func (c *Context) Engine() *ProgressEngine {
	_, eng := core.TiesOf(c)
	return eng
}

// State returns the state as of the last time that somebody drove the engine. A context
// that was told to stop is StateStopping, even while DOCA still runs it.
func (c *Context) State() State { return State(core.Of(c).State()) }

// Start starts the context and waits until it runs. If the context is stopping, Start first
// waits for that. If the context runs or is closed, Start returns a [*StateError]. If ctx
// ends first, Start returns an error that wraps ctx.Err() and the start goes on: wait for
// it with [Context.WaitRunning]. Calls doca_ctx_start.
func (c *Context) Start(ctx context.Context) error { return core.Of(c).Start(ctx) }

// WaitRunning waits for the end of a start that is under way. It returns a [*StateError] if
// the context does not run then.
func (c *Context) WaitRunning(ctx context.Context) error { return core.Of(c).WaitRunning(ctx) }

// Stop stops the context and waits until it is idle; Start starts it again. The context
// takes no new tasks from now on, and those in flight end first. If ctx ends first, Stop
// returns an error that wraps ctx.Err() and the stop goes on: call Stop again to wait for
// it. Stopping an idle context is no error. Calls doca_ctx_stop.
func (c *Context) Stop(ctx context.Context) error { return core.Of(c).Stop(ctx) }

// WaitIdle waits for the end of a stop that is under way, such as the stop after a fatal
// error. It returns at once if the context is not stopping.
func (c *Context) WaitIdle(ctx context.Context) error { return core.Of(c).WaitIdle(ctx) }
