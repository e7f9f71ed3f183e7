package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// none returns the error of a method of nil or of a zero value.
func none(op, kind, advice string) error {
	return core.Fail(op, kind, doca.ErrInvalidValue, "it is nil or a zero value: "+advice)
}
