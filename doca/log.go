package doca

import (
	"fmt"
	"os"
	"syscall"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// LogSDK makes the DOCA libraries log messages up to a level to a file, such as os.Stderr, for
// the rest of the process. It duplicates the file's descriptor, so the program may close the
// file. Each call adds a log. LogSDK returns ErrInvalidValue if file is nil, closed or not open for writing, or if
// there is no such level. Calls doca_log_backend_create_with_fd_sdk and
// doca_log_backend_set_sdk_level.
//
// The environment variable DOCA_SDK_LOG_LEVEL, if it is set, takes the place of level here and
// in [LogSDKTo]. It is a name or number as in [LogLevel.UnmarshalText]. In a program that calls
// neither before it opens its first device or creates its first engine, it makes the libraries
// log to the standard error output.
func LogSDK(file *os.File, level LogLevel) error {
	if file == nil {
		return fail("log", "", ErrInvalidValue, "the file is nil: pass os.Stderr, or a file that is open for writing")
	}
	level, err := level.effective("log")
	if err != nil {
		return err
	}
	fd := file.Fd()
	if fd == ^uintptr(0) {
		return fail("log", file.Name(), ErrInvalidValue, "the file is closed")
	}
	if mode, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0); errno == 0 && mode&syscall.O_ACCMODE == syscall.O_RDONLY {
		return fail("log", file.Name(), ErrInvalidValue, "the file is open for reading alone")
	}
	return fail("log", file.Name(), core.LogToFile(int(fd), uint32(level)), "")
}

// SetSDKLogLevel sets the level of all logs that there are, in place of their own: less or more than
// they had. A log that is made later has the level that it is made with. SetSDKLogLevel returns
// ErrInvalidValue if there is no such level. Calls doca_log_level_set_global_sdk_limit.
func SetSDKLogLevel(level LogLevel) error {
	if err := level.check("set log level"); err != nil {
		return err
	}
	return fail("set log level", "", core.SetLogLimit(uint32(level)), "")
}

// effective returns the level that the environment asks for, or else this one.
func (l LogLevel) effective(op string) (LogLevel, error) {
	level, ok, err := core.LogLevelFromEnvironment()
	if ok || err != nil {
		return LogLevel(level), err
	}
	return l, l.check(op)
}

// check returns an error if there is no such level.
func (l LogLevel) check(op string) error {
	if _, ok := core.LogLevelName(uint32(l)); ok {
		return nil
	}
	return fail(op, "", ErrInvalidValue, fmt.Sprintf("there is no log level %d: use LogError, LogInfo or another of the constants", uint32(l)))
}
