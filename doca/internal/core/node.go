package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
)

// rank is the order in which DOCA wants a subtree taken down.
type rank uint8

const (
	rankContext rank = iota
	rankEngine
	rankBuffer
	rankInventory
	rankMemory
	rankRepresentor
	rankDevice
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

// subtree marks n and all below it as closing and returns them in closing order.
func (n *Node) subtree() []*Node {
	tree.Lock()
	defer tree.Unlock()
	var order []*Node
	seen := map[*Node]bool{}
	var visit func(*Node)
	visit = func(m *Node) {
		if seen[m] {
			return
		}
		seen[m] = true
		m.phase.CompareAndSwap(phaseOpen, phaseClosing)
		newestFirst := slices.SortedFunc(maps.Keys(m.children), func(a, b *Node) int { return cmp.Compare(b.id, a.id) })
		for _, c := range newestFirst {
			visit(c)
		}
		order = append(order, m)
		for _, p := range m.parents {
			if p.private {
				visit(p)
			}
		}
	}
	visit(n)
	slices.SortStableFunc(order, func(a, b *Node) int { return cmp.Compare(a.rank, b.rank) })
	return order
}

// Shutdown closes the subtree. Nodes that fail stay open, and so do their parents; a
// later call tries them again.
func (n *Node) Shutdown(ctx context.Context) error {
	if n.closed() {
		return nil
	}
	var errs []error
	for _, m := range n.subtree() {
		err := m.close(ctx)
		if err == nil {
			continue
		}
		if blocked := new(blockedError); !errors.As(err, &blocked) || len(errs) == 0 {
			errs = append(errs, err)
		}
		m.failed.Store(true)
		if m.lost.Load() {
			m.report()
		}
		if ctx.Err() != nil {
			break
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// closed tells whether there is nothing left to close.
func (n *Node) closed() bool {
	return n.phase.Load() == phaseClosed && !slices.ContainsFunc(n.parents, func(p *Node) bool { return p.private && !p.closed() })
}

// close takes down one node whose children are closed.
func (n *Node) close(ctx context.Context) error {
	select {
	case <-n.turn:
	default:
		select {
		case <-n.turn:
		case <-ctx.Done():
			return Fail("close", n.String(), ctx.Err(), "another goroutine is closing it")
		}
	}
	defer func() { n.turn <- struct{}{} }()
	if n.phase.Load() == phaseClosed {
		return nil
	}
	if c := n.child(); c != nil {
		return &blockedError{parent: n.String(), child: c.String()}
	}
	if err := n.teardown(ctx); err != nil {
		return err
	}
	n.detach()
	return nil
}

func (n *Node) child() *Node {
	tree.Lock()
	defer tree.Unlock()
	for c := range n.children {
		return c
	}
	return nil
}

// blockedError is an object that stays open because one below it could not be closed.
type blockedError struct{ parent, child string }

func (e *blockedError) Error() string {
	return "doca: close on " + e.parent + ": it stays open because " + e.child + " could not be closed; call Close again"
}

func (e *blockedError) Is(target error) bool { return target == abi.ErrorInUse }
