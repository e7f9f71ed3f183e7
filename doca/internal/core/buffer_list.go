package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// headLocked returns the first of the list that the buffer is in.
func (b *Buffer) headLocked() *Buffer {
	if b.list == nil {
		return b
	}
	return b.list[0]
}

// elementsLocked returns the list that the buffer is in.
func (b *Buffer) elementsLocked() []*Buffer {
	if b.list == nil {
		return []*Buffer{b}
	}
	return b.list
}

// Chain appends the list that next heads to the list that b heads. The caller keeps the
// handles of both alive.
func (b *Buffer) Chain(next *Buffer) error {
	if err := lockForChange("chain", b, next); err != nil {
		return err
	}
	defer b.inv.mu.Unlock()
	for _, x := range []*Buffer{b, next} {
		if x.headLocked() != x {
			return x.Node.Fail("chain", abi.ErrorNotPermitted, "it is inside a list: chain the list's head")
		}
	}
	if b == next {
		return b.Node.Fail("chain", abi.ErrorInvalidValue, "a list cannot be chained to itself")
	}
	for _, x := range []*Buffer{b, next} {
		if err := x.lackingLocked("chain"); err != nil {
			return err
		}
	}
	if err := common.BufChainList(b.raw, next.raw); err != nil {
		return b.Node.Fail("chain", err, "")
	}
	relistLocked(slices.Concat(b.elementsLocked(), next.elementsLocked()))
	return nil
}

// ChainAll makes new buffers, which are alone, a list. The caller keeps their handles alive.
func ChainAll(bufs []*Buffer) error {
	if len(bufs) < 2 {
		return nil
	}
	if err := lockForChange("chain", bufs...); err != nil {
		return err
	}
	head := bufs[0]
	defer head.inv.mu.Unlock()
	for i := len(bufs) - 1; i > 0; i-- { // from the end on, where DOCA's lists are short
		if err := common.BufChainList(bufs[i-1].raw, bufs[i].raw); err != nil {
			relistLocked(bufs[i:])
			return Fail("chain", bufs[i-1].Node.String(), err, "")
		}
	}
	relistLocked(bufs)
	return nil
}

// closeListLocked gives the list that b heads back to DOCA, and closes the other buffers in it.
func (b *Buffer) closeListLocked() error {
	var mems []*Memory // DOCA counts the buffers of each
	for _, x := range b.list {
		if !slices.Contains(mems, x.mem) {
			mems = append(mems, x.mem)
		}
	}
	slices.SortFunc(mems, func(a, b *Memory) int { return cmp.Compare(a.Node.id, b.Node.id) })
	for _, m := range mems {
		m.mu.Lock()
		defer m.mu.Unlock()
	}
	if _, err := common.BufDecRefcount(b.raw); err != nil {
		return err
	}
	list := b.list
	for _, x := range list {
		relistLocked([]*Buffer{x})
		if x != b {
			x.raw = nil
			x.Node.detach()
		}
	}
	return nil
}

// Unchain splits the list that b heads in front of its element at. The caller keeps the
// handles of both alive.
func (b *Buffer) Unchain(at *Buffer) error {
	if err := lockForChange("unchain", b, at); err != nil {
		return err
	}
	defer b.inv.mu.Unlock()
	i := slices.Index(b.list, at)
	if b.headLocked() != b || i <= 0 {
		return b.Node.Fail("unchain", abi.ErrorInvalidValue, fmt.Sprintf("%v is not behind it in a list that it heads", at.Node))
	}
	return b.Node.Fail("unchain", b.splitLocked(i), "")
}

// Mates returns the handles of the list that a buffer is in, head first, or nil if the
// buffer is alone.
func Mates(h BufferOwner) []BufferOwner {
	bh := h.bufferHandle()
	bh.p.inv.mu.Lock()
	defer bh.p.inv.mu.Unlock()
	if bh.chain == nil {
		return nil
	}
	return bh.chain.mates
}

// ListLen returns the number of buffers in the list that b is in; 1 if b is alone.
func (b *Buffer) ListLen() int {
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	return max(1, len(b.list))
}

// ListDataLen returns the length of all data segments in the list that b is in, in bytes.
func (b *Buffer) ListDataLen() int {
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	sum := 0
	for _, x := range b.elementsLocked() {
		x.syncLocked()
		sum += x.n
	}
	return sum
}

// splitLocked splits the list that b heads in front of element i.
func (b *Buffer) splitLocked(i int) error {
	list := b.list
	if err := common.BufUnchainList(b.raw, list[i].raw); err != nil {
		return err
	}
	relistLocked(list[:i:i])
	relistLocked(list[i:])
	return nil
}

// gap is the place of a buffer in the list that it was taken out of: behind the list that before
// heads, and in front of the one that after heads. A close that fails leaves it for the next one.
type gap struct{ before, after *Buffer }

// unlinkLocked takes b out of its list and closes the gap.
func (b *Buffer) unlinkLocked() error {
	if head := b.headLocked(); head != b {
		if err := head.splitLocked(slices.Index(b.list, b)); err != nil {
			return err
		}
		b.rareLocked().gap.before = head
	}
	if b.list != nil {
		rest := b.list[1]
		if err := b.splitLocked(1); err != nil {
			return err
		}
		b.rareLocked().gap.after = rest
	}
	if b.rare == nil {
		return nil
	}
	if err := b.rare.gap.closeLocked(); err != nil {
		return err
	}
	b.rare.gap = gap{}
	return nil
}

// closeLocked chains what is before the gap to what is after it, unless the program has changed
// one of them since.
func (g gap) closeLocked() error {
	for _, x := range []*Buffer{g.before, g.after} {
		if x == nil || x.Node.phase.Load() == phaseClosed || x.headLocked() != x || x.userLocked() != nil || x.posted {
			return nil
		}
	}
	if g.before == g.after {
		return nil
	}
	g.before.disturbLocked()
	g.after.disturbLocked()
	if err := common.BufChainList(g.before.raw, g.after.raw); err != nil {
		return err
	}
	relistLocked(slices.Concat(g.before.elementsLocked(), g.after.elementsLocked()))
	return nil
}

// handleLocked returns the handle of a buffer that has been in a list, or nil if it is gone.
func (b *Buffer) handleLocked() *BufferHandle {
	if b.rare == nil {
		return nil
	}
	return b.rare.handle.Value()
}

// relistLocked makes elems one list, and makes their handles keep each other alive.
func relistLocked(elems []*Buffer) {
	var mates []BufferOwner
	list := elems
	if len(elems) == 1 {
		list = nil
	}
	for _, b := range list {
		if h := b.handleLocked(); h != nil {
			mates = append(mates, h.chain.self)
		}
	}
	for _, b := range elems {
		b.list, b.listed = list, list != nil
		if h := b.handleLocked(); h != nil {
			h.chain.mates = mates
		}
	}
}
