package dpa_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
)

// records is a handler that keeps what it gets.
type records struct {
	mu   sync.Mutex
	all  []string
	gate chan struct{} // nil, or what each record waits for
}

func newRecords() *records { return &records{} }

func (r *records) Enabled(context.Context, slog.Level) bool { return true }
func (r *records) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *records) WithGroup(string) slog.Handler            { return r }

func (r *records) Handle(_ context.Context, rec slog.Record) error {
	if r.gate != nil {
		<-r.gate
	}
	text := rec.Level.String() + " " + rec.Message
	rec.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, text)
	return nil
}

func (r *records) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.all...)
}

// What device code logs and traces reaches handlers, in order and with its level. Close waits for the last of it.
func TestLog(t *testing.T) {
	t.Parallel()
	dev := open(t)
	for level, want := range map[doca.LogLevel][]string{
		0:               {"ERROR error 5", "WARN warning 5", "INFO information 5"},
		doca.LogDisable: nil,
		doca.LogError:   {"ERROR error 5"},
		doca.LogWarning: {"ERROR error 5", "WARN warning 5"},
		doca.LogDebug:   {"ERROR error 5", "WARN warning 5", "INFO information 5", "DEBUG detail 5"},
	} {
		log, trace := newRecords(), newRecords()
		d := must(dpa.New(dev, dpa.Config{App: dpatest.App(), LogLevel: level, Log: log, Trace: trace}))(t)
		launched(t, must(dpatest.LaunchSay(d, dpa.LaunchOptions{}, 5))(t), nil)
		require.NoError(t, d.Close())
		assert.Equal(t, want, log.list(), "%v", level)
		assert.Equal(t, []string{"DEBUG trace line=5 2 3 4 5"}, trace.list())
	}
}

func TestLogFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := must(dpa.New(open(t), dpa.Config{App: dpatest.App(), LogFile: filepath.Join(dir, "log"), TraceFile: filepath.Join(dir, "trace")}))(t)
	launched(t, must(dpatest.LaunchSay(d, dpa.LaunchOptions{}, 7))(t), nil)
	require.NoError(t, d.Close())
	assert.Equal(t, 3, strings.Count(string(must(os.ReadFile(filepath.Join(dir, "log")))(t)), "\n"))
	assert.Contains(t, string(must(os.ReadFile(filepath.Join(dir, "trace")))(t)), "7 2 3 4 5")
}

// A handler that blocks keeps neither kernels nor a Shutdown.
func TestSlowHandler(t *testing.T) {
	t.Parallel()
	log := &records{gate: make(chan struct{})}
	d := must(dpa.New(open(t), dpa.Config{App: dpatest.App(), Log: log}))(t)
	for i := range 2000 { // more than a pipe has room for
		launched(t, must(dpatest.LaunchSay(d, dpa.LaunchOptions{}, uint32(i)))(t), nil)
	}
	doctest.WantErr(t, d.Shutdown(soon(t)), context.DeadlineExceeded, "handlers")
	close(log.gate)
	require.NoError(t, d.Close())
	assert.Len(t, log.list(), 6000)
}

// Lines for which a handler is too slow are dropped, and a record says how many.
func TestHandlerThatIsTooSlow(t *testing.T) {
	t.Parallel()
	log := &records{gate: make(chan struct{})}
	d := must(dpa.New(open(t), dpa.Config{App: dpatest.App(), Log: log}))(t)
	const kernels, threads = 60, 128
	for range kernels {
		launched(t, must(dpatest.LaunchSay(d, dpa.LaunchOptions{Threads: threads}, 1))(t), nil)
	}
	close(log.gate)
	require.NoError(t, d.Close())
	all, dropped := 0, 0
	for _, text := range log.list() {
		var n int
		if _, err := fmt.Sscanf(text, "INFO %d messages of DOCA were dropped", &n); err == nil {
			dropped += n
			continue
		}
		all++
	}
	assert.Positive(t, dropped)
	assert.Equal(t, 3*kernels*threads, all+dropped)
}

// The data about a crash is where the error says, also with a handler.
func TestCrashData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for name, cfg := range map[string]dpa.Config{"file": config(t), "handler": {Log: newRecords()}, "neither": {}} {
		cfg.App = dpatest.App()
		d := must(dpa.New(open(t), cfg))(t)
		err := must(dpatest.LaunchCrash(d, dpa.LaunchOptions{}))(t).Wait(soonish(t))
		require.ErrorIs(t, err, dpa.ErrFatal, name)
		var path string
		require.Eventually(t, func() bool { // DOCA writes the file after it has said that there is an error
			_, after, found := strings.Cut(d.Err().Error(), "the data about the crash is in ")
			path = after
			return found
		}, 20*time.Second, time.Millisecond, name)
		require.NoError(t, d.Close())
		text := must(os.ReadFile(path))(t)
		assert.Contains(t, string(text), "crash", name)
		assert.Less(t, time.Since(must(os.Stat(path))(t).ModTime()), time.Minute)
	}
}
