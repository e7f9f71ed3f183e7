package comchnet

import (
	"github.com/go-doca/go-doca/doca"
)

// Errors for the methods of nil and of zero values.

func noConn(op string) error     { return none(op, "stream", "Dial or Listener.Accept") }
func noListener(op string) error { return none(op, "listener", "Listen") }

func none(op, kind, maker string) error {
	return &doca.OpError{Op: op, Object: kind, Err: doca.ErrInvalidValue, Advice: "it is nil or a zero value: make one with " + maker}
}
