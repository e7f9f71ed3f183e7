package core

import "github.com/go-doca/go-doca/generated/abi"

// The errors of these packages are types of package doca, which imports this one: it says
// in its init how they are made.
var (
	newOpError    func(op, object string, err error, advice string) error
	newStateError func(object string, state State, need []State, op string, cause error) error
)

// errPending is the Err of an operation that has not ended. It is ErrInProgress to
// errors.Is.
var errPending error

// SetErrors says how errors are made.
func SetErrors(opError func(op, object string, err error, advice string) error,
	stateError func(object string, state State, need []State, op string, cause error) error) {
	newOpError, newStateError = opError, stateError
	errPending = opError("wait", "", abi.ErrorInProgress, "the operation has not ended")
}

// Fail wraps the error of a DOCA call; nil stays nil.
func Fail(op, object string, err error, advice string) error {
	if err == nil {
		return nil
	}
	return newOpError(op, object, err, advice)
}
