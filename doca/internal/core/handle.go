package core

import (
	"context"
	"runtime"
)

// Handle is embedded by every handle: it leads to the object's place in the ownership tree.
type Handle struct{ n *Node }

func (h *Handle) node() *Node { return h.n }

func (h *Handle) setNode(n *Node) {
	h.n = n
	if !n.private {
		runtime.AddCleanup(h, (*Node).dropped, n) // how the loss of the handle is noticed
	}
}

// Owner is a handle of any kind.
type Owner interface{ node() *Node }

// NodeOf returns the node of a handle.
func NodeOf(h Owner) *Node { return h.node() }

// Shutdown closes the object of a handle and all below it.
func Shutdown(ctx context.Context, h Owner) error {
	err := h.node().Shutdown(ctx)
	runtime.KeepAlive(h) // not lost while it is being closed
	return err
}

// Inner is embedded by the handles that have an inner part: it leads there. Its methods
// have no exported names, so whoever has a handle cannot call them, but the functions
// below can.
type Inner[T any] struct{ p *T }

func (i *Inner[T]) inner() *T     { return i.p }
func (i *Inner[T]) setInner(p *T) { i.p = p }

// Of returns the inner part of a handle; nil for a nil handle, and for one that is a zero
// value.
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

// BufferOf is Of for the handle of a buffer that is not nil. The compiler inlines it, which
// it cannot do with Of: it is for what is done for each task.
func BufferOf(h interface{ inner() *Buffer }) *Buffer { return h.inner() }

// Adopt makes h, a zero value, the handle of an object: its loss is a leak from now on,
// unless the node is private.
func Adopt[T any](h interface {
	setNode(*Node)
	setInner(*T)
}, n *Node, p *T) {
	h.setInner(p)
	h.setNode(n)
}

// AdoptNode is Adopt for a handle without an inner part.
func AdoptNode(h interface{ setNode(*Node) }, n *Node) { h.setNode(n) }

// Ties are embedded by the handle of a context: the handles that it keeps, so that they are
// not lost as long as it is not. D and E are the handles of devices and engines.
type Ties[D, E any] struct {
	device *D
	engine *E
	others [2]Owner
}

func (t *Ties[D, E]) ties() *Ties[D, E] { return t }

// Tie makes the handle of a context keep others.
func Tie[D, E any](h interface{ ties() *Ties[D, E] }, device *D, engine *E, others [2]Owner) {
	*h.ties() = Ties[D, E]{device, engine, others}
}

// TiesOf returns the device and the engine of a context.
func TiesOf[D, E any](h interface{ ties() *Ties[D, E] }) (device *D, engine *E) {
	t := h.ties()
	return t.device, t.engine
}
