package core

import (
	"errors"
	"syscall"

	"github.com/go-doca/go-doca/generated/abi"
)

const (
	processFilesAdvice = "the process has as many files open as it may: close some, or raise the limit (ulimit -n)"
	systemFilesAdvice  = "the system has as many files open as it can: close some, or raise fs.file-max"
)

// Advice returns what can be done about an error, if that does not depend on the operation. An error may have advice of its own.
func Advice(err error) string {
	var own interface{ Advice() string }
	if errors.As(err, &own) {
		return own.Advice()
	}
	switch {
	case errors.Is(err, syscall.EMFILE):
		return processFilesAdvice
	case errors.Is(err, syscall.ENFILE):
		return systemFilesAdvice
	case errors.Is(err, abi.ErrorNoMemory), errors.Is(err, abi.ErrorOperatingSystem), errors.Is(err, abi.ErrorDriver), errors.Is(err, abi.ErrorInitialization):
		if advice := filesAdvice(); advice != "" { // DOCA does not tell why a system call has failed
			return advice
		}
	}
	if errors.Is(err, abi.ErrorNoMemory) {
		return "there is no memory left for it: make it smaller, or close what is not needed"
	}
	return ""
}

// filesAdvice returns advice if no more files can be opened now.
func filesAdvice() string {
	fd, err := syscall.Open("/dev/null", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	switch err {
	case nil:
		syscall.Close(fd)
	case syscall.EMFILE:
		return processFilesAdvice
	case syscall.ENFILE:
		return systemFilesAdvice
	}
	return ""
}
