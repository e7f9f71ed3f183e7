package doca

import (
	"log/slog"

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
	_ interface{ core.Kept }                  = (*Memory)(nil)
	_ interface {
		core.Tied[Device, ProgressEngine]
	} = (*Context)(nil)
)

type handle = core.Handle

// object is embedded by every handle. The methods that all objects have in common are written
// for each type, because a method of an embedded struct cannot be called on nil.
type object struct{ handle }

// Object describes an open object.
type Object struct {
	Name  string // such as "memory#3 (4096 bytes)"
	Site  string // file:line and function of the program that created it
	Stack string // where it was created, one frame a line; of a place where others were before, the inner frames alone
}

// String returns the name and where the object was created.
func (o Object) String() string { return o.Name + ", created at " + o.Site }

// LogValue returns a group of name and site, for package slog.
func (o Object) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", o.Name), slog.String("site", o.Site))
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
