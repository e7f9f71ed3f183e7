package bind

import (
	"context"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// ChildConfig says how to make a [Child].
type ChildConfig struct {
	Kind   string  // for messages, such as "connection"
	Detail string  // for messages, such as "of comch server#7"
	Parent Owner   // closes the child before itself; leak reports show its place where the program cannot be seen in the child's own stack
	Owners []Owner // optional: more that do so

	// AfterContexts says that tasks of contexts use the child: what closes it together with
	// contexts closes these first. Without it, children are closed newest first, like contexts.
	AfterContexts bool

	// Before is called when the child is about to be closed, by itself or with an owner, before what is below it is closed. It
	// is called without locks, after the owners' Before, and at each attempt. An error ends the attempt: nothing is closed. Optional.
	Before func(ctx context.Context) error

	// Close takes the child down. It is called without locks, and again after an error,
	// until it returns nil.
	Close func(ctx context.Context) error
}

// Child is an object below a context that is no context itself, such as one connection of a
// server. It has a place in the ownership tree: its parent closes it before itself, and its
// loss is reported as a leak. It may be used from any goroutine.
type Child struct {
	handle
	parents []Owner // their handles are kept alive

	mu    sync.Mutex
	added []*Owner // those of AddOwner; guarded by mu
}

type handle = core.Handle

// NewChild makes a child. It returns ErrInvalidValue if there is no parent or no Close function, or one of the owners is nil or a
// zero value, and a [*doca.StateError] if the parent or an owner is closed or closing.
func NewChild(cfg ChildConfig) (*Child, error) {
	parents := append([]Owner{cfg.Parent}, cfg.Owners...)
	inner := make([]core.Owner, len(parents))
	for i, p := range parents {
		inner[i] = p
	}
	n, err := core.NewChild(cfg.Kind, cfg.Detail, inner, cfg.AfterContexts, cfg.Before, cfg.Close)
	if err != nil {
		return nil, err
	}
	c := &Child{parents: parents}
	core.AdoptNode(c, n)
	return c, nil
}

// AddOwner gives a child one more owner, as [ChildConfig.Owners] do, because the owner is about to get something of it that must end
// before the owner can be closed. remove takes that back, if there is no such thing after all. op names the operation in errors. AddOwner
// returns ErrInvalidValue if the child or the owner is nil or a zero value, or the owner belongs to the child, and a
// [*doca.StateError] if one of them is closed or closing. Any goroutine may call it.
func AddOwner(op string, child *Child, owner Owner) (remove func(), err error) {
	if child == nil || core.IsNothing(child) {
		return nil, none(op, "child", "make one with NewChild")
	}
	if core.IsNothing(owner) {
		return nil, none(op, "owner", "make one with its package")
	}
	added, leave, err := core.AddParent(op, child, owner)
	if err != nil || !added {
		return leave, err
	}
	child.mu.Lock()
	defer child.mu.Unlock()
	child.added = append(child.added, &owner)
	return func() {
		leave()
		child.mu.Lock()
		defer child.mu.Unlock()
		child.added = slices.DeleteFunc(child.added, func(o *Owner) bool { return o == &owner })
	}, nil
}

// CreatedFor says that objects were created for another one, by a binding that does so on a goroutine of its own. Leak
// reports then show the place where the program has created the other one. It returns ErrInvalidValue for nil and zero
// values. Any goroutine may call it.
func CreatedFor(origin Owner, objects ...Owner) error {
	list := make([]core.Owner, len(objects))
	for i, o := range objects {
		list[i] = o
	}
	return core.CreatedFor(origin, list...)
}

// CreatedHere makes leak reports show the caller of the function that calls it as the place where the object was
// created, for a binding that has created it before the program asked for it. If that place is not known, the one before
// CreatedFor is. It returns ErrInvalidValue for nil and zero values. Any goroutine may call it.
func CreatedHere(object Owner) error { return core.CreatedHere(object) }

// Close closes the child and everything below it, as [doca.Context.Close] does.
func (c *Child) Close() error { return c.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx; see [doca.Context.Shutdown].
func (c *Child) Shutdown(ctx context.Context) error { return core.CloseOr(ctx, c, core.NoChild) }

// String returns a name for messages and logs.
func (c *Child) String() string { return core.NameOr(c, core.NoChild) }
