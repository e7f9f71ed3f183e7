package mmapadvise

import (
	"context"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
)

// The error of the methods of nil and of zero values.

func none(op string) error {
	return &doca.OpError{Op: op, Object: "mmap advise", Err: doca.ErrInvalidValue, Advice: "it is nil or a zero value: make one with New"}
}

// context returns the embedded context; nil for nil.
func (m *MmapAdvise) context() *doca.Context {
	if m == nil {
		return nil
	}
	return m.Context
}

// The methods of the embedded context, which nil would not have.

// Close is as [doca.Context.Close].
func (m *MmapAdvise) Close() error { return m.context().Close() }

// Shutdown is as [doca.Context.Shutdown].
func (m *MmapAdvise) Shutdown(ctx context.Context) error { return m.context().Shutdown(ctx) }

// String is as [doca.Context.String].
func (m *MmapAdvise) String() string { return m.context().String() }

// LogValue is as [doca.Context.LogValue].
func (m *MmapAdvise) LogValue() slog.Value { return m.context().LogValue() }

// Device is as [doca.Context.Device].
func (m *MmapAdvise) Device() *doca.Device { return m.context().Device() }

// Engine is as [doca.Context.Engine].
func (m *MmapAdvise) Engine() *doca.ProgressEngine { return m.context().Engine() }

// State is as [doca.Context.State].
func (m *MmapAdvise) State() doca.State { return m.context().State() }

// Start is as [doca.Context.Start].
func (m *MmapAdvise) Start(ctx context.Context) error { return m.context().Start(ctx) }

// WaitRunning is as [doca.Context.WaitRunning].
func (m *MmapAdvise) WaitRunning(ctx context.Context) error { return m.context().WaitRunning(ctx) }

// SetProfilerRanges is as [doca.Context.SetProfilerRanges].
func (m *MmapAdvise) SetProfilerRanges(n int) error { return m.context().SetProfilerRanges(n) }

// Stop is as [doca.Context.Stop].
func (m *MmapAdvise) Stop(ctx context.Context) error { return m.context().Stop(ctx) }

// WaitIdle is as [doca.Context.WaitIdle].
func (m *MmapAdvise) WaitIdle(ctx context.Context) error { return m.context().WaitIdle(ctx) }
