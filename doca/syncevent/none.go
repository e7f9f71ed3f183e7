package syncevent

import (
	"context"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
)

// Errors for the methods of nil and of zero values.

func noEvent(op string) error     { return none(op, "sync event", "New or Import") }
func noTaskEvent(op string) error { return none(op, "sync event", "NewTaskEvent or ImportTaskEvent") }
func noRemote(op string) error    { return none(op, "remote sync event", "ImportNet") }
func noFuture(op string) error    { return none(op, "future", "TaskEvent.GetAsync and its like") }

func none(op, kind, maker string) error {
	return &doca.OpError{Op: op, Object: kind, Err: doca.ErrInvalidValue, Advice: "it is nil or a zero value: make one with " + maker}
}

// context returns the embedded context; nil for nil.
func (e *TaskEvent) context() *doca.Context {
	if e == nil {
		return nil
	}
	return e.Context
}

// The methods of the embedded context, which nil would not have.

// Close is as [doca.Context.Close].
func (e *TaskEvent) Close() error { return e.context().Close() }

// Shutdown is as [doca.Context.Shutdown].
func (e *TaskEvent) Shutdown(ctx context.Context) error { return e.context().Shutdown(ctx) }

// String is as [doca.Context.String].
func (e *TaskEvent) String() string { return e.context().String() }

// LogValue is as [doca.Context.LogValue].
func (e *TaskEvent) LogValue() slog.Value { return e.context().LogValue() }

// Device is as [doca.Context.Device].
func (e *TaskEvent) Device() *doca.Device { return e.context().Device() }

// Engine is as [doca.Context.Engine].
func (e *TaskEvent) Engine() *doca.ProgressEngine { return e.context().Engine() }

// State is as [doca.Context.State].
func (e *TaskEvent) State() doca.State { return e.context().State() }

// Start is as [doca.Context.Start].
func (e *TaskEvent) Start(ctx context.Context) error { return e.context().Start(ctx) }

// WaitRunning is as [doca.Context.WaitRunning].
func (e *TaskEvent) WaitRunning(ctx context.Context) error { return e.context().WaitRunning(ctx) }

// SetProfilerRanges is as [doca.Context.SetProfilerRanges].
func (e *TaskEvent) SetProfilerRanges(n int) error { return e.context().SetProfilerRanges(n) }

// Stop is as [doca.Context.Stop].
func (e *TaskEvent) Stop(ctx context.Context) error { return e.context().Stop(ctx) }

// WaitIdle is as [doca.Context.WaitIdle].
func (e *TaskEvent) WaitIdle(ctx context.Context) error { return e.context().WaitIdle(ctx) }
