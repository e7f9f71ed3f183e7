package doca

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/abi"
)

// Error is a DOCA error code, doca_error_t. Where DOCA returned a code, the errors of these
// packages wrap it, so that errors.Is(err, doca.ErrNoMemory) finds it.
type Error = abi.Error

// DOCA's error codes, each named after its DOCA_ERROR_ constant. The constants of package generated/abi say what each means.
const (
	ErrUnknown              = abi.ErrorUnknown
	ErrNotPermitted         = abi.ErrorNotPermitted
	ErrInUse                = abi.ErrorInUse
	ErrNotSupported         = abi.ErrorNotSupported
	ErrAgain                = abi.ErrorAgain
	ErrInvalidValue         = abi.ErrorInvalidValue
	ErrNoMemory             = abi.ErrorNoMemory
	ErrInitialization       = abi.ErrorInitialization
	ErrTimeOut              = abi.ErrorTimeOut
	ErrShutdown             = abi.ErrorShutdown
	ErrConnectionReset      = abi.ErrorConnectionReset
	ErrConnectionAborted    = abi.ErrorConnectionAborted
	ErrConnectionInprogress = abi.ErrorConnectionInprogress
	ErrNotConnected         = abi.ErrorNotConnected
	ErrNoLock               = abi.ErrorNoLock
	ErrNotFound             = abi.ErrorNotFound
	ErrIOFailed             = abi.ErrorIOFailed
	ErrBadState             = abi.ErrorBadState
	ErrUnsupportedVersion   = abi.ErrorUnsupportedVersion
	ErrOperatingSystem      = abi.ErrorOperatingSystem
	ErrDriver               = abi.ErrorDriver
	ErrUnexpected           = abi.ErrorUnexpected
	ErrAlreadyExist         = abi.ErrorAlreadyExist
	ErrFull                 = abi.ErrorFull
	ErrEmpty                = abi.ErrorEmpty
	ErrInProgress           = abi.ErrorInProgress
	ErrTooBig               = abi.ErrorTooBig
	ErrAuthentication       = abi.ErrorAuthentication
	ErrBadConfig            = abi.ErrorBadConfig
	ErrSkipped              = abi.ErrorSkipped
	ErrDeviceFatal          = abi.ErrorDeviceFatalError // since DOCA 3.2
)

// ErrClosed means that an object was used after its Close. Test for it with errors.Is(err,
// doca.ErrClosed); the error itself is a [*StateError].
var ErrClosed = errors.New("doca: object is closed")

// OpError reports an operation that failed: what was tried, on which object, why, and what
// to do about it. It wraps the cause, in most cases a DOCA code.
type OpError struct {
	Op     string // the operation, such as "copy"
	Object string // the object, such as "dma#3 (0000:03:00.0)"; empty if there is none yet
	Err    error  // the cause
	Advice string // what was wrong in detail, or what to do; may be empty
}

// Error returns all fields in one line.
func (e *OpError) Error() string {
	var b strings.Builder
	b.WriteString("doca: ")
	b.WriteString(e.Op)
	if e.Object != "" {
		b.WriteString(" on ")
		b.WriteString(e.Object)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.Advice != "" {
		b.WriteString(": ")
		b.WriteString(e.Advice)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *OpError) Unwrap() error { return e.Err }

// LogValue returns a group for package slog: op, object, DOCA's code, the cause and the advice, each
// if there is one.
func (e *OpError) LogValue() slog.Value {
	if e == nil {
		return slog.Value{}
	}
	g := known([]slog.Attr{slog.String("op", e.Op)}, "object", e.Object)
	g = known(g, "code", code(e.Err))
	if e.Err != nil {
		g = append(g, slog.String("error", e.Err.Error()))
	}
	return slog.GroupValue(known(g, "advice", e.Advice)...)
}

// code returns the name of DOCA's code in an error, or "".
func code(err error) string {
	if c := Error(0); errors.As(err, &c) {
		return c.String()
	}
	return ""
}

// StateError reports an operation that the state of its object forbids. DOCA was not
// called. errors.Is(err, ErrBadState) holds, and errors.Is(err, ErrClosed) if the object is
// closed.
type StateError struct {
	Object string  // the object, such as "dma#3 (0000:03:00.0)"
	State  State   // the state it is in
	Need   []State // the states that would have done; empty if only being open was needed
	Op     string  // the operation
	Cause  error   // why the object got into that state by itself, if it did
}

// Error says which state the object is in, which states the operation needs and, if Start helps, to call it.
func (e *StateError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "doca: %s on %s: the object is %v", e.Op, e.Object, e.State)
	for i, s := range e.Need {
		if i == 0 {
			b.WriteString(", not ")
		} else {
			b.WriteString(" or ")
		}
		b.WriteString(s.String())
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ", after %v", e.Cause)
	}
	if e.State == StateIdle && slices.Contains(e.Need, StateRunning) {
		b.WriteString(": call Start to use it again")
	}
	return b.String()
}

// Is reports whether target is ErrBadState, or ErrClosed if the object is closed.
func (e *StateError) Is(target error) bool {
	return target == ErrBadState || target == ErrClosed && e.State == StateClosed
}

// LogValue returns a group for package slog: op, object, the code ErrBadState, the state, the states
// that were needed, and the cause, each if there is one.
func (e *StateError) LogValue() slog.Value {
	if e == nil {
		return slog.Value{}
	}
	g := known([]slog.Attr{slog.String("op", e.Op)}, "object", e.Object)
	g = append(g, slog.String("code", ErrBadState.String()), slog.String("state", e.State.String()))
	var need []string
	for _, s := range e.Need {
		need = append(need, s.String())
	}
	g = known(g, "need", strings.Join(need, " or "))
	if e.Cause != nil {
		g = append(g, slog.Any("cause", e.Cause))
	}
	return slog.GroupValue(g...)
}

// Unwrap returns the cause; nil if somebody asked for the state.
func (e *StateError) Unwrap() error { return e.Cause }

// Package core makes errors of these types, too, but it cannot import this package.
func init() {
	core.SetErrors(newOpError, func(object string, state core.State, need []core.State, op string, cause error) error {
		err := &StateError{Object: object, State: State(state), Op: op, Cause: cause}
		for _, s := range need {
			err.Need = append(err.Need, State(s))
		}
		return err
	})
}

func newOpError(op, object string, err error, advice string) error {
	return &OpError{Op: op, Object: object, Err: err, Advice: advice}
}

// fail wraps the error of a DOCA call. It returns nil for nil.
func fail(op, object string, err error, advice string) error {
	return core.Fail(op, object, err, advice)
}
