package doca

import (
	"runtime"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// Buffer describes a range of a memory to DOCA: the region, and in it the data segment,
// which is what a copy from the buffer reads and what a copy to it leaves behind. It
// may be the head of a list of buffers (see Chain), which operations then use as one.
//
// While an operation uses a buffer, it and its memory are the device's: several
// operations may read a buffer at once, but one that is written to is nobody else's,
// and nothing about a buffer in use can be changed (ErrInUse). Close waits for the
// operations. It may be used from any goroutine.
type Buffer struct {
	object
	bufferHandle
	inv *Inventory // keep their handles as long as this one
	mem *Memory
}

type bufferHandle = core.BufferHandle

// Len returns the size of the region in bytes.
func (b *Buffer) Len() int { return core.BufferOf(b).Len() }

// Offset returns where in its memory the region begins.
func (b *Buffer) Offset() int { return core.BufferOf(b).Offset() }

// Memory returns the memory that the buffer is on.
func (b *Buffer) Memory() *Memory { return b.mem }

// Inventory returns the inventory that the buffer was taken from.
func (b *Buffer) Inventory() *Inventory { return b.inv }

// DataLen returns the length of the data segment in bytes: that of this buffer, not of
// a list. While an operation writes to the buffer it is what it was before.
func (b *Buffer) DataLen() int {
	_, n := core.BufferOf(b).Segment()
	return n
}

// SetData makes the n bytes that begin at off of the region the data segment. n may be
// 0. A segment outside the region is ErrInvalidValue, a buffer in use ErrInUse. Stands
// on doca_buf_set_data, which the next operation that uses the buffer calls.
func (b *Buffer) SetData(off, n int) error {
	return bufferOf(b).SetData(off, n)
}

// Bytes returns the region. It must not be used after the memory's Close, nor touched
// while an operation writes to it. A closed buffer gives nil, and so does one on imported
// memory.
func (b *Buffer) Bytes() []byte {
	return core.BufferOf(b).Bytes()
}

// Data returns the bytes of the data segment, under the rules of Bytes.
func (b *Buffer) Data() []byte {
	region := b.Bytes()
	if region == nil {
		return nil
	}
	off, n := core.BufferOf(b).Segment()
	return region[off:][:n:n]
}

// Chain appends the list that next heads to the list that b heads; a single buffer is a
// list of one. Operations then take b for the whole list: they read the data segments,
// and fill the regions, one after the other. Both must be heads, of the same inventory
// and not in use. Closing an element takes it out of the list. Stands on
// doca_buf_chain_list.
func (b *Buffer) Chain(next *Buffer) error {
	err := bufferOf(b).Chain(bufferOf(next))
	runtime.KeepAlive(b) // the list looks for the handles
	runtime.KeepAlive(next)
	return err
}

// Unchain splits the list that b heads in front of its element at: at and what follows
// it become a list of their own. An element of another list, or b itself, is
// ErrInvalidValue. Stands on doca_buf_unchain_list.
func (b *Buffer) Unchain(at *Buffer) error {
	err := bufferOf(b).Unchain(bufferOf(at))
	runtime.KeepAlive(b) // the lists look for the handles
	runtime.KeepAlive(at)
	return err
}

// Elements returns the list that b is in, head first.
func (b *Buffer) Elements() []*Buffer {
	mates := core.Mates(b)
	if mates == nil {
		return []*Buffer{b}
	}
	out := make([]*Buffer, len(mates))
	for i, m := range mates {
		out[i] = m.(*Buffer)
	}
	return out
}

// ListLen returns the number of buffers in the list that b is in: 1 if it is alone.
func (b *Buffer) ListLen() int { return core.BufferOf(b).ListLen() }

// ListDataLen returns the sum of the data segments in the list that b is in, in bytes.
func (b *Buffer) ListDataLen() int { return core.BufferOf(b).ListDataLen() }

// bufferOf returns the inner part of a buffer; nil for nil.
func bufferOf(b *Buffer) *core.Buffer {
	if b == nil {
		return nil
	}
	return core.BufferOf(b)
}
