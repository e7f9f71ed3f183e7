package dma

import (
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// group is a run of copies of a batch that are alike.
type group struct {
	kind     groupKind
	meets    bool // a range of src may share bytes with one of dst
	n        int  // copies
	src, dst bind.Bounds
}

type groupKind uint8

const (
	ofNothing groupKind = iota // they have no bytes, and no items
	ofBuffers
	ofRanges // of the memories src and dst
)

// lastGroup returns the group of the last copy; nil if there is none.
func (b *batch) lastGroup() *group {
	if len(b.groups) == 0 {
		return nil
	}
	return &b.groups[len(b.groups)-1]
}

// groupOf begins a group of ranges of two memories. It may have been here before Reset.
func (b *batch) groupOf(dst, src *doca.Memory) {
	k := len(b.groups)
	b.groups = slices.Grow(b.groups, 1)[:k+1]
	g := &b.groups[k]
	if g.kind != ofRanges || !g.src.Of(src) || !g.dst.Of(dst) {
		g.kind = ofRanges
		g.src.Init(src)
		g.dst.Init(dst)
		g.meets = g.src.Meets(&g.dst)
	}
	g.n = 0
}

// len returns the number of copies.
func (b *batch) len() int { return b.used + b.empty }

// copyOf returns the copy that an item is for.
func (b *batch) copyOf(item int) int {
	first := 0
	for i := range b.groups {
		g := &b.groups[i]
		if g.kind != ofNothing {
			if item < g.n {
				return first + item
			}
			item -= g.n
		}
		first += g.n
	}
	return b.len()
}

// copyOfPair returns the copy that a pair of buffers in the claim is for.
func (b *batch) copyOfPair(pair int) int {
	first := 0
	for i := range b.groups {
		g := &b.groups[i]
		if g.kind == ofBuffers {
			if pair < g.n {
				return first + pair
			}
			pair -= g.n
		}
		first += g.n
	}
	return b.len()
}

// aimedLikeLocked reports whether the items were prepared for copies on the same memories, and for copies of
// buffers in the same places. They may have been prepared for further copies, if each had a task of its own.
func (b *batch) aimedLikeLocked() bool {
	last := len(b.groups) - 1
	if last >= len(b.aimed) {
		return false
	}
	for i := range b.groups {
		g, was := &b.groups[i], &b.aimed[i]
		if g.kind != was.kind || g.n > was.n || g.n < was.n && i < last || g.kind == ofRanges && !(g.src.Same(&was.src) && g.dst.Same(&was.dst)) {
			return false
		}
	}
	return b.used == b.prepared || b.prepared <= len(b.slots)
}

// checkGroupLocked checks the memories of a group for a run.
func (b *batch) checkGroupLocked(g *group) error {
	err := b.c.ranges.CheckAll(&g.src, "run batch", false)
	if err == nil {
		err = b.c.ranges.CheckAll(&g.dst, "run batch", true)
	}
	return err
}

// checkLocked checks the memories for a run, once for each group.
func (b *batch) checkLocked() error {
	first := 0
	for i := range b.groups {
		g := &b.groups[i]
		if g.kind == ofRanges && g.n > 0 {
			if err := b.checkGroupLocked(g); err != nil {
				return ofCopy(err, first)
			}
		}
		first += g.n
	}
	return nil
}

// holdGroupLocked gives items, from the given one on, buffers on the memories of a group. It returns which of the copies of
// the group has failed.
func (b *batch) holdGroupLocked(g *group, item int) (int, error) {
	b.ranged = true
	for j := range g.n {
		h, at := &b.held[item+j], &b.items[item+j]
		err := b.c.ranges.Hold(&at.Src, &h.src, &g.src, "run batch")
		if err == nil {
			err = b.c.ranges.Hold(&at.Dst, &h.dst, &g.dst, "run batch")
		}
		if err != nil {
			b.c.releaseRangeLocked(at, h)
			return j, err
		}
	}
	return g.n, nil
}
