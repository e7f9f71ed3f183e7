package core

import (
	"cmp"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/common"
)

// Bounds are what many ranges of one memory are checked against; see bind.Bounds.
type Bounds struct {
	mem   *Memory
	start uintptr
	size  uint
	phase *atomic.Int32
}

// Init makes the bounds those of a memory.
func (b *Bounds) Init(m *Memory) { *b = Bounds{m, m.start, uint(m.size), &m.Node.phase} }

// Made reports whether the bounds are those of a memory.
func (b *Bounds) Made() bool { return b != nil && b.mem != nil }

// Of reports whether the bounds are those of a memory.
func (b *Bounds) Of(m *Memory) bool { return b.mem == m }

// At returns the address of the n bytes that begin at off, and whether they are within a memory that is open.
func (b *Bounds) At(off, n int) (uintptr, bool) {
	return b.start + uintptr(off), uint(off) <= b.size && uint(n) <= b.size-uint(off) && b.phase != nil && b.phase.Load() == phaseOpen
}

// Meets reports whether a range of one memory may share bytes with a range of the other, as far as Segment.Overlaps
// compares them.
func (b *Bounds) Meets(o *Bounds) bool {
	if b.mem == o.mem {
		return true
	}
	if b.mem.imported || o.mem.imported {
		return false
	}
	return b.start < o.start+uintptr(o.size) && o.start < b.start+uintptr(b.size)
}

// Same reports whether both are of the same memory.
func (b *Bounds) Same(o *Bounds) bool { return b.mem == o.mem }

// CheckAll checks a memory for all ranges of it that the tasks of an operation use.
func (r *Ranges) CheckAll(b *Bounds, op string, write bool) error {
	if r == nil || r.link == nil || b == nil || b.mem == nil {
		return noRange(op)
	}
	m := b.mem
	if m.Node.phase.Load() == phaseOpen && !(write && m.readOnly.Load()) && m.reaches(r.link.dev) {
		return nil
	}
	return cmp.Or(m.Node.Open(op), m.usable(r.link, op, m.Node, write))
}

// Hold gives an item a buffer on a memory that CheckAll has checked.
func (r *Ranges) Hold(v *common.BufView, h *Held, b *Bounds, op string) error {
	if r == nil || r.link == nil || v == nil || h == nil || b == nil || b.mem == nil {
		return noRange(op)
	}
	if h.of(b.mem) {
		return nil
	}
	if st := b.mem.stock.Load(); st != nil && st.owner == r && len(st.free) > 0 {
		r.Release(v, h)
		st.give(v, h)
		return nil
	}
	return r.take(v, h, b.mem, op, true)
}
