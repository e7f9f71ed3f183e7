package doca

import (
	"context"
	"log/slog"
	"runtime"

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
	if c == nil {
		return nil
	}
	dev, _ := core.TiesOf(c)
	return dev
}

// Engine returns the progress engine that completes the context's work.
func (c *Context) Engine() *ProgressEngine {
	if c == nil {
		return nil
	}
	_, eng := core.TiesOf(c)
	return eng
}

// State returns the state as of the last time that somebody drove the engine. A context
// that was told to stop is StateStopping, even while DOCA still runs it.
func (c *Context) State() State { return State(core.Or(c, core.NoLink).State()) }

// SetProfilerRanges sets how many tasks of each type a profiler may show at a time, as ranges of NVTX:
// 1 to 255. The context must be idle: stop it, and start it afterwards. SetProfilerRanges returns
// ErrInvalidValue for another number, ErrNotSupported if the library cannot be profiled and before
// DOCA 3.2, and a [*StateError] if the context is not idle. Any goroutine may call it. Calls
// doca_ctx_profiler_set_max_nranges.
func (c *Context) SetProfilerRanges(n int) error {
	err := core.Or(c, core.NoLink).SetProfilerRanges(n)
	runtime.KeepAlive(c)
	return err
}

// Start starts the context and waits until it runs. If the context is stopping, Start first
// waits for that. If the context runs or is closed, Start returns a [*StateError]. If ctx
// ends first, Start returns an error that wraps ctx.Err() and the start goes on: wait for
// it with [Context.WaitRunning]. If ctx has ended before, Start starts nothing. Calls
// doca_ctx_start.
func (c *Context) Start(ctx context.Context) error { return core.Or(c, core.NoLink).Start(ctx) }

// WaitRunning waits for the end of a start that is under way. It returns a [*StateError] if
// the context does not run then.
func (c *Context) WaitRunning(ctx context.Context) error {
	return core.Or(c, core.NoLink).WaitRunning(ctx)
}

// Stop stops the context and waits until it is idle; Start starts it again. The context
// takes no new tasks from now on, and those in flight end first. If ctx ends first, Stop
// returns an error that wraps ctx.Err() and the stop goes on: call Stop again to wait for
// it. The stop begins also if ctx has ended before. Stopping an idle context is no error.
// Calls doca_ctx_stop.
func (c *Context) Stop(ctx context.Context) error { return core.Or(c, core.NoLink).Stop(ctx) }

// WaitIdle waits for the end of a stop that is under way, such as the stop after a fatal
// error. It returns at once if the context is not stopping.
func (c *Context) WaitIdle(ctx context.Context) error { return core.Or(c, core.NoLink).WaitIdle(ctx) }

// Close closes the context and everything that it owns, in the order that DOCA demands. It
// waits without limit for tasks in flight; use Shutdown to set a limit. Closing a closed
// object is no error. If Close returns an error, the object takes no new work and
// is not closed: call Close again. Close may be called from any goroutine.
func (c *Context) Close() error { return c.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (c *Context) Shutdown(ctx context.Context) error { return core.CloseOr(ctx, c, core.NoLink.Node) }

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (c *Context) String() string { return core.NameOr(c, core.NoLink.Node) }

// LogValue returns the name of String, for package slog.
func (c *Context) LogValue() slog.Value { return slog.StringValue(c.String()) }
