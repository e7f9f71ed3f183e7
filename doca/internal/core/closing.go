package core

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
)

// rank orders the kinds of objects as DOCA demands: lower ranks are closed first.
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

// subtree marks n and everything below it as closing, and returns these nodes in closing
// order, behind those in order. Each of them gets an attempt, which ends with attempted.
func (n *Node) subtree(order []*Node) []*Node {
	tree.Lock()
	defer tree.Unlock()
	if len(n.children) == 0 { // as most often
		engine, simple := n.engineLocked()
		if simple {
			n.closingLocked()
			order = append(order, n)
			if engine != nil {
				engine.closingLocked()
				order = append(order, engine)
			}
			return order
		}
	}
	seen := map[*Node]bool{}
	var visit func(*Node)
	visit = func(m *Node) {
		if seen[m] || m != n && m.keptLocked() {
			return
		}
		seen[m] = true
		m.closingLocked()
		newestFirst := slices.SortedFunc(slices.Values(m.children), func(a, b *Node) int { return cmp.Compare(b.id, a.id) })
		for _, c := range newestFirst {
			visit(c)
		}
		order = append(order, m)
		for _, e := range m.parents {
			if e.first {
				visit(e.parent)
			}
		}
	}
	visit(n)
	slices.SortStableFunc(order, func(a, b *Node) int { return cmp.Compare(a.rank, b.rank) })
	return order
}

// engineLocked returns the private engine of a node without children, or nil if it has none. It reports whether there is nothing else to
// close with the node.
func (n *Node) engineLocked() (engine *Node, simple bool) {
	for i := range n.parents {
		switch e := &n.parents[i]; {
		case !e.first:
		case engine != nil || len(e.parent.children) > 1 || slices.ContainsFunc(e.parent.parents, func(e edge) bool { return e.first }):
			return nil, false
		default:
			engine = e.parent
		}
	}
	return engine, true
}

// closingLocked marks the node as closing.
func (n *Node) closingLocked() {
	n.attempts.Add(1) // before anybody sees that it is closing
	if n.phase.CompareAndSwap(phaseOpen, phaseClosing) && n.rank == rankMemory {
		closings.Add(1)
	}
}

// closings counts memories that have begun to close, so that who has seen that some are open sees with one look that they still are. All
// cores read it, so nothing that one writes may be near.
var closings struct {
	_ abi.Apart
	atomic.Uint64
	_ abi.Apart
}

// Shutdown closes n and everything below it. A node that fails stays open, and so do its
// parents; a later call tries them again.
func (n *Node) Shutdown(ctx context.Context) error {
	if n.closed() {
		return nil
	}
	var few [2]*Node
	order := n.subtree(few[:0])
	if err := prepare(ctx, order); err != nil {
		for _, m := range order {
			m.attempted(err)
		}
		return err
	}
	var errs []error
	for i, m := range order {
		err := m.close(ctx)
		m.attempted(err)
		if err == nil {
			continue
		}
		if blocked := new(blockedError); !errors.As(err, &blocked) || len(errs) == 0 {
			errs = append(errs, err)
		}
		m.signs.Or(failed)
		if m.has(lost) {
			m.report()
		}
		if ctx.Err() != nil {
			for _, rest := range order[i+1:] {
				rest.attempted(err)
			}
			break
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// prepare tells the objects that they are about to be closed, owners first. If one fails, none is closed.
func prepare(ctx context.Context, order []*Node) error {
	for _, m := range slices.Backward(order) {
		if m.phase.Load() == phaseClosed {
			continue
		}
		if err := m.body.prepare(ctx); err != nil {
			m.signs.Or(failed)
			if m.has(lost) {
				m.report()
			}
			return err
		}
	}
	return nil
}

// attempted ends an attempt to close the node.
func (n *Node) attempted(err error) {
	n.attempts.Add(-1)
	if err != nil {
		n.body.resume()
	}
}

// closed reports whether nothing is left to close.
func (n *Node) closed() bool {
	if n.phase.Load() != phaseClosed {
		return false
	}
	for i := range n.parents {
		if n.shared { // its parents change, and are none of its own
			break
		}
		if e := &n.parents[i]; e.first && !e.parent.closed() { // not the edge: its place changes
			return false
		}
	}
	return true
}

// close closes one node. Its children are closed already.
func (n *Node) close(ctx context.Context) error {
	if err := n.take(ctx); err != nil {
		return err
	}
	err := n.closeTaken(ctx)
	tree.Lock()
	defer tree.Unlock()
	if err == nil && n.phase.Load() != phaseClosed {
		n.detachLocked()
	}
	n.giveLocked()
	return err
}

// closeTaken is close for a node that was taken.
func (n *Node) closeTaken(ctx context.Context) error {
	if n.phase.Load() == phaseClosed {
		return nil
	}
	if c := n.child(); c != nil {
		return &blockedError{parent: n.String(), child: c.String()}
	}
	return n.body.teardown(ctx)
}

// child returns a child of the node, or nil.
func (n *Node) child() *Node {
	tree.Lock()
	defer tree.Unlock()
	for _, c := range n.children {
		if !c.keptLocked() {
			return c
		}
	}
	return nil
}

// blockedError reports an object that stays open because a child could not be closed.
type blockedError struct{ parent, child string }

func (e *blockedError) Error() string {
	return "doca: close on " + e.parent + ": it stays open because " + e.child + " could not be closed; call Close again"
}

func (e *blockedError) Is(target error) bool { return target == abi.ErrorInUse }
