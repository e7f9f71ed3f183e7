package core

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
)

// NeedContext returns the error for an operation without a ctx: ErrInvalidValue. It returns nil if there is one. object may be
// nil.
func NeedContext(ctx context.Context, op string, object fmt.Stringer) error {
	if ctx != nil {
		return nil
	}
	return noContext(op, object)
}

func noContext(op string, object fmt.Stringer) error {
	name := ""
	if object != nil {
		name = object.String()
	}
	return Fail(op, name, abi.ErrorInvalidValue, "ctx is nil: pass context.Background(), or a ctx that limits the wait")
}
