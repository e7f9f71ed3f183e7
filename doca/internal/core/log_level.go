package core

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/generated/common"
)

var logLevels = []struct {
	level uint32
	name  string
}{
	{uint32(common.LogLevelDisable), "disable"},
	{uint32(common.LogLevelCrit), "critical"},
	{uint32(common.LogLevelError), "error"},
	{uint32(common.LogLevelWarning), "warning"},
	{uint32(common.LogLevelInfo), "info"},
	{uint32(common.LogLevelDebug), "debug"},
	{uint32(common.LogLevelTrace), "trace"},
}

// LogLevelForm says which log levels there are.
const LogLevelForm = "disable, critical, error, warning, info, debug or trace, or DOCA's number: 10, 20, 30, 40, 50, 60 or 70"

// LogLevelName returns the name of a level, and whether there is such a level.
func LogLevelName(level uint32) (string, bool) {
	for _, l := range logLevels {
		if l.level == level {
			return l.name, true
		}
	}
	return fmt.Sprintf("LogLevel(%d)", level), false
}

// ParseLogLevel returns the level with a name or number.
func ParseLogLevel(text string) (uint32, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	for _, l := range logLevels {
		if err == nil && l.level == uint32(n) || strings.EqualFold(l.name, text) {
			return l.level, true
		}
	}
	return 0, false
}
