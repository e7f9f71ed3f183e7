package core

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// The phases of a node. An open one is closing before it is closed, and never goes back. The zero value is that of the nodes that
// stand for no object.
const (
	phaseClosed int32 = iota
	phaseOpen
	phaseClosing
)

// Node is the place of an object in the ownership tree.
type Node struct {
	phase   atomic.Int32 // first: that of a Buffer is then beside what each operation needs of it
	rank    rank
	private bool // it belongs to the first of its children, and is closed after that
	shared  bool // only the close of its last parent closes it; it has parents only then, guarded by tree
	taken   bool // somebody creates or closes the object; guarded by tree
	id      uint64
	kind    string
	body    body                  // the object
	stack   atomic.Pointer[stack] // where it was created; nil: nobody knows yet
	origin  atomic.Pointer[Node]  // see CreatedFor; may be nil

	parents  []edge
	pair     [2]edge // room for two of them
	children []*Node // in no order; guarded by tree

	attempts atomic.Int32 // the Shutdowns that are to close it
	signs    atomic.Int32 // lost, failed
}

// edge is the place of a node below one of its parents.
type edge struct {
	parent *Node
	at     int32 // its index among the children; guarded by tree
	first  bool  // the parent belongs to the node: it is private, and had no child before
}

// The signs of a node.
const (
	lost   int32 = 1 << iota // the handle was dropped
	failed                   // a close failed
)

func (n *Node) has(sign int32) bool { return n.signs.Load()&sign != 0 }

// body is what a node stands for.
type body interface {
	describe() string               // for messages, such as "4096 bytes"; may be empty
	teardown(context.Context) error // is called again after an error, until it returns nil
	prepare(context.Context) error  // is called before anything below the object is closed
	resume()                        // is called after a Shutdown that was to close the object and has failed
}

// plain is a body made of functions.
type plain struct {
	detail  string
	close   func(context.Context) error // set by commit
	before  func(context.Context) error // may be nil
	resumed atomic.Pointer[func()]      // may be nil
}

func (p *plain) describe() string                   { return p.detail }
func (p *plain) teardown(ctx context.Context) error { return p.close(ctx) }
func (p *plain) prepare(ctx context.Context) error {
	if p.before == nil {
		return nil
	}
	return p.before(ctx)
}
func (p *plain) resume() {
	if resumed := p.resumed.Load(); resumed != nil {
		(*resumed)()
	}
}

// tree guards the edges between all nodes.
var tree struct {
	sync.Mutex
	roots map[*Node]struct{}      // the nodes without parents
	free  map[*Node]chan struct{} // of nodes that somebody waits for: closed when taken becomes false
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
	n.taken = true
	n.phase.Store(phaseOpen)
	if !n.private { // it is created where its context is: see Link.Create
		n.stack.Store(creationStack())
	}
	tree.Lock()
	defer tree.Unlock()
	for _, p := range parents {
		if p.phase.Load() != phaseOpen {
			return p.closedError("create " + n.kind)
		}
	}
	tree.last++
	n.id = tree.last
	n.parents = n.pair[:0]
	for _, p := range parents {
		n.joinLocked(p)
	}
	if len(parents) == 0 {
		if tree.roots == nil {
			tree.roots = map[*Node]struct{}{}
		}
		tree.roots[n] = struct{}{}
	}
	return nil
}

// joinLocked makes the node a child of a parent, if it is not one yet.
func (n *Node) joinLocked(parent *Node) {
	if n.placeLocked(parent) < 0 {
		n.parents = append(n.parents, edge{parent, int32(len(parent.children)), parent.private && len(parent.children) == 0})
		parent.children = append(parent.children, n)
	}
}

// cutLocked takes the node out of the parent's list. The last one of the list takes its place.
func (e edge) cutLocked() {
	list := e.parent.children
	last := len(list) - 1
	moved := list[last]
	list[e.at], list[last] = moved, nil
	e.parent.children = list[:last]
	moved.parents[moved.placeLocked(e.parent)].at = e.at
}

// placeLocked returns which of the node's parents that one is, or -1.
func (n *Node) placeLocked(parent *Node) int {
	return slices.IndexFunc(n.parents, func(e edge) bool { return e.parent == parent })
}

// allLocked calls visit with each node of the tree, once.
func allLocked(visit func(*Node)) {
	var below func(*Node)
	below = func(n *Node) {
		visit(n)
		for _, c := range n.children {
			if c.parents[0].parent == n { // the others lead to it, too
				below(c)
			}
		}
	}
	for n := range tree.roots {
		below(n)
	}
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

// undo takes back what there is of an object that could not be created: close does so. If that fails, the node stays for what is left, and
// a Close of an owner calls close again.
func (n *Node) undo(close func(context.Context) error) error {
	err := close(context.Background())
	if err != nil && len(n.parents) > 0 {
		n.commit(close)
	} else {
		n.abandon()
	}
	return err
}

// detach removes the node from the tree.
func (n *Node) detach() {
	tree.Lock()
	defer tree.Unlock()
	n.detachLocked()
}

func (n *Node) detachLocked() {
	n.phase.Store(phaseClosed)
	delete(tree.roots, n)
	for _, e := range n.parents { // they stay known: see closed
		e.cutLocked()
	}
	for _, c := range n.children { // shared ones, which have other parents
		c.parents = slices.DeleteFunc(c.parents, func(e edge) bool { return e.parent == n })
	}
	n.children = nil
}

// take waits until nobody else creates or closes the object.
func (n *Node) take(ctx context.Context) error {
	tree.Lock()
	defer tree.Unlock()
	for n.taken {
		free := tree.free[n]
		if free == nil {
			free = make(chan struct{})
			if tree.free == nil {
				tree.free = map[*Node]chan struct{}{}
			}
			tree.free[n] = free
		}
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
	if free := tree.free[n]; free != nil {
		close(free)
		delete(tree.free, n)
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
	n.joinLocked(parent)
	delete(tree.roots, n)
	return true
}

// keptLocked reports whether a shared node stays open because one of its parents does. tree is
// locked.
func (n *Node) keptLocked() bool {
	return n.shared && slices.ContainsFunc(n.parents, func(e edge) bool { return e.parent.phase.Load() == phaseOpen })
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
