package dpa

import (
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// ErrFatal means that the DPA has had a fatal error, such as a kernel that has crashed. Test for it with errors.Is. These errors are also
// doca.ErrBadState. Nothing but Close works then; a new DPA on the same device does.
var ErrFatal = errors.New("dpa: fatal error")

// fatalError is the fatal error of a DPA.
type fatalError struct{ crash func() string } // the path of the file about a crash, which may not be there yet; "": there is none

func (e *fatalError) Error() string { return "the DPA has had a fatal error" }

// Is reports whether target is ErrFatal or what DOCA says.
func (e *fatalError) Is(target error) bool { return target == ErrFatal || target == doca.ErrBadState }

// Advice returns what [doca.OpError] says about it, also in packages that use a DPA.
func (e *fatalError) Advice() string {
	text := "a kernel or thread has crashed, run too long or used a handle that is not valid, as the log says: close the DPA, and make a new one with dpa.New"
	if path := e.crash(); path != "" {
		text += "; the data about the crash is in " + path
	}
	return text
}

// fail makes an error. It returns nil for nil, and what is such an error already.
func fail(op, object string, err error, advice string) error {
	switch err.(type) {
	case nil, *doca.OpError, *doca.StateError:
		return err
	}
	if advice == "" {
		advice = bind.Advice(err)
	}
	return &doca.OpError{Op: op, Object: object, Err: err, Advice: advice}
}

// wrong is the error for an argument.
func wrong(op, object, format string, args ...any) error {
	return &doca.OpError{Op: op, Object: object, Err: doca.ErrInvalidValue, Advice: fmt.Sprintf(format, args...)}
}

func closed(op, object string) error {
	return &doca.StateError{Object: object, State: doca.StateClosed, Op: op}
}
