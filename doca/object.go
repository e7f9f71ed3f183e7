package doca

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// What package core sees of handles. (These are interface literals for staticcheck, which
// takes the fields that implement them for unused otherwise.)
var (
	_ interface{ core.Owner } = (*object)(nil)

	_ interface{ core.Ref[core.Buffer] }      = (*Buffer)(nil)
	_ interface{ core.Ref[core.Device] }      = (*Device)(nil)
	_ interface{ core.Ref[core.Engine] }      = (*ProgressEngine)(nil)
	_ interface{ core.Ref[core.Inventory] }   = (*Inventory)(nil)
	_ interface{ core.Ref[core.Link] }        = (*Context)(nil)
	_ interface{ core.Ref[core.Memory] }      = (*Memory)(nil)
	_ interface{ core.Ref[core.Representor] } = (*Representor)(nil)
	_ interface {
		core.Tied[Device, ProgressEngine]
	} = (*Context)(nil)
)

type handle = core.Handle

// object is embedded by every handle.
type object struct{ handle }

// Close closes the object and everything that it owns, in the order that DOCA demands. It
// waits without limit for tasks in flight; use Shutdown to set a limit. Closing a closed
// object is no error. If Close returns an error, the object stays open: call Close again.
// Close may be called from any goroutine.
func (o *object) Close() error { return o.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (o *object) Shutdown(ctx context.Context) error { return core.Shutdown(ctx, o) }

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (o *object) String() string { return core.NodeOf(o).String() }

// Object describes an open object.
type Object struct {
	Name  string // such as "memory#3 (4096 bytes)"
	Site  string // file:line and function of the program that created it
	Stack string // where it was created, one frame a line
}

// OpenObjects lists the open objects, oldest first.
func OpenObjects() []Object { return objects(core.OpenObjects()) }

func objects(list []core.Object) []Object {
	var out []Object
	for _, o := range list {
		out = append(out, Object(o))
	}
	return out
}
