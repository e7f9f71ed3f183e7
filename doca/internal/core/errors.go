package core

import "github.com/go-doca/go-doca/generated/abi"

// Errors are values of types of package doca. Package doca imports this one, so its init
// says through SetErrors how to make them.
var (
	newOpError    func(op, object string, err error, advice string) error
	newStateError func(object string, state State, need []State, op string, cause error) error
)

// errPending is the error of an operation that has not ended; it wraps ErrInProgress.
var errPending error

// SetErrors sets the functions that make errors.
func SetErrors(opError func(op, object string, err error, advice string) error,
	stateError func(object string, state State, need []State, op string, cause error) error) {
	newOpError, newStateError = opError, stateError
	errPending = opError("wait", "", abi.ErrorInProgress, "the operation has not ended")
}

// Fail wraps the error of a DOCA call. It returns nil for nil. Without advice, that of [Advice] is given.
func Fail(op, object string, err error, advice string) error {
	if err == nil {
		return nil
	}
	if advice == "" {
		advice = Advice(err)
	}
	return newOpError(op, object, err, advice)
}

// Fail is Fail for the object of the node, whose name is made only if there is an error.
func (n *Node) Fail(op string, err error, advice string) error {
	if err == nil {
		return nil
	}
	return Fail(op, n.String(), err, advice)
}
