package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// logs are the SDK backends of this process. DOCA cannot destroy one: those that are not needed any more log nothing, and are
// taken for the next log.
var logs struct {
	sync.Mutex
	all  []*logBackend
	env  *logBackend // the one that the environment asks for, until the program makes a log itself
	used bool        // there has been a log
}

// logBackend is an SDK backend of DOCA's log.
type logBackend struct {
	raw  *common.LogBackend
	fd   int // DOCA's: it is never closed, for its number would soon be another file's
	free bool
}

// LogToFile makes DOCA log to a file, of which it duplicates the descriptor.
func LogToFile(fd int, level uint32) error {
	logs.Lock()
	defer logs.Unlock()
	_, err := takeLogLocked(fd, level)
	return err
}

// takeLogLocked makes DOCA log to a file. What the environment asked for ends.
func takeLogLocked(fd int, level uint32) (*logBackend, error) {
	b, err := freeLogLocked(fd)
	if err != nil {
		return nil, err
	}
	b.free = false
	err = common.LogBackendSetSDKLevel(b.raw, level)
	if err == nil && logs.env != nil {
		err = logs.env.dropLocked()
	}
	if err != nil {
		return nil, errors.Join(err, b.freeLocked())
	}
	logs.env, logs.used = nil, true
	return b, nil
}

// freeLogLocked returns a backend that nobody uses, for a file.
func freeLogLocked(fd int) (*logBackend, error) {
	if i := slices.IndexFunc(logs.all, func(b *logBackend) bool { return b.free }); i >= 0 {
		return logs.all[i], dupTo(fd, logs.all[i].fd)
	}
	own, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 3)
	if errno != 0 {
		return nil, errno
	}
	raw, err := common.LogBackendCreateWithFDSDK(int32(own))
	if err != nil {
		return nil, errors.Join(err, syscall.Close(int(own)))
	}
	b := &logBackend{raw: raw, fd: int(own)}
	logs.all = append(logs.all, b)
	return b, nil
}

// dropLocked makes a backend log nothing.
func (b *logBackend) dropLocked() error {
	if err := common.LogBackendSetSDKLevel(b.raw, uint32(common.LogLevelDisable)); err != nil {
		return err
	}
	return b.freeLocked()
}

// freeLocked makes a backend log to nowhere, whatever its level is, so that it can be taken for another log.
func (b *logBackend) freeLocked() error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	if err := dupTo(int(null.Fd()), b.fd); err != nil {
		return err
	}
	b.free = true
	return nil
}

// dupTo makes a descriptor lead to the file of another one.
func dupTo(from, fd int) error {
	for {
		err := syscall.Dup3(from, fd, syscall.O_CLOEXEC)
		if err != syscall.EINTR && err != syscall.EBUSY {
			return err
		}
	}
}

// SetLogLimit sets the level of all logs.
func SetLogLimit(level uint32) error {
	logs.Lock()
	defer logs.Unlock()
	if err := common.LogLevelSetGlobalSDKLimit(level); err != nil {
		return err
	}
	for _, b := range logs.all {
		if b.free { // DOCA has changed it, too
			if err := common.LogBackendSetSDKLevel(b.raw, uint32(common.LogLevelDisable)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Log is a log of DOCA that a function gets.
type Log struct {
	pipe   *logPipe
	mu     sync.Mutex
	b      *logBackend // nil when DOCA does not write to the pipe any more
	closed bool
}

// NewLog makes DOCA log to a function, which gets one message after the other.
func NewLog(level uint32, deliver func(LogLine)) (*Log, error) {
	p, err := newLogPipe(deliver)
	if err != nil {
		return nil, Fail("log", "", err, "")
	}
	logs.Lock()
	b, err := takeLogLocked(int(p.out.Fd()), level)
	logs.Unlock()
	if err != nil {
		return nil, Fail("log", "", errors.Join(err, p.out.Close()), "")
	}
	return &Log{pipe: p, b: b}, nil
}

// SetLevel sets the level.
func (l *Log) SetLevel(level uint32) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError("set level")
	}
	return Fail("set log level", "log", common.LogBackendSetSDKLevel(l.b.raw, level), "")
}

// Flush waits until the function has got what DOCA has logged before.
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return l.closedError("flush")
	}
	marker, err := l.pipe.mark()
	l.mu.Unlock()
	if err == nil {
		err = waitFor(ctx, marker)
	}
	return Fail("flush", "log", err, "")
}

// Close ends the log. It waits until the function has got what DOCA has logged before.
func (l *Log) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	if l.b != nil {
		logs.Lock()
		err := l.b.dropLocked()
		logs.Unlock()
		if err != nil {
			l.mu.Unlock()
			return Fail("close", "log", err, "")
		}
		l.b = nil
		l.pipe.out.Close()
	}
	l.mu.Unlock()
	return Fail("close", "log", waitFor(ctx, l.pipe.done), "")
}

func (l *Log) closedError(op string) error { return newStateError("log", StateClosed, nil, op, nil) }

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// LogLevelVariable names the environment variable with the level of DOCA's log.
const LogLevelVariable = "DOCA_SDK_LOG_LEVEL"

// LogLevelFromEnvironment returns the level that the environment asks for. ok is false if it asks for none.
func LogLevelFromEnvironment() (level uint32, ok bool, err error) {
	text := os.Getenv(LogLevelVariable)
	if text == "" {
		return 0, false, nil
	}
	if level, ok = ParseLogLevel(text); !ok {
		return 0, false, Fail("log", "", abi.ErrorInvalidValue, fmt.Sprintf("the environment variable %s is %q: want %s", LogLevelVariable, text, LogLevelForm))
	}
	return level, true, nil
}

var logOnce sync.Once

// logFromEnvironment makes DOCA log to the standard error output if the environment says so and the program has no log. It is done
// once, before the first device or engine of the process.
func logFromEnvironment() {
	level, ok, err := LogLevelFromEnvironment()
	if ok {
		logs.Lock()
		defer logs.Unlock()
		if logs.used {
			return
		}
		logs.env, err = takeLogLocked(int(os.Stderr.Fd()), level)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
