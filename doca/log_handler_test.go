package doca_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// handler is a slog.Handler for tests.
type handler struct {
	mu      sync.Mutex
	records []slog.Record
	min     slog.Level
	handle  func(slog.Record) // may be nil
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.min }
func (h *handler) WithAttrs([]slog.Attr) slog.Handler           { return h }
func (h *handler) WithGroup(string) slog.Handler                { return h }

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	h.records = append(h.records, r)
	h.mu.Unlock()
	if h.handle != nil {
		h.handle(r)
	}
	return nil
}

func (h *handler) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.records)
}

// What DOCA logs becomes records with all that a line says.
func TestLogSDKTo(t *testing.T) {
	var out bytes.Buffer
	l := must(doca.LogSDKTo(slog.NewJSONHandler(&out, &slog.HandlerOptions{AddSource: true}), doca.LogInfo))(t)
	before := time.Now()
	logErrors(t, 1)
	check(t, l.Close())
	var rec struct {
		Time   time.Time
		Level  string
		Msg    string
		Source slog.Source
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &rec), "%s", &out)
	assert.Equal(t, 1, strings.Count(out.String(), `"source":`), "%s", &out)
	assert.Equal(t, "ERROR", rec.Level)
	assert.Contains(t, rec.Msg, loggedError)
	assert.WithinDuration(t, before, rec.Time, time.Minute)
	assert.Contains(t, rec.Source.File, ".c")
	assert.Positive(t, rec.Source.Line)
	assert.NotEmpty(t, rec.Source.Function)
}

// Several logs have levels of their own. One that is closed gets nothing more, and its place is
// taken again.
func TestSeveralLogs(t *testing.T) {
	all, few, strict := new(handler), new(handler), &handler{min: slog.LevelError + 1}
	l1 := must(doca.LogSDKTo(all, doca.LogTrace))(t)
	l2 := must(doca.LogSDKTo(few, doca.LogCritical))(t)
	l3 := must(doca.LogSDKTo(strict, doca.LogTrace))(t)
	file := must(os.CreateTemp(t.TempDir(), "log"))(t)
	check(t, doca.LogSDK(file, doca.LogError))
	const n = 300
	logErrors(t, n)
	check(t, l1.Flush(t.Context()))
	check(t, l2.Flush(t.Context()))
	check(t, l3.Flush(t.Context()))
	assert.Equal(t, n, all.count())
	assert.Zero(t, few.count(), "its level is critical")
	assert.Zero(t, strict.count(), "the handler does not want errors")
	assert.Equal(t, n, strings.Count(string(must(os.ReadFile(file.Name()))(t)), loggedError))

	check(t, l1.Close())
	check(t, l1.Close())
	check(t, doca.SetSDKLogLevel(doca.LogError)) // also wakes no log that is closed
	logErrors(t, 1)
	check(t, l2.Flush(t.Context()))
	assert.Equal(t, n, all.count(), "it is closed")
	assert.Equal(t, 1, few.count(), "its level is error now")
	check(t, l2.SetLevel(doca.LogDisable))
	again := new(handler)
	l4 := must(doca.LogSDKTo(again, doca.LogError))(t)
	logErrors(t, 1)
	check(t, l4.Close())
	assert.Equal(t, 1, again.count())
	assert.Equal(t, 1, few.count(), "it is disabled")
	assert.Equal(t, n, all.count())
	check(t, l2.Close())
	check(t, l3.Close())
	check(t, doca.SetSDKLogLevel(doca.LogDisable))

	wantErr(t, l1.Flush(t.Context()), doca.ErrClosed)
	wantErr(t, l1.SetLevel(doca.LogInfo), doca.ErrClosed)
	_, err := doca.LogSDKTo(nil, doca.LogInfo)
	wantErr(t, err, doca.ErrInvalidValue, "the handler is nil")
	_, err = doca.LogSDKTo(all, 7)
	wantErr(t, err, doca.ErrInvalidValue, "there is no log level 7")
}

// A handler that blocks, panics or makes DOCA log again delays no call of DOCA.
func TestLogHandlersThatMisbehave(t *testing.T) {
	t.Run("blocks", func(t *testing.T) {
		release := make(chan struct{})
		h := &handler{handle: func(slog.Record) { <-release }}
		l := must(doca.LogSDKTo(h, doca.LogError))(t)
		const n = 2000 // more than a pipe holds
		logErrors(t, n)
		wantErr(t, l.Flush(deadline(t, 10*time.Millisecond)), context.DeadlineExceeded)
		wantErr(t, l.Shutdown(deadline(t, 10*time.Millisecond)), context.DeadlineExceeded)
		logErrors(t, 1)
		close(release)
		check(t, l.Close())
		assert.Equal(t, n, h.count())
	})
	t.Run("panics", func(t *testing.T) {
		h := &handler{handle: func(slog.Record) { panic("on purpose") }}
		text := captureStderr(t, func() {
			l := must(doca.LogSDKTo(h, doca.LogError))(t)
			logErrors(t, 3)
			check(t, l.Close())
		})
		assert.Equal(t, 3, h.count())
		assert.Equal(t, 3, strings.Count(text, "doca: the handler of DOCA's log panicked: on purpose; the message was: import: "), text)
	})
	t.Run("logs again", func(t *testing.T) {
		h := new(handler)
		h.handle = func(slog.Record) {
			if h.count() < 5 {
				logErrors(t, 1)
			}
		}
		l := must(doca.LogSDKTo(h, doca.LogError))(t)
		logErrors(t, 1)
		for h.count() < 5 {
			check(t, l.Flush(t.Context()))
		}
		check(t, l.Close())
		assert.Equal(t, 5, h.count())
	})
}

// From many goroutines at once.
func TestLogsConcurrently(t *testing.T) {
	h := new(handler)
	l := must(doca.LogSDKTo(h, doca.LogError))(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			logErrors(t, 20)
			other := must(doca.LogSDKTo(new(handler), doca.LogDebug))(t)
			check(t, other.Flush(t.Context()))
			check(t, other.SetLevel(doca.LogError))
			check(t, other.Close())
		})
	}
	wg.Wait()
	check(t, l.Close())
	assert.Equal(t, 160, h.count())
}

func init() {
	programs["slog"] = func() {
		l, err := doca.LogSDKTo(slog.NewTextHandler(os.Stdout, nil), doca.LogError)
		if err != nil {
			panic(err)
		}
		defer l.Close()
		logErrors(new(testing.T), 500)
	}
}

// A program that closes its log at the end loses nothing.
func TestNothingIsLostAtExit(t *testing.T) {
	t.Parallel()
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), "DOCA_TEST_PROGRAM=slog")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, 500, strings.Count(string(out), "level=ERROR msg=\"import: "), "%s", out)
}
