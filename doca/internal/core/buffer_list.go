package core

import (
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// head returns the first of the list that the buffer is in.
func (b *Buffer) head() *Buffer {
	if b.list == nil {
		return b
	}
	return b.list[0]
}

// elements returns the list that the buffer is in.
func (b *Buffer) elements() []*Buffer {
	if b.list == nil {
		return []*Buffer{b}
	}
	return b.list
}

// Chain appends the list that next heads to the list that b heads. The handles of both are
// not lost meanwhile.
func (b *Buffer) Chain(next *Buffer) error {
	if err := change("chain", b, next); err != nil {
		return err
	}
	defer b.inv.mu.Unlock()
	for _, x := range []*Buffer{b, next} {
		if x.head() != x {
			return Fail("chain", x.Node.String(), abi.ErrorNotPermitted, "it is inside a list: chain the list's head")
		}
	}
	if b == next {
		return Fail("chain", b.Node.String(), abi.ErrorInvalidValue, "a list cannot be chained to itself")
	}
	if err := common.BufChainList(b.raw, next.raw); err != nil {
		return Fail("chain", b.Node.String(), err, "")
	}
	relist(slices.Concat(b.elements(), next.elements()))
	return nil
}

// Unchain splits the list that b heads in front of its element at. The handles of both are
// not lost meanwhile.
func (b *Buffer) Unchain(at *Buffer) error {
	if err := change("unchain", b, at); err != nil {
		return err
	}
	defer b.inv.mu.Unlock()
	i := slices.Index(b.list, at)
	if b.head() != b || i <= 0 {
		return Fail("unchain", b.Node.String(), abi.ErrorInvalidValue, fmt.Sprintf("%v is not a later element of the list that it heads", at.Node))
	}
	return Fail("unchain", b.Node.String(), b.split(i), "")
}

// Mates returns the handles of the list that the buffer of a handle is in, head first; nil
// if it is alone.
func Mates(h BufferOwner) []BufferOwner {
	bh := h.bufferHandle()
	bh.p.inv.mu.Lock()
	defer bh.p.inv.mu.Unlock()
	return bh.mates
}

// ListLen returns the number of buffers in the list that b is in: 1 if it is alone.
func (b *Buffer) ListLen() int {
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	return max(1, len(b.list))
}

// ListDataLen returns the sum of the data segments in the list that b is in, in bytes.
func (b *Buffer) ListDataLen() int {
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	sum := 0
	for _, x := range b.elements() {
		sum += x.n
	}
	return sum
}

// split cuts the list that b heads in front of element i.
func (b *Buffer) split(i int) error {
	list := b.list
	if err := common.BufUnchainList(b.raw, list[i].raw); err != nil {
		return err
	}
	relist(list[:i:i])
	relist(list[i:])
	return nil
}

// unlink takes b out of its list, which closes up.
func (b *Buffer) unlink() error {
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
func relist(elems []*Buffer) {
	var mates []BufferOwner
	list := elems
	if len(elems) == 1 {
		list = nil
	}
	for _, b := range list {
		if h := b.handle.Value(); h != nil {
			mates = append(mates, h.self)
		}
	}
	for _, b := range elems {
		b.list = list
		if h := b.handle.Value(); h != nil {
			h.mates = mates
		}
	}
}
