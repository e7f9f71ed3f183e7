package doca

import (
	"os"

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

// LogSDK makes the DOCA libraries log messages up to a level to a file, such as os.Stderr.
// The file must stay open for the rest of the process, because DOCA cannot remove a log.
// Each call adds a log. Calls doca_log_backend_create_with_fd_sdk and
// doca_log_backend_set_sdk_level.
func LogSDK(file *os.File, level LogLevel) error {
	backend, err := common.LogBackendCreateWithFDSDK(int32(file.Fd()))
	if err == nil {
		err = common.LogBackendSetSDKLevel(backend, uint32(level))
	}
	return fail("log", file.Name(), err, "")
}

// SetSDKLogLevel limits what the DOCA libraries write to any of their logs to messages up
// to a level. Calls doca_log_level_set_global_sdk_limit.
func SetSDKLogLevel(level LogLevel) error {
	return fail("set log level", "", common.LogLevelSetGlobalSDKLimit(uint32(level)), "")
}
