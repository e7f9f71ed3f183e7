package dpa

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// logs are where the messages of device code go. DOCA writes to paths: for a handler, that of a named pipe in a directory of its own.
type logs struct {
	path, tracePath string // empty: DOCA's default
	dir             string // empty: no handler
	log, trace      *bind.LogFile
}

func (cfg Config) check() error {
	const op = "create dpa"
	switch {
	case cfg.App == nil:
		return wrong(op, "", "Config.App is nil: pass the App() of the package that gen dpa has written; if it has returned nil, its kernels are for the emulator: build with -tags dpacc")
	case cfg.Log != nil && cfg.LogFile != "", cfg.Trace != nil && cfg.TraceFile != "":
		return wrong(op, "", "give a handler or a file, not both")
	}
	switch cfg.LogLevel {
	case 0, doca.LogDisable, doca.LogError, doca.LogWarning, doca.LogInfo, doca.LogDebug:
		return nil
	}
	return wrong(op, "", "Config.LogLevel is %v: a DPA has LogDisable, LogError, LogWarning, LogInfo and LogDebug", cfg.LogLevel)
}

func newLogs(cfg Config) (l *logs, err error) {
	l = &logs{path: cfg.LogFile, tracePath: cfg.TraceFile}
	if cfg.Log == nil && cfg.Trace == nil {
		return l, nil
	}
	if l.dir, err = os.MkdirTemp("", "doca-dpa-"); err != nil {
		return nil, fail("create dpa", "", err, "")
	}
	if cfg.Log != nil {
		l.path = filepath.Join(l.dir, "log")
		l.log, err = bind.NewLogFile(l.path, func(at time.Time, line string) { pass(cfg.Log, at, line) })
	}
	if cfg.Trace != nil && err == nil {
		l.tracePath = filepath.Join(l.dir, "trace")
		l.trace, err = bind.NewLogFile(l.tracePath, func(at time.Time, line string) { passTrace(cfg.Trace, at, line) })
	}
	if err != nil {
		_ = l.close(context.Background()) // the first error says more
		return nil, err
	}
	return l, nil
}

// crashData returns the path of the file about a crash that DOCA has written; "" if there is none.
func (l *logs) crashData() string {
	base := l.path
	if base == "" {
		base = filepath.Join(os.TempDir(), "doca_dpa_fatal")
	}
	path := fmt.Sprintf("%s.%d.crash", base, os.Getpid())
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// close waits until the handlers have all messages. DOCA writes nothing any more. It may be called again after an error.
func (l *logs) close(ctx context.Context) error {
	for _, file := range []**bind.LogFile{&l.log, &l.trace} {
		if *file == nil {
			continue
		}
		if err := (*file).Close(ctx); err != nil {
			return err
		}
		*file = nil
	}
	if l.dir == "" {
		return nil
	}
	dir := l.dir
	l.dir = ""
	_ = os.Remove(dir) // it stays if there is crash data in it
	return nil
}

// lineHead is what a line of the log may begin with: words in brackets, of which one is the level.
var lineHead = regexp.MustCompile(`^(?:\[[^\[\]]*\])*\[(ERR|ERROR|WRN|WARN|WARNING|INF|INFO|DBG|DEBUG)\](?:\[[^\[\]]*\])* ?`)

var lineLevels = map[string]slog.Level{"ERR": slog.LevelError, "WRN": slog.LevelWarn, "WAR": slog.LevelWarn, "INF": slog.LevelInfo, "DBG": slog.LevelDebug, "DEB": slog.LevelDebug}

// pass passes a line of the log to a handler.
func pass(h slog.Handler, at time.Time, line string) {
	level := slog.LevelInfo
	if m := lineHead.FindStringSubmatch(line); m != nil {
		level, line = lineLevels[m[1][:3]], line[len(m[0]):]
	}
	record(h, slog.NewRecord(at, level, line, 0))
}

// passTrace passes a line of the trace to a handler.
func passTrace(h slog.Handler, at time.Time, line string) {
	r := slog.NewRecord(at, slog.LevelDebug, "trace", 0)
	r.AddAttrs(slog.String("line", line))
	record(h, r)
}

func record(h slog.Handler, r slog.Record) {
	if ctx := context.Background(); h.Enabled(ctx, r.Level) {
		_ = h.Handle(ctx, r)
	}
}
