package core

import (
	"context"
	"slices"
	"strconv"
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
	phase   atomic.Int32 // first: that of a Buffer is then beside what each operation needs of it
	rank    rank
	private bool // it belongs to its one child, and is closed after it
	shared  bool // only the close of its last parent closes it; it has parents only then, guarded by tree
	taken   bool // somebody creates or closes the object; guarded by tree
	id      uint64
	kind    string
	body    body                  // the object
	stack   atomic.Pointer[stack] // where it was created
	origin  atomic.Pointer[Node]  // see CreatedFor; may be nil

	parents  []*Node
	pair     [2]*Node           // room for two of them
	children map[*Node]struct{} // guarded by tree

	attempts atomic.Int32           // the Shutdowns that are to close it
	lost     atomic.Bool            // the handle was dropped
	failed   atomic.Bool            // a close failed
	resumed  atomic.Pointer[func()] // called after an attempt that failed; may be nil
	free     chan struct{}          // closed when taken becomes false, if somebody waits for that; guarded by tree
}

// body is what a node stands for.
type body interface {
	describe() string               // for messages, such as "4096 bytes"; may be empty
	teardown(context.Context) error // is called again after an error, until it returns nil
	prepare(context.Context) error  // is called before anything below the object is closed
}

// plain is a body made of functions.
type plain struct {
	detail string
	close  func(context.Context) error // set by commit
	before func(context.Context) error // may be nil
}

func (p *plain) describe() string                   { return p.detail }
func (p *plain) teardown(ctx context.Context) error { return p.close(ctx) }
func (p *plain) prepare(ctx context.Context) error {
	if p.before == nil {
		return nil
	}
	return p.before(ctx)
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
func newNode(r rank, kind, detail string, parents ...*Node) (*Node, error) {
	n := &Node{rank: r, kind: kind, body: &plain{detail: detail}}
	if err := n.enter(parents...); err != nil {
		return nil, err
	}
	return n, nil
}

// enter is newNode for a node with a rank, a kind and a body.
func (n *Node) enter(parents ...*Node) error {
	n.parents = slices.Compact(append(n.pair[:0], parents...))
	n.taken = true
	n.stack.Store(creationStack())
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

// commit says that the object exists, and how it is closed: see plain.
func (n *Node) commit(close func(context.Context) error) {
	n.body.(*plain).close = close
	n.created()
}

// created says that the object exists.
func (n *Node) created() {
	tree.Lock()
	defer tree.Unlock()
	n.giveLocked()
}

// abandon removes the node of an object that could not be created.
func (n *Node) abandon() {
	tree.Lock()
	defer tree.Unlock()
	n.detachLocked()
	n.giveLocked()
}

// detach removes the node from the tree.
func (n *Node) detach() {
	tree.Lock()
	defer tree.Unlock()
	n.detachLocked()
}

func (n *Node) detachLocked() {
	n.phase.Store(phaseClosed)
	delete(tree.nodes, n)
	for _, p := range n.parents {
		delete(p.children, n)
	}
	for c := range n.children { // shared ones, which have other parents
		c.parents = slices.DeleteFunc(c.parents, func(p *Node) bool { return p == n })
	}
}

// take waits until nobody else creates or closes the object.
func (n *Node) take(ctx context.Context) error {
	tree.Lock()
	defer tree.Unlock()
	for n.taken {
		if n.free == nil {
			n.free = make(chan struct{})
		}
		free := n.free
		tree.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			tree.Lock()
			return n.Fail("close", ctx.Err(), "another goroutine is closing it")
		}
		tree.Lock()
	}
	n.taken = true
	return nil
}

// giveLocked ends what take or enter began. tree is locked.
func (n *Node) giveLocked() {
	n.taken = false
	if n.free != nil {
		close(n.free)
		n.free = nil
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
	if n.none() {
		return "no " + n.kind
	}
	name := n.kind + "#" + strconv.FormatUint(n.id, 10)
	if detail := n.body.describe(); detail != "" {
		name += " (" + detail + ")"
	}
	return name
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
