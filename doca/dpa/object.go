package dpa

import (
	"context"
	"errors"

	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
)

type child = bind.Child

// object is the inner part of what belongs to a context: DOCA's object, or an address. The context's lock guards it.
type object[R comparable] struct {
	c       *instance
	name    string
	raw     R // the zero value: closed, or not created
	destroy func(R) error
	halt    func(R)      // called before anything that uses the object is closed; may be nil
	rest    func() error // destroys what the object has used, after it; may be nil
}

// place says what an object is, and where it belongs.
type place struct {
	kind   string
	owners []bind.Owner // beside the context
	late   bool         // closed after threads, completions and contexts
	rest   func() error // see object
}

// newObject makes an object: create makes DOCA's and starts it, and destroy takes that back, also if create has failed
// half-way. create is called with the lock of the context.
func newObject[R comparable](d *DPA, p place, create func(raw *common.DPA) (R, error), destroy func(R) error) (*child, *object[R], error) {
	op := "create " + p.kind
	if d == nil || d.c == nil {
		return nil, nil, noDPA(op)
	}
	o := &object[R]{c: d.c, destroy: destroy, rest: p.rest}
	child, err := o.create(d, p, create)
	if err != nil {
		return nil, nil, err
	}
	return child, o, nil
}

func (o *object[R]) create(d *DPA, p place, create func(raw *common.DPA) (R, error)) (*child, error) {
	c := o.c
	c.mu.Lock() // who closes an owner meanwhile waits
	child, err := bind.NewChild(bind.ChildConfig{Kind: p.kind, Detail: "of " + c.name, Parent: d, Owners: p.owners, AfterContexts: p.late, Before: o.before, Close: o.close})
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	o.name = child.String()
	if err = c.readyLocked("create", o.name); err == nil {
		o.raw, err = create(c.raw)
		err = fail("create", o.name, c.causeLocked(err), "")
	}
	c.mu.Unlock()
	if err != nil {
		return nil, errors.Join(err, child.Close())
	}
	return child, nil
}

// use calls DOCA.
func (o *object[R]) use(op string, f func(raw R) error) error {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	if err := o.openLocked(op); err != nil {
		return err
	}
	if err := o.c.readyLocked(op, o.name); err != nil {
		return err
	}
	return fail(op, o.name, o.c.causeLocked(f(o.raw)), "")
}

func (o *object[R]) openLocked(op string) error {
	var none R
	if o.raw == none {
		return closed(op, o.name)
	}
	return nil
}

// ofLocked returns DOCA's object for another object of the same process, whose lock is held.
func (o *object[R]) ofLocked(op string, p *process) (R, error) {
	var none R
	if o.c.process != p {
		return none, wrong(op, o.name, "it belongs to %s: use objects of the same DPA together", o.c.name)
	}
	return o.raw, o.openLocked(op)
}

func (o *object[R]) before(ctx context.Context) error {
	if err := o.c.lockFor(ctx); err != nil {
		return fail("close", o.name, err, busyAdvice)
	}
	defer o.c.mu.Unlock()
	var none R
	if o.halt != nil && o.raw != none {
		o.halt(o.raw)
	}
	return nil
}

// close destroys DOCA's object. It may be called again after an error.
func (o *object[R]) close(ctx context.Context) error {
	if err := o.c.lockFor(ctx); err != nil {
		return fail("close", o.name, err, busyAdvice)
	}
	defer o.c.mu.Unlock()
	var none R
	if o.raw != none {
		if err := o.destroy(o.raw); err != nil {
			return fail("close", o.name, err, "")
		}
		o.raw = none
	}
	if o.rest == nil {
		return nil
	}
	return fail("close", o.name, o.rest(), "")
}

// steps does one step after the other until one fails. What there is of raw then is left to close.
func steps[R any](raw R, list ...func() error) (R, error) {
	for _, step := range list {
		if err := step(); err != nil {
			return raw, err
		}
	}
	return raw, nil
}
