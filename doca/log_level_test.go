package doca_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

var logLevels = []struct {
	level  doca.LogLevel
	name   string
	number int
	slog   slog.Level
}{
	{doca.LogDisable, "disable", 10, 16},
	{doca.LogCritical, "critical", 20, 12},
	{doca.LogError, "error", 30, slog.LevelError},
	{doca.LogWarning, "warning", 40, slog.LevelWarn},
	{doca.LogInfo, "info", 50, slog.LevelInfo},
	{doca.LogDebug, "debug", 60, slog.LevelDebug},
	{doca.LogTrace, "trace", 70, -8},
}

func TestLogLevel(t *testing.T) {
	t.Parallel()
	for _, l := range logLevels {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, l.name, l.level.String())
			assert.Equal(t, l.slog, l.level.Level())
			assert.Equal(t, l.level, doca.LogLevelOf(l.slog))
			assert.Equal(t, l.level, doca.LogLevelOf(l.slog+1), "the next more severe level of slog")
			text := must(json.Marshal(l.level))(t)
			assert.Equal(t, `"`+l.name+`"`, string(text))
			for _, s := range []string{l.name, strings.ToUpper(l.name), fmt.Sprint(l.number)} {
				var got doca.LogLevel
				require.NoError(t, got.UnmarshalText([]byte(s)))
				assert.Equal(t, l.level, got)
			}
		})
	}
	t.Run("Level below and above", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, doca.LogDisable, doca.LogLevelOf(100))
		assert.Equal(t, doca.LogTrace, doca.LogLevelOf(-100))
		assert.Equal(t, slog.Level(-8), doca.LogLevel(1000).Level())
	})
	t.Run("no level", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, "LogLevel(7)", doca.LogLevel(7).String())
		_, err := doca.LogLevel(7).MarshalText()
		wantErr(t, err, doca.ErrInvalidValue, "there is no log level 7")
		for _, s := range []string{"", "7", "-30", "warn ", "30.0", "fatal"} {
			var got doca.LogLevel
			wantErr(t, got.UnmarshalText([]byte(s)), doca.ErrInvalidValue, "want disable, critical, error, warning, info, debug or trace, or DOCA's number")
			assert.Zero(t, got)
		}
		wantErr(t, (*doca.LogLevel)(nil).UnmarshalText([]byte("info")), doca.ErrInvalidValue, "nil")
	})
}
