package doca

import (
	"context"
	"fmt"
	"runtime"
	"weak"

	"github.com/go-doca/go-doca/generated/common"
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
	b     *buffer
	inv   *Inventory // keep their handles as long as this one
	mem   *Memory
	mates []*Buffer // the list it is in, so that no handle of it is lost; guarded by the inventory
}

// buffer is the inner part. What changes is guarded by the inventory's mu. Its first cache line
// is what posting a buffer and receiving into it looks at.
type buffer struct {
	inv     *inventory
	start   uintptr // of the region; see memory
	size    int
	data, n int // the data segment in the region
	raw     *common.Buf
	poster  *Link // the context that it was posted to last, if nobody has used it since
	posted  bool  // it waits there for a peer to fill it
	leaving bool  // Close was called while it did
	unsent  bool  // DOCA does not know the data segment
	writing bool  // the one in users writes

	users  []*Claim // operations in flight, of the list if it is its head
	kept   keptClaim
	list   []*buffer // the list it is in, head first; nil if it is alone
	mem    *memory
	off    int // where the region begins in the memory
	node   *node
	handle weak.Pointer[Buffer]
}

func (b *buffer) describe() string {
	return fmt.Sprintf("%d bytes at %d of %v", b.size, b.off, b.mem.node)
}

// at returns the address of a place in the region.
func (b *buffer) at(off int) uintptr { return b.start + uintptr(off) }

// head returns the first of the list that the buffer is in.
func (b *buffer) head() *buffer {
	if b.list == nil {
		return b
	}
	return b.list[0]
}

// elements returns the list that the buffer is in.
func (b *buffer) elements() []*buffer {
	if b.list == nil {
		return []*buffer{b}
	}
	return b.list
}

// change locks the inventory for a change of the buffers, which must be open, of the
// same inventory and not in use. The caller unlocks it if there is no error.
func change(op string, bufs ...*Buffer) error {
	for _, b := range bufs {
		if b == nil {
			return fail(op, "", ErrInvalidValue, "the buffer is nil")
		}
	}
	inv := bufs[0].b.inv
	inv.mu.Lock()
	for _, h := range bufs {
		b := h.b
		err := b.node.open(op)
		switch {
		case err != nil:
		case b.inv != inv:
			err = fail(op, bufs[0].String(), ErrInvalidValue, "the buffers are of different inventories")
		case b.head().user() != nil, b.posted:
			err = fail(op, h.String(), ErrInUse, "an operation uses the buffer: wait for its end")
		}
		if err != nil {
			inv.mu.Unlock()
			return err
		}
	}
	for _, h := range bufs {
		h.b.head().disturb()
		h.b.poster = nil
	}
	return nil
}

// Len returns the size of the region in bytes.
func (b *Buffer) Len() int { return b.b.size }

// Offset returns where in its memory the region begins.
func (b *Buffer) Offset() int { return b.b.off }

// Memory returns the memory that the buffer is on.
func (b *Buffer) Memory() *Memory { return b.mem }

// Inventory returns the inventory that the buffer was taken from.
func (b *Buffer) Inventory() *Inventory { return b.inv }

// DataLen returns the length of the data segment in bytes: that of this buffer, not of
// a list. While an operation writes to the buffer it is what it was before.
func (b *Buffer) DataLen() int {
	_, n := b.segment()
	return n
}

func (b *Buffer) segment() (off, n int) {
	b.b.inv.mu.Lock()
	defer b.b.inv.mu.Unlock()
	return b.b.data, b.b.n
}

// SetData makes the n bytes that begin at off of the region the data segment. n may be
// 0. A segment outside the region is ErrInvalidValue, a buffer in use ErrInUse. Stands
// on doca_buf_set_data, which the next operation that uses the buffer calls.
func (b *Buffer) SetData(off, n int) error {
	if b != nil && (off < 0 || n < 0 || off > b.b.size || n > b.b.size-off) {
		return fail("set data", b.String(), ErrInvalidValue, fmt.Sprintf("%d bytes at %d are not within its region", n, off))
	}
	if err := change("set data", b); err != nil {
		return err
	}
	defer b.b.inv.mu.Unlock()
	if b.b.data != off || b.b.n != n {
		b.b.data, b.b.n, b.b.unsent = off, n, true
	}
	return nil
}

// Bytes returns the region. It must not be used after the memory's Close, nor touched
// while an operation writes to it. A closed buffer gives nil, and so does one on imported
// memory.
func (b *Buffer) Bytes() []byte {
	if b.n.open("use") != nil || b.b.mem.imported {
		return nil
	}
	return b.b.mem.data[b.b.off:][:b.b.size:b.b.size]
}

// Data returns the bytes of the data segment, under the rules of Bytes.
func (b *Buffer) Data() []byte {
	region := b.Bytes()
	if region == nil {
		return nil
	}
	off, n := b.segment()
	return region[off:][:n:n]
}

// Raw returns DOCA's own object, for packages that bind further libraries. It is valid
// until Close, and belongs to the device while a [Claim] on it is active. A closed
// buffer is a [*StateError].
func (b *Buffer) Raw() (*common.Buf, error) {
	if err := b.n.open("use"); err != nil {
		return nil, err
	}
	return b.b.raw, nil
}

// busy returns a function that waits for the end of what uses the buffer that is to be closed,
// or nil. The inventory is locked.
func (b *buffer) busy() func(context.Context) error {
	if b.posted {
		b.leaving = true
		return b.given(b.poster)
	}
	b.poster = nil
	if c := b.head().user(); c != nil {
		c.stale.Store(true)
		return c.ended()
	}
	return nil
}

// close waits until no operation uses the buffer, takes it out of its list and returns
// it to the inventory.
func (b *buffer) close(ctx context.Context) error {
	b.inv.mu.Lock()
	for ended := b.busy(); ended != nil; ended = b.busy() {
		b.inv.mu.Unlock()
		if err := ended(ctx); err != nil {
			return fail("close", b.node.String(), err, "an operation still uses the buffer")
		}
		b.inv.mu.Lock()
	}
	defer b.inv.mu.Unlock()
	b.head().disturb()
	err := b.unlink()
	if err == nil {
		b.mem.mu.Lock()
		_, err = common.BufDecRefcount(b.raw)
		b.mem.mu.Unlock()
	}
	runtime.KeepAlive(b.mem)
	return fail("close", b.node.String(), err, "")
}
