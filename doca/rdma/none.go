package rdma

import (
	"context"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
)

// Errors for the methods of nil and of zero values.

func noRDMA(op string) error { return none(op, "rdma", "New") }
func noConn(op string) error {
	return none(op, "connection", "RDMA.Export, RDMA.Dial or Listener.Accept")
}
func noDPARDMA(op string) error  { return none(op, "dpa rdma", "NewOnDPA") }
func noDPAConn(op string) error  { return none(op, "connection", "DPARDMA.Export") }
func noFuture(op string) error   { return none(op, "future", "Conn.WriteAsync and its like") }
func noBatch(op string) error    { return none(op, "batch", "Conn.NewBatch") }
func noListener(op string) error { return none(op, "listener", "RDMA.Listen") }
func noRequest(op string) error  { return none(op, "request", "Listener.Request") }

func none(op, kind, maker string) error {
	return &doca.OpError{Op: op, Object: kind, Err: doca.ErrInvalidValue, Advice: "it is nil or a zero value: make one with " + maker}
}

// context returns the embedded context; nil for nil.
func (r *RDMA) context() *doca.Context {
	if r == nil {
		return nil
	}
	return r.Context
}

// The methods of the embedded context, which nil would not have.

// Close is as [doca.Context.Close]. What is in flight ends with an error: wait for it before.
func (r *RDMA) Close() error { return r.context().Close() }

// Shutdown is as [doca.Context.Shutdown].
func (r *RDMA) Shutdown(ctx context.Context) error { return r.context().Shutdown(ctx) }

// String is as [doca.Context.String].
func (r *RDMA) String() string { return r.context().String() }

// LogValue is as [doca.Context.LogValue].
func (r *RDMA) LogValue() slog.Value { return r.context().LogValue() }

// Device is as [doca.Context.Device].
func (r *RDMA) Device() *doca.Device { return r.context().Device() }

// Engine is as [doca.Context.Engine].
func (r *RDMA) Engine() *doca.ProgressEngine { return r.context().Engine() }

// State is as [doca.Context.State].
func (r *RDMA) State() doca.State { return r.context().State() }

// Start starts a context that was stopped or that a failed operation has stopped; see
// [doca.Context.Start]. It has no connections then: call [RDMA.Export], [RDMA.Dial] or [RDMA.Listen]
// again.
func (r *RDMA) Start(ctx context.Context) error { return r.context().Start(ctx) }

// WaitRunning is as [doca.Context.WaitRunning].
func (r *RDMA) WaitRunning(ctx context.Context) error { return r.context().WaitRunning(ctx) }

// SetProfilerRanges is as [doca.Context.SetProfilerRanges].
func (r *RDMA) SetProfilerRanges(n int) error { return r.context().SetProfilerRanges(n) }

// Stop is as [doca.Context.Stop]. All connections end, and what is in flight ends with an error.
func (r *RDMA) Stop(ctx context.Context) error { return r.context().Stop(ctx) }

// WaitIdle is as [doca.Context.WaitIdle].
func (r *RDMA) WaitIdle(ctx context.Context) error { return r.context().WaitIdle(ctx) }
