package core

import (
	"context"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
)

// NewChild makes the node of an object that is no context, below a context.
// afterContexts has it closed after contexts that are closed with it. before may be nil. Leak reports show the place of the first parent
// if the child was created where the program cannot be seen, such as the begin of a goroutine.
func NewChild(kind, detail string, parents []Owner, afterContexts bool, before, close func(context.Context) error) (*Node, error) {
	var above []*Node
	for _, p := range parents {
		n := ownerNode(p)
		if n == nil {
			return nil, Fail("create "+kind, "", abi.ErrorInvalidValue, "it needs a parent: one is nil or a zero value")
		}
		if !slices.Contains(above, n) {
			above = append(above, n)
		}
	}
	if close == nil {
		return nil, Fail("create "+kind, "", abi.ErrorInvalidValue, "it needs a function that closes it")
	}
	r := rankContext
	if afterContexts {
		r = rankMemory
	}
	n := &Node{rank: r, kind: kind, body: &plain{detail: detail, before: before}} // before is called as soon as others know the node
	if len(above) > 0 {
		n.origin.Store(above[0])
	}
	if err := n.enter(above...); err != nil {
		return nil, err
	}
	n.commit(close)
	return n, nil
}

// AddParent makes an object a child of one more parent, which closes it from then on, and remove takes that back. If the parent was one
// before, added is false, and remove does nothing. op names the operation in errors.
func AddParent(op string, child, parent Owner) (added bool, remove func(), err error) {
	n, p := child.node(), parent.node()
	tree.Lock()
	defer tree.Unlock()
	switch {
	case n.phase.Load() != phaseOpen:
		return false, nil, n.closedError(op)
	case p.phase.Load() != phaseOpen:
		return false, nil, p.closedError(op)
	case p.belowLocked(n):
		return false, nil, Fail(op, n.String(), abi.ErrorInvalidValue, p.String()+" cannot own it: it is closed before")
	case n.placeLocked(p) >= 0:
		return false, func() {}, nil
	}
	n.joinLocked(p)
	return true, func() { n.leave(p) }, nil
}

// belowLocked reports whether the node is another one, or belongs to it.
func (n *Node) belowLocked(other *Node) bool {
	return n == other || slices.ContainsFunc(n.parents, func(e edge) bool { return e.parent.belowLocked(other) })
}

// leave takes back what joinLocked did, unless the object was closed meanwhile.
func (n *Node) leave(parent *Node) {
	tree.Lock()
	defer tree.Unlock()
	if at := n.placeLocked(parent); at >= 0 && n.phase.Load() != phaseClosed {
		n.parents[at].cutLocked()
		n.parents = slices.Delete(n.parents, at, at+1)
	}
}

// IsNothing reports whether an owner is nil or a zero value.
func IsNothing(h Owner) bool { return ownerNode(h) == nil }
