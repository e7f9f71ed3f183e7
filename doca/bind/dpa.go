package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// DPA is a DPA context: a *dpa.DPA. It is a type of this package, so that bindings that package dpa itself needs, such as that of
// sync events, can take one.
type DPA interface {
	Owner
	dpa() *DPALink
}

// DPALink is what a *dpa.DPA embeds to be a [DPA].
type DPALink struct {
	use func(op string, f func(*common.DPA) error) error
}

// NewDPALink makes a link. use calls a function with DOCA's object, which no other goroutine uses or closes during the call. op
// names the operation in errors.
func NewDPALink(use func(op string, f func(*common.DPA) error) error) *DPALink { return &DPALink{use} }

func (l *DPALink) dpa() *DPALink { return l }

// UseDPA calls f with DOCA's object of a DPA context. op names the operation in errors. No other goroutine uses the object or closes
// it during the call; f must not use package dpa. It returns ErrInvalidValue if d is nil or a zero value or f is nil, a
// [*doca.StateError] if d is closed, an error that is dpa.ErrFatal if the DPA has had a fatal error, and the error of f.
func UseDPA(d DPA, op string, f func(*common.DPA) error) error {
	if d == nil || core.IsNothing(d) {
		return none(op, "dpa", "make one with dpa.New")
	}
	l := d.dpa()
	if l == nil || l.use == nil {
		return none(op, "dpa", "make one with dpa.New")
	}
	if f == nil {
		return core.Fail(op, "dpa", doca.ErrInvalidValue, "the function is nil")
	}
	return l.use(op, f)
}
