package dma

import (
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// group is a run of copies of a batch that are alike.
type group struct {
	kind groupKind
	n    int // copies
}

type groupKind uint8

const (
	ofNothing groupKind = iota // they have no bytes, and no items
	ofBuffers
	ofRanges
)

// lastGroup returns the group of the last copy; nil if there is none.
func (b *batch) lastGroup() *group {
	if len(b.groups) == 0 {
		return nil
	}
	return &b.groups[len(b.groups)-1]
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
		if g.kind != was.kind || g.n > was.n || g.n < was.n && i < last {
			return false
		}
	}
	return (b.used == b.prepared || b.prepared <= len(b.slots)) && b.routes.Aimed(b.rangesEnd())
}

// rangesEnd returns the number of the items up to the last one of a range.
func (b *batch) rangesEnd() int {
	items, end := 0, 0
	for i := range b.groups {
		switch g := &b.groups[i]; g.kind {
		case ofBuffers:
			items += g.n
		case ofRanges:
			items += g.n
			end = items
		}
	}
	return end
}

// checkLocked checks the memories of ranges for a run, each once.
func (b *batch) checkLocked() error {
	item, err := b.routes.Check("run batch")
	if err != nil {
		return ofCopy(err, b.copyOf(item))
	}
	return nil
}

// holdLocked gives items, of which the first is item k, buffers on the memories of their ranges. It returns which of them
// has failed.
func (b *batch) holdLocked(items []gen.TaskMemcpyItem, k int) (int, error) {
	return b.routes.Hold(k, bind.ViewsOf(items, &items[0].Src, &items[0].Dst), "run batch")
}
