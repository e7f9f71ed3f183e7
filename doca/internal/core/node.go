package core

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// The phases of a node. They only go up.
const (
	phaseOpen int32 = iota
	phaseClosing
	phaseClosed
)

// Node is the place of an object in the ownership tree. It is the inner part of the
// object: the handle that users hold points to it, never the other way round, so that
// a lost handle is noticed.
type Node struct {
	rank   rank
	id     uint64
	kind   string
	detail func() string
	stack  []uintptr

	parents  []*Node
	private  bool               // it is there for its one child, and is closed after that
	children map[*Node]struct{} // guarded by tree

	phase    atomic.Int32
	lost     atomic.Bool   // the handle was dropped
	failed   atomic.Bool   // a close ended in an error
	turn     chan struct{} // holds a token; whoever takes it may create or close
	teardown func(context.Context) error
}

// tree guards the links between all nodes.
var tree struct {
	sync.Mutex
	nodes map[*Node]struct{}
	last  uint64
}

// newNode puts an object that is about to be created below its parents. The caller
// creates the DOCA object and then calls commit or abandon; meanwhile a Close of a
// parent waits. A parent that is closed or closing refuses.
func newNode(r rank, kind string, detail func() string, parents ...*Node) (*Node, error) {
	n := &Node{rank: r, kind: kind, detail: detail, turn: make(chan struct{}, 1), parents: slices.Compact(parents)}
	n.stack = creationStack()
	tree.Lock()
	defer tree.Unlock()
	for _, p := range n.parents {
		if p.phase.Load() != phaseOpen {
			return nil, p.closedError("create " + kind)
		}
	}
	tree.last++
	n.id = tree.last
	if tree.nodes == nil {
		tree.nodes = map[*Node]struct{}{}
	}
	tree.nodes[n] = struct{}{}
	for _, p := range n.parents {
		if p.children == nil {
			p.children = map[*Node]struct{}{}
		}
		p.children[n] = struct{}{}
	}
	return n, nil
}

// commit says that the object exists and how to take it down. teardown is called until
// it returns nil; after an error it must be possible to call it again.
func (n *Node) commit(teardown func(context.Context) error) {
	n.teardown = teardown
	n.turn <- struct{}{}
}

// abandon takes back a node whose object could not be created.
func (n *Node) abandon() {
	n.detach()
	n.turn <- struct{}{}
}

func (n *Node) detach() {
	tree.Lock()
	defer tree.Unlock()
	n.phase.Store(phaseClosed)
	delete(tree.nodes, n)
	for _, p := range n.parents {
		delete(p.children, n)
	}
}

func (n *Node) String() string {
	if n.detail == nil {
		return fmt.Sprintf("%s#%d", n.kind, n.id)
	}
	return fmt.Sprintf("%s#%d (%s)", n.kind, n.id, n.detail())
}

// text is the detail of a node that is known beforehand.
func text(format string, args ...any) func() string {
	return func() string { return fmt.Sprintf(format, args...) }
}

// Open returns an error if the object is closed or being closed.
func (n *Node) Open(op string) error {
	if n.phase.Load() == phaseOpen {
		return nil
	}
	return n.closedError(op)
}

func (n *Node) closedError(op string) error {
	return newStateError(n.String(), StateClosed, nil, op, nil)
}
