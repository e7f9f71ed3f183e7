package bind

import (
	"context"

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
	use   func(op string, f func(*common.DPA) error) error
	check func(ctx context.Context, op string) error
}

// NewDPALink makes a link. use calls a function with DOCA's object, which no other goroutine uses or closes during the call. check
// returns an error if the DPA has had a fatal error, and ctx.Err() if it would have to wait longer than ctx. op names the operation in errors.
func NewDPALink(use func(op string, f func(*common.DPA) error) error, check func(ctx context.Context, op string) error) *DPALink {
	return &DPALink{use, check}
}

func (l *DPALink) dpa() *DPALink { return l }

// (It is an interface literal for staticcheck, which takes the method for unused otherwise.)
var _ interface{ dpa() *DPALink } = (*DPALink)(nil)

// UseDPA calls f with DOCA's object of a DPA context. op names the operation in errors. No other goroutine uses the object or closes
// it during the call; f must not use package dpa. It returns ErrInvalidValue if d is nil or a zero value or f is nil, a
// [*doca.StateError] if d is closed, an error that is dpa.ErrFatal if the DPA has had a fatal error, and the error of f.
func UseDPA(d DPA, op string, f func(*common.DPA) error) error {
	l, err := linkOf(d, op)
	if err != nil {
		return err
	}
	if f == nil {
		return core.Fail(op, "dpa", doca.ErrInvalidValue, "the function is nil")
	}
	return l.use(op, f)
}

// CheckDPA returns an error that is dpa.ErrFatal if a DPA has had a fatal error, for waits that would last for ever then. op names
// the operation in errors. It returns ErrInvalidValue if d is nil or a zero value, a [*doca.StateError] if d is closed, and ctx.Err() if
// ctx, which must not be nil, ends while another call of DOCA on d takes long. Calls doca_dpa_peek_at_last_error.
func CheckDPA(ctx context.Context, d DPA, op string) error {
	l, err := linkOf(d, op)
	if err != nil {
		return err
	}
	return l.check(ctx, op)
}

// DPACheck returns CheckDPA for a DPA as a function that does not keep its handle alive, so that the DPA's loss is still seen as a leak. It
// returns ErrInvalidValue if d is nil or a zero value; op names the operation in that error.
func DPACheck(d DPA, op string) (check func(ctx context.Context, op string) error, err error) {
	l, err := linkOf(d, op)
	if err != nil {
		return nil, err
	}
	return l.check, nil
}

func linkOf(d DPA, op string) (*DPALink, error) {
	if d == nil || core.IsNothing(d) {
		return nil, none(op, "dpa", "make one with dpa.New")
	}
	l := d.dpa()
	if l == nil || l.use == nil || l.check == nil {
		return nil, none(op, "dpa", "make one with dpa.New")
	}
	return l, nil
}
