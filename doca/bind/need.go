package bind

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// NeedContext returns ErrInvalidValue if ctx is nil, and nil otherwise. Call it first in every exported method that takes a ctx,
// before any lock. op and object name the operation and the object in the error; object may be nil. It does not allocate.
func NeedContext(ctx context.Context, op string, object fmt.Stringer) error {
	return core.NeedContext(ctx, op, object)
}
