package core

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// The phases of a node. A node never goes back to an earlier phase.
const (
	phaseOpen int32 = iota
	phaseClosing
	phaseClosed
)

// Node is the place of an object in the ownership tree.
type Node struct {
	rank   rank
	id     uint64
	kind   string
	maker  string // what makes such an object, if the node stands for none
	detail func() string
	stack  atomic.Pointer[[]uintptr] // where it was created
	origin atomic.Pointer[Node]      // see CreatedFor; may be nil

	parents  []*Node
	private  bool               // it belongs to its one child, and is closed after it
	shared   bool               // only the close of its last parent closes it; it has parents only then, guarded by tree
	children map[*Node]struct{} // guarded by tree

	phase    atomic.Int32
	lost     atomic.Bool            // the handle was dropped
	failed   atomic.Bool            // a close failed
	attempts atomic.Int32           // the Shutdowns that are to close it
	resumed  atomic.Pointer[func()] // called after an attempt that failed; may be nil
	turn     chan struct{}          // holds a token; whoever takes it may create or close the object
	teardown func(context.Context) error
	before   func(context.Context) error // called before anything below the object is closed; may be nil
}

// tree guards the edges between all nodes.
var tree struct {
	sync.Mutex
	nodes map[*Node]struct{}
	last  uint64
}

// newNode puts an object that is about to be created below its parents. The caller then
// creates the DOCA object and calls commit or abandon; meanwhile a Close of a parent waits.
// newNode returns an error if a parent is closed or closing.
func newNode(r rank, kind string, detail func() string, parents ...*Node) (*Node, error) {
	n := &Node{rank: r, kind: kind, detail: detail, parents: parents}
	if err := n.enter(); err != nil {
		return nil, err
	}
	return n, nil
}

// enter is newNode for a node whose other fields are set.
func (n *Node) enter() error {
	n.turn, n.parents = make(chan struct{}, 1), slices.Compact(n.parents)
	n.created(creationStack())
	tree.Lock()
	defer tree.Unlock()
	for _, p := range n.parents {
		if p.phase.Load() != phaseOpen {
			return p.closedError("create " + n.kind)
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
	return nil
}

// commit says that the object exists. teardown destroys it; it is called again after an
// error, until it returns nil.
func (n *Node) commit(teardown func(context.Context) error) {
	n.teardown = teardown
	n.turn <- struct{}{}
}

// abandon removes the node of an object that could not be created.
func (n *Node) abandon() {
	n.detach()
	n.turn <- struct{}{}
}

// detach removes the node from the tree.
func (n *Node) detach() {
	tree.Lock()
	defer tree.Unlock()
	n.phase.Store(phaseClosed)
	delete(tree.nodes, n)
	for _, p := range n.parents {
		delete(p.children, n)
	}
	for c := range n.children { // shared ones, which have other parents
		c.parents = slices.DeleteFunc(c.parents, func(p *Node) bool { return p == n })
	}
}

// shareWith makes a shared node a child of another parent, too. It returns false if the parent is
// closed or closing.
func (n *Node) shareWith(parent *Node) bool {
	tree.Lock()
	defer tree.Unlock()
	if parent.phase.Load() != phaseOpen {
		return false
	}
	if !slices.Contains(n.parents, parent) {
		n.parents = append(n.parents, parent)
		if parent.children == nil {
			parent.children = map[*Node]struct{}{}
		}
		parent.children[n] = struct{}{}
	}
	return true
}

// keptLocked reports whether a shared node stays open because one of its parents does. tree is
// locked.
func (n *Node) keptLocked() bool {
	return n.shared && slices.ContainsFunc(n.parents, func(p *Node) bool { return p.phase.Load() == phaseOpen })
}

func (n *Node) String() string {
	if n.maker != "" {
		return "no " + n.kind
	}
	if n.detail == nil {
		return fmt.Sprintf("%s#%d", n.kind, n.id)
	}
	return fmt.Sprintf("%s#%d (%s)", n.kind, n.id, n.detail())
}

// text returns the detail of a node that never changes.
func text(format string, args ...any) func() string {
	return func() string { return fmt.Sprintf(format, args...) }
}

// Open returns an error for the operation op if the object is closed or being closed.
func (n *Node) Open(op string) error {
	if n.phase.Load() == phaseOpen {
		return nil
	}
	return n.closedError(op)
}

func (n *Node) closedError(op string) error {
	if err := n.noneError(op); err != nil {
		return err
	}
	return newStateError(n.String(), StateClosed, nil, op, nil)
}
