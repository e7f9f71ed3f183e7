package dma

import (
	"context"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
)

// Errors for the methods of nil and of zero values.

func noDMA(op string) error    { return none(op, "dma", "New") }
func noBatch(op string) error  { return none(op, "batch", "DMA.NewBatch") }
func noStream(op string) error { return none(op, "stream", "DMA.NewStream") }
func noFuture(op string) error { return none(op, "future", "DMA.CopyAsync") }

func none(op, kind, maker string) error {
	return &doca.OpError{Op: op, Object: kind, Err: doca.ErrInvalidValue, Advice: "it is nil or a zero value: make one with " + maker}
}

// context returns the embedded context; nil for nil.
func (d *DMA) context() *doca.Context {
	if d == nil {
		return nil
	}
	return d.Context
}

// The methods of the embedded context, which nil would not have.

// String is as [doca.Context.String].
func (d *DMA) String() string { return d.context().String() }

// LogValue is as [doca.Context.LogValue].
func (d *DMA) LogValue() slog.Value { return d.context().LogValue() }

// Device is as [doca.Context.Device].
func (d *DMA) Device() *doca.Device { return d.context().Device() }

// Engine is as [doca.Context.Engine].
func (d *DMA) Engine() *doca.ProgressEngine { return d.context().Engine() }

// State is as [doca.Context.State].
func (d *DMA) State() doca.State { return d.context().State() }

// Start is as [doca.Context.Start].
func (d *DMA) Start(ctx context.Context) error { return d.context().Start(ctx) }

// WaitRunning is as [doca.Context.WaitRunning].
func (d *DMA) WaitRunning(ctx context.Context) error { return d.context().WaitRunning(ctx) }

// SetProfilerRanges is as [doca.Context.SetProfilerRanges].
func (d *DMA) SetProfilerRanges(n int) error { return d.context().SetProfilerRanges(n) }

// Stop is as [doca.Context.Stop].
func (d *DMA) Stop(ctx context.Context) error { return d.context().Stop(ctx) }

// WaitIdle is as [doca.Context.WaitIdle].
func (d *DMA) WaitIdle(ctx context.Context) error { return d.context().WaitIdle(ctx) }
