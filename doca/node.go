package doca

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
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

// node is the place of an object in the ownership tree. It is the inner part of the
// object: the handle that users hold points to it, never the other way round, so that
// a lost handle is noticed.
type node struct {
	rank   rank
	id     uint64
	kind   string
	detail func() string
	stack  []uintptr

	parents  []*node
	private  bool               // it is there for its one child, and is closed after that
	children map[*node]struct{} // guarded by tree

	phase    atomic.Int32
	lost     atomic.Bool   // the handle was dropped
	failed   atomic.Bool   // a close ended in an error
	turn     chan struct{} // holds a token; whoever takes it may create or close
	teardown func(context.Context) error
}

// tree guards the links between all nodes.
var tree struct {
	sync.Mutex
	nodes map[*node]struct{}
	last  uint64
}

// newNode puts an object that is about to be created below its parents. The caller
// creates the DOCA object and then calls commit or abandon; meanwhile a Close of a
// parent waits. A parent that is closed or closing refuses.
func newNode(r rank, kind string, detail func() string, parents ...*node) (*node, error) {
	n := &node{rank: r, kind: kind, detail: detail, turn: make(chan struct{}, 1), parents: slices.Compact(parents)}
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
		tree.nodes = map[*node]struct{}{}
	}
	tree.nodes[n] = struct{}{}
	for _, p := range n.parents {
		if p.children == nil {
			p.children = map[*node]struct{}{}
		}
		p.children[n] = struct{}{}
	}
	return n, nil
}

// commit says that the object exists and how to take it down. teardown is called until
// it returns nil; after an error it must be possible to call it again.
func (n *node) commit(teardown func(context.Context) error) {
	n.teardown = teardown
	n.turn <- struct{}{}
}

// abandon takes back a node whose object could not be created.
func (n *node) abandon() {
	n.detach()
	n.turn <- struct{}{}
}

func (n *node) detach() {
	tree.Lock()
	defer tree.Unlock()
	n.phase.Store(phaseClosed)
	delete(tree.nodes, n)
	for _, p := range n.parents {
		delete(p.children, n)
	}
}

func (n *node) String() string {
	if n.detail == nil {
		return fmt.Sprintf("%s#%d", n.kind, n.id)
	}
	return fmt.Sprintf("%s#%d (%s)", n.kind, n.id, n.detail())
}

// text is the detail of a node that is known beforehand.
func text(format string, args ...any) func() string {
	return func() string { return fmt.Sprintf(format, args...) }
}

// open returns an error if the object is closed or being closed.
func (n *node) open(op string) error {
	if n.phase.Load() == phaseOpen {
		return nil
	}
	return n.closedError(op)
}

func (n *node) closedError(op string) error {
	return &StateError{Object: n.String(), State: StateClosed, Op: op}
}

// subtree marks n and all below it as closing and returns them in closing order.
func (n *node) subtree() []*node {
	tree.Lock()
	defer tree.Unlock()
	var order []*node
	seen := map[*node]bool{}
	var visit func(*node)
	visit = func(m *node) {
		if seen[m] {
			return
		}
		seen[m] = true
		m.phase.CompareAndSwap(phaseOpen, phaseClosing)
		newestFirst := slices.SortedFunc(maps.Keys(m.children), func(a, b *node) int { return cmp.Compare(b.id, a.id) })
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
	slices.SortStableFunc(order, func(a, b *node) int { return cmp.Compare(a.rank, b.rank) })
	return order
}

// shutdown closes the subtree. Nodes that fail stay open, and so do their parents; a
// later call tries them again.
func (n *node) shutdown(ctx context.Context) error {
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
func (n *node) closed() bool {
	return n.phase.Load() == phaseClosed && !slices.ContainsFunc(n.parents, func(p *node) bool { return p.private && !p.closed() })
}

// close takes down one node whose children are closed.
func (n *node) close(ctx context.Context) error {
	select {
	case <-n.turn:
	default:
		select {
		case <-n.turn:
		case <-ctx.Done():
			return fail("close", n.String(), ctx.Err(), "another goroutine is closing it")
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

func (n *node) child() *node {
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

func (e *blockedError) Is(target error) bool { return target == ErrInUse }

// object is what every handle embeds.
type object struct{ n *node }

// Owner is an object that others can be created below: they are closed before it.
type Owner interface{ owner() *node }

func (o *object) owner() *node { return o.n }

// Close closes the object and everything below it, in the order that DOCA demands. It
// waits for tasks in flight without limit; Shutdown is the form with one. Closing a
// closed object is no error. After an error the object stays open: call Close again.
// It may be called from any goroutine.
func (o *object) Close() error { return o.Shutdown(context.Background()) }

// Shutdown is Close that waits no longer than ctx. If ctx ends first it returns an
// error that wraps ctx.Err(), what is left takes no new work, and a later Close or
// Shutdown goes on.
func (o *object) Shutdown(ctx context.Context) error {
	err := o.n.shutdown(ctx)
	runtime.KeepAlive(o) // not lost while it is being closed
	return err
}

// String names the object for messages and logs: its kind, a number that no other
// object of the process has, and what it is about.
func (o *object) String() string { return o.n.String() }
