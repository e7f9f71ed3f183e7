package core

import (
	"context"

	"github.com/go-doca/go-doca/generated/abi"
)

// The inner parts of handles that are nil or zero values. They are closed, and each operation on
// them returns an error that says how to make an object of the kind.
var (
	NoDevice      = &Device{Node: noneNode("device", "doca.OpenDevice")}
	NoRepresentor = &Representor{Node: noneNode("representor", "Device.OpenRepresentor")}
	NoMemory      = &Memory{Node: noneNode("memory", "doca.NewMemory, doca.RegisterMemory or doca.ImportMemory")}
	NoInventory   = &Inventory{Node: noneNode("inventory", "doca.NewInventory")}
	NoEngine      = &Engine{Node: noneNode("engine", "doca.NewProgressEngine"), dead: true, lockable: newLockable(), step: new(abi.Step)}
	NoBuffer      = &Buffer{Node: noneNode("buffer", "Inventory.Buffer or Inventory.Source"), inv: NoInventory, mem: NoMemory}
	NoLink        = &Link{Node: noneNode("context", "the New function of its package, such as dma.New"), eng: NoEngine, dev: NoDevice}
)

// NoChild is the node of a bind.Child that is nil or a zero value.
var NoChild = noneNode("child", "bind.NewChild")

// noneBody is the body of the nodes that stand for no object: what makes such an object.
type noneBody string

func (noneBody) describe() string               { return "" }
func (noneBody) teardown(context.Context) error { return nil }
func (noneBody) prepare(context.Context) error  { return nil }
func (noneBody) resume()                        {}

// noneNode returns the node of the handles of a kind that stand for no object.
func noneNode(kind, maker string) *Node { return &Node{kind: kind, body: noneBody(maker)} }

// none reports whether the node stands for no object.
func (n *Node) none() bool {
	_, none := n.body.(noneBody)
	return none
}

// noneError returns the error for an operation on a handle that stands for no object, or nil if n
// is the node of an object.
func (n *Node) noneError(op string) error {
	maker, none := n.body.(noneBody)
	if !none {
		return nil
	}
	return Fail(op, n.kind, abi.ErrorInvalidValue, "it is nil or a zero value: make one with "+string(maker))
}

// Or returns the inner part of a handle, or none if the handle is nil or a zero value.
func Or[T any, H interface {
	comparable
	inner() *T
}](h H, none *T) *T {
	if p := Of(h); p != nil {
		return p
	}
	return none
}

// CloseOr closes the object of a handle, which may be nil or a zero value. none is the node of those.
func CloseOr[H interface {
	comparable
	Owner
}](ctx context.Context, h H, none *Node) error {
	n := nodeOr(h, none)
	if n == none {
		return n.noneError("close")
	}
	if err := NeedContext(ctx, "close", n); err != nil {
		return err
	}
	return Shutdown(ctx, h)
}

// NameOr returns the name of the object of a handle, which may be nil or a zero value.
func NameOr[H interface {
	comparable
	Owner
}](h H, none *Node) string {
	return nodeOr(h, none).String()
}

func nodeOr[H interface {
	comparable
	Owner
}](h H, none *Node) *Node {
	var nothing H
	if h == nothing {
		return none
	}
	if n := h.node(); n != nil {
		return n
	}
	return none
}
