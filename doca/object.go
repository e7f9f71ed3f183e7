package doca

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
)

type handle = core.Handle

// object is what every handle embeds.
type object struct{ handle }

// Close closes the object and everything below it, in the order that DOCA demands. It
// waits for tasks in flight without limit; Shutdown is the form with one. Closing a
// closed object is no error. After an error the object stays open: call Close again.
// It may be called from any goroutine.
func (o *object) Close() error { return o.Shutdown(context.Background()) }

// Shutdown is Close that waits no longer than ctx. If ctx ends first it returns an
// error that wraps ctx.Err(), what is left takes no new work, and a later Close or
// Shutdown goes on.
func (o *object) Shutdown(ctx context.Context) error { return core.Shutdown(ctx, o) }

// String names the object for messages and logs: its kind, a number that no other
// object of the process has, and what it is about.
func (o *object) String() string { return core.NodeOf(o).String() }

// Object describes an object that is open.
type Object struct {
	Name  string // such as "memory#3 (4096 bytes)"
	Site  string // file:line and function of the program that created it
	Stack string // where it was created, one frame a line
}

// OpenObjects lists the objects that have not been closed, oldest first.
func OpenObjects() []Object { return objects(core.OpenObjects()) }

func objects(list []core.Object) []Object {
	var out []Object
	for _, o := range list {
		out = append(out, Object(o))
	}
	return out
}
