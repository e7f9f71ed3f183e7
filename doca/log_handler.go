package doca

import (
	"context"
	"log/slog"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// SDKLog is a log of the DOCA libraries that a slog.Handler gets; see [LogSDKTo]. It may be used
// from any goroutine.
type SDKLog struct{ l *core.Log }

// LogSDKTo makes the DOCA libraries log messages up to a level to a handler of package slog, such
// as slog.Default().Handler(). A record has DOCA's time, level ([LogLevel.Level]) and text, the
// file, line and function in DOCA under [slog.SourceKey], as a [*slog.Source], and the name of
// the source, such as "DOCA_DEV", under "doca_source". What DOCA does not write is left out. Each call adds a log, so
// there can be several handlers with a level of their own.
//
// The handler gets one record after the other, on a goroutine of its own, in DOCA's order. DOCA
// never waits for it: the handler may block, and it may call these packages and make DOCA log
// again. 16384 messages wait; those that come then are dropped, and a record says how many. If
// the handler panics, the panic and the message go to the standard error output.
//
// Because of the goroutine, call [SDKLog.Close] or [SDKLog.Flush] before the program ends. Defer
// it in main, and mind that os.Exit and log.Fatal do not run what was deferred.
//
// LogSDKTo returns ErrInvalidValue if h is nil or if there is no such level. The environment
// variable DOCA_SDK_LOG_LEVEL takes the place of level; see [LogSDK]. Calls
// doca_log_backend_create_with_fd_sdk and doca_log_backend_set_sdk_level.
func LogSDKTo(h slog.Handler, level LogLevel) (*SDKLog, error) {
	if h == nil {
		return nil, fail("log", "", ErrInvalidValue, "the handler is nil: pass one such as slog.Default().Handler()")
	}
	level, err := level.effective("log")
	if err != nil {
		return nil, err
	}
	l, err := core.NewLog(uint32(level), func(line core.LogLine) { pass(h, line) })
	if err != nil {
		return nil, err
	}
	return &SDKLog{l}, nil
}

// pass passes a message to a handler.
func pass(h slog.Handler, line core.LogLine) {
	ctx, level := context.Background(), LogLevel(line.Level).Level()
	if !h.Enabled(ctx, level) {
		return
	}
	r := slog.NewRecord(line.Time, level, line.Text, 0)
	if line.File != "" || line.Function != "" {
		r.AddAttrs(slog.Any(slog.SourceKey, &slog.Source{Function: line.Function, File: line.File, Line: line.Line}))
	}
	if line.Source != "" {
		r.AddAttrs(slog.String("doca_source", line.Source))
	}
	h.Handle(ctx, r)
}

// SetLevel changes the level of this log. It returns ErrInvalidValue if there is no such level,
// and a [*StateError] if the log is closed. Calls doca_log_backend_set_sdk_level.
func (l *SDKLog) SetLevel(level LogLevel) error {
	if err := l.open("set log level"); err != nil {
		return err
	}
	if err := level.check("set log level"); err != nil {
		return err
	}
	return l.l.SetLevel(uint32(level))
}

// Flush waits until the handler has returned from all that DOCA has logged before the call. If
// ctx ends first, Flush returns an error that wraps ctx.Err(). The handler must not call Flush.
func (l *SDKLog) Flush(ctx context.Context) error {
	if err := l.open("flush"); err != nil {
		return err
	}
	if err := core.NeedContext(ctx, "flush", l); err != nil {
		return err
	}
	return l.l.Flush(ctx)
}

// Close ends the log. It first waits, without limit, until the handler has returned from all
// that DOCA has logged before; use Shutdown to set a limit. Closing a closed log is no error. The
// handler must not call Close. Calls doca_log_backend_set_sdk_level.
func (l *SDKLog) Close() error { return l.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns an
// error that wraps ctx.Err(). The handler gets nothing new then, and the rest of the old; another
// Close waits for that.
func (l *SDKLog) Shutdown(ctx context.Context) error {
	if err := l.open("close"); err != nil {
		return err
	}
	if err := core.NeedContext(ctx, "close", l); err != nil {
		return err
	}
	return l.l.Close(ctx)
}

// String returns "log" for messages.
func (l *SDKLog) String() string { return "log" }

// open returns an error for nil and for zero values.
func (l *SDKLog) open(op string) error {
	if l == nil || l.l == nil {
		return fail(op, "log", ErrInvalidValue, "it is nil or a zero value: make one with doca.LogSDKTo")
	}
	return nil
}
