package doca

import (
	"fmt"
	"log/slog"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// LogLevel is enum doca_log_level. A higher level shows more.
type LogLevel uint32

// The log levels.
const (
	LogDisable  = LogLevel(common.LogLevelDisable)
	LogCritical = LogLevel(common.LogLevelCrit)
	LogError    = LogLevel(common.LogLevelError)
	LogWarning  = LogLevel(common.LogLevelWarning)
	LogInfo     = LogLevel(common.LogLevelInfo)
	LogDebug    = LogLevel(common.LogLevelDebug)
	LogTrace    = LogLevel(common.LogLevelTrace)
)

// The levels of package slog for those of DOCA that slog does not name. Those between are
// slog.LevelError, LevelWarn, LevelInfo and LevelDebug.
const (
	slogDisable  = slog.LevelError + 8
	slogCritical = slog.LevelError + 4
	slogTrace    = slog.LevelDebug - 4
)

// String returns the level's name in lower case, such as "warning".
func (l LogLevel) String() string {
	name, _ := core.LogLevelName(uint32(l))
	return name
}

// Level returns the level of package slog: slog.LevelError for LogError and so on. LogCritical
// is four more than slog.LevelError, LogTrace four less than slog.LevelDebug, and LogDisable
// more than all. So a LogLevel is a [slog.Leveler], such as for [slog.HandlerOptions].
func (l LogLevel) Level() slog.Level {
	switch {
	case l <= LogDisable:
		return slogDisable
	case l <= LogCritical:
		return slogCritical
	case l <= LogError:
		return slog.LevelError
	case l <= LogWarning:
		return slog.LevelWarn
	case l <= LogInfo:
		return slog.LevelInfo
	case l <= LogDebug:
		return slog.LevelDebug
	}
	return slogTrace
}

// LogLevelOf returns the level for one of package slog: the inverse of [LogLevel.Level]. A
// level between two counts as the less severe of them.
func LogLevelOf(level slog.Level) LogLevel {
	switch {
	case level >= slogDisable:
		return LogDisable
	case level >= slogCritical:
		return LogCritical
	case level >= slog.LevelError:
		return LogError
	case level >= slog.LevelWarn:
		return LogWarning
	case level >= slog.LevelInfo:
		return LogInfo
	case level >= slog.LevelDebug:
		return LogDebug
	}
	return LogTrace
}

// MarshalText returns the level's name. It returns ErrInvalidValue if there is no such level.
func (l LogLevel) MarshalText() ([]byte, error) {
	if err := l.check("marshal"); err != nil {
		return nil, err
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads a level's name, in capital or small letters, or DOCA's number for it, as
// in DOCA's command lines: disable (10), critical (20), error (30), warning (40), info (50),
// debug (60) or trace (70). It returns ErrInvalidValue for another text.
func (l *LogLevel) UnmarshalText(text []byte) error {
	level, ok := core.ParseLogLevel(string(text))
	if !ok {
		return fail("read log level", fmt.Sprintf("%q", text), ErrInvalidValue, "want "+core.LogLevelForm)
	}
	if l == nil {
		return fail("read log level", "", ErrInvalidValue, "the LogLevel is nil")
	}
	*l = LogLevel(level)
	return nil
}
