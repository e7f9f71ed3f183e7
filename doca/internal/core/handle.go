package core

import (
	"context"
	"reflect"
	"runtime"
)

// Handle is embedded by every handle. It leads to the object's node.
type Handle struct{ n *Node }

func (h *Handle) node() *Node { return h.n }

func (h *Handle) setNode(n *Node) {
	h.n = n
	if !n.private {
		runtime.AddCleanup(h, (*Node).dropped, n) // this is how the loss of a handle is noticed
	}
}

// Owner is a handle of any kind.
type Owner interface{ node() *Node }

// adopter is a handle of any kind that can be made that of an object.
type adopter interface {
	Owner
	setNode(*Node)
}

// ownerNode returns the node of an owner, or nil for one that is nil or a zero value.
func ownerNode(h Owner) *Node {
	if h == nil || hollow(reflect.ValueOf(h)) {
		return nil
	}
	return h.node()
}

// hollow reports whether v, which is an Owner, is nil or embeds one that is.
func hollow(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return true
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return false
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous && f.Type.Implements(reflect.TypeFor[Owner]()) {
			return hollow(v.Field(i))
		}
	}
	return false
}

// Shutdown closes the object of a handle and everything below it.
func Shutdown(ctx context.Context, h Owner) error {
	err := h.node().Shutdown(ctx)
	runtime.KeepAlive(h) // not lost while it is being closed
	return err
}

// Inner is embedded by the handles of objects with an inner part of type T. It leads there.
// The methods of Handle and Inner have unexported names, so users of a handle cannot call
// them, but the functions of this package can.
type Inner[T any] struct{ p *T }

func (i *Inner[T]) inner() *T     { return i.p }
func (i *Inner[T]) setInner(p *T) { i.p = p }

// Ref is a handle that leads to an inner part of type T.
type Ref[T any] interface {
	inner() *T
	setInner(*T)
}

// Of returns the inner part of a handle. It returns nil for nil, and for a handle that is a
// zero value.
func Of[T any, H interface {
	comparable
	inner() *T
}](h H) *T {
	var none H
	if h == none {
		return nil
	}
	return h.inner()
}

// MemoryOf is Of for the handle of a memory, which must not be nil. The compiler inlines it, unlike Of, so it is for
// what is done for each task.
func MemoryOf(h Ref[Memory]) *Memory { return h.inner() }

// Adopt makes h, a zero value, the handle of an object. From now on its loss is a leak,
// unless the node is private.
func Adopt[T any](h interface {
	adopter
	Ref[T]
}, n *Node, p *T) {
	h.setInner(p)
	h.setNode(n)
}

// AdoptNode is Adopt for an object without an inner part.
func AdoptNode(h adopter, n *Node) { h.setNode(n) }

// Ties is embedded by the handle of a context. It keeps the handles of the context's owners
// alive. D and E are the types of the handles of devices and engines.
type Ties[D, E any] struct {
	device *D
	engine *E
	others [2]Owner
}

func (t *Ties[D, E]) ties() *Ties[D, E] { return t }

// Tied is the handle of a context.
type Tied[D, E any] interface{ ties() *Ties[D, E] }

// Tie fills in the ties of a context.
func Tie[D, E any](h Tied[D, E], device *D, engine *E, others [2]Owner) {
	*h.ties() = Ties[D, E]{device, engine, others}
}

// TiesOf returns the handles of a context's device and engine.
func TiesOf[D, E any](h Tied[D, E]) (device *D, engine *E) {
	t := h.ties()
	return t.device, t.engine
}

// Keeps is embedded by handles that keep others alive: those of their object's owners.
type Keeps struct{ kept []Owner }

func (k *Keeps) keeps() *Keeps { return k }

// Kept is a handle that keeps others alive.
type Kept interface{ keeps() *Keeps }

// Keep makes a handle keep others alive.
func Keep(h Kept, owners ...Owner) { h.keeps().kept = owners }
