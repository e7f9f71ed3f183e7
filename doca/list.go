package doca

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/go-doca/go-doca/generated/common"
)

// Chain appends the list that next heads to the list that b heads; a single buffer is a
// list of one. Operations then take b for the whole list: they read the data segments,
// and fill the regions, one after the other. Both must be heads, of the same inventory
// and not in use. Closing an element takes it out of the list. Stands on
// doca_buf_chain_list.
func (b *Buffer) Chain(next *Buffer) error {
	if err := change("chain", b, next); err != nil {
		return err
	}
	defer b.b.inv.mu.Unlock()
	for _, x := range []*Buffer{b, next} {
		if x.b.head() != x.b {
			return fail("chain", x.String(), ErrNotPermitted, "it is inside a list: chain the list's head")
		}
	}
	if b == next {
		return fail("chain", b.String(), ErrInvalidValue, "a list cannot be chained to itself")
	}
	if err := common.BufChainList(b.b.raw, next.b.raw); err != nil {
		return fail("chain", b.String(), err, "")
	}
	relist(slices.Concat(b.b.elements(), next.b.elements()))
	runtime.KeepAlive(b) // relist looks for the handles
	runtime.KeepAlive(next)
	return nil
}

// Unchain splits the list that b heads in front of its element at: at and what follows
// it become a list of their own. An element of another list, or b itself, is
// ErrInvalidValue. Stands on doca_buf_unchain_list.
func (b *Buffer) Unchain(at *Buffer) error {
	if err := change("unchain", b, at); err != nil {
		return err
	}
	defer b.b.inv.mu.Unlock()
	i := slices.Index(b.b.list, at.b)
	if b.b.head() != b.b || i <= 0 {
		return fail("unchain", b.String(), ErrInvalidValue, fmt.Sprintf("%v is not a later element of the list that it heads", at))
	}
	err := b.b.split(i)
	runtime.KeepAlive(b) // split looks for the handles
	runtime.KeepAlive(at)
	return fail("unchain", b.String(), err, "")
}

// Elements returns the list that b is in, head first.
func (b *Buffer) Elements() []*Buffer {
	b.b.inv.mu.Lock()
	defer b.b.inv.mu.Unlock()
	if b.mates == nil {
		return []*Buffer{b}
	}
	return slices.Clone(b.mates)
}

// ListLen returns the number of buffers in the list that b is in: 1 if it is alone.
func (b *Buffer) ListLen() int {
	b.b.inv.mu.Lock()
	defer b.b.inv.mu.Unlock()
	return max(1, len(b.b.list))
}

// ListDataLen returns the sum of the data segments in the list that b is in, in bytes.
func (b *Buffer) ListDataLen() int {
	b.b.inv.mu.Lock()
	defer b.b.inv.mu.Unlock()
	sum := 0
	for _, x := range b.b.elements() {
		sum += x.n
	}
	return sum
}

// split cuts the list that b heads in front of element i.
func (b *buffer) split(i int) error {
	list := b.list
	if err := common.BufUnchainList(b.raw, list[i].raw); err != nil {
		return err
	}
	relist(list[:i:i])
	relist(list[i:])
	return nil
}

// unlink takes b out of its list, which closes up.
func (b *buffer) unlink() error {
	if b.list == nil {
		return nil
	}
	head := b.list[0]
	if head != b {
		if err := head.split(slices.Index(b.list, b)); err != nil {
			return err
		}
	}
	if b.list == nil {
		return nil
	}
	rest := b.list[1]
	if err := b.split(1); err != nil || head == b {
		return err
	}
	if err := common.BufChainList(head.raw, rest.raw); err != nil {
		return err
	}
	relist(slices.Concat(head.elements(), rest.elements()))
	return nil
}

// relist makes elems one list. The inventory's mu is held.
func relist(elems []*buffer) {
	var mates []*Buffer
	list := elems
	if len(elems) == 1 {
		list = nil
	}
	for _, b := range list {
		if h := b.handle.Value(); h != nil {
			mates = append(mates, h)
		}
	}
	for _, b := range elems {
		b.list = list
		if h := b.handle.Value(); h != nil {
			h.mates = mates
		}
	}
}
