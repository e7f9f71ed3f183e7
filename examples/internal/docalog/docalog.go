// Package docalog makes log/slog write lines in the form of DOCA's own log:
// [HH:MM:SS:uuuuuu][pid][DOCA][INF][file:line][function] text.
package docalog

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Setup makes the default logger write what is at least as severe as the DOCA level: 10
// nothing, 20 critical, 30 errors, 40 warnings, 50 information, 60 and above everything. 0
// means 50. As with DOCA's standard backend, warnings and errors go to errs and the rest to
// out.
func Setup(out, errs io.Writer, level int) {
	slog.SetDefault(slog.New(&handler{mu: &sync.Mutex{}, out: out, errs: errs, level: level}))
}

type handler struct {
	mu     *sync.Mutex
	out    io.Writer
	errs   io.Writer
	level  int
	prefix string // of the keys, from groups
	attrs  string // from With
}

// docaLevel returns DOCA's number and tag for a slog level.
func docaLevel(l slog.Level) (int, string) {
	switch {
	case l >= slog.LevelError:
		return 30, "ERR"
	case l >= slog.LevelWarn:
		return 40, "WRN"
	case l >= slog.LevelInfo:
		return 50, "INF"
	}
	return 60, "DBG"
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool {
	limit := h.level
	if limit == 0 {
		limit = 50
	}
	n, _ := docaLevel(l)
	return n <= limit
}

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	_, tag := docaLevel(r.Level)
	var b strings.Builder
	fmt.Fprintf(&b, "[%s:%06d][%d][DOCA][%s]", r.Time.Format("15:04:05"), r.Time.Nanosecond()/1000, os.Getpid(), tag)
	if r.PC != 0 { // it is 0 for what package log writes, which comes here too
		frame, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
		fmt.Fprintf(&b, "[%s:%d][%s]", filepath.Base(frame.File), frame.Line, frame.Function[strings.LastIndex(frame.Function, ".")+1:])
	}
	b.WriteString(" " + r.Message)
	b.WriteString(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		b.WriteString(h.attr(a))
		return true
	})
	b.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.out
	if r.Level >= slog.LevelWarn {
		out = h.errs
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (h *handler) attr(a slog.Attr) string {
	return fmt.Sprintf(" %s%s=%v", h.prefix, a.Key, a.Value)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	for _, a := range attrs {
		with.attrs += h.attr(a)
	}
	return &with
}

func (h *handler) WithGroup(name string) slog.Handler {
	with := *h
	with.prefix += name + "."
	return &with
}
