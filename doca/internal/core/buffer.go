package core

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"weak"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Buffer is a range of a memory. The inventory's mu guards what changes. What each operation needs comes first, in two
// lines of the cache. Those who post the buffer and receive it again need the first line alone.
type Buffer struct {
	mem     *Memory
	start   uintptr      // of the region; see Memory
	size    atomic.Int64 // bytes of the region
	raw     *common.Buf
	inv     *Inventory
	poster  *Link // the context it was posted to last, if nobody has used it since
	fill    int   // not 0: a run whose claim has marked the buffer fills one byte less than this, or a peer has; see syncLocked
	posted  bool  // it is posted there, for a peer to fill it
	leaving bool  // Close waits for it to be given back
	unsent  bool  // DOCA does not know the data segment yet
	whole   bool  // Close is to close the list that it heads
	moving  bool  // Reset has changed the region: SetData needs the lock from then on, and a post needs the region
	listed  bool  // it is in a list
	near    bool  // the claim of the mark found it alone, and it still is

	data, n int                   // the data segment in the region, unless fill or word has it
	word    atomic.Uint64         // the data segment that SetData has set without the lock, packed; 0: there is none
	mark    mark                  // of the claim that uses it; the marks of a list are on its head
	rare    *rare                 // nil: there is nothing of it
	keeper  atomic.Pointer[Claim] // the claim of the mark while word is not 0
	node    Node

	Node   *Node        // &node
	list   []*Buffer    // the list it is in, head first; nil if it is alone
	offset atomic.Int64 // where the region begins in the memory
}

// rare is what few buffers have.
type rare struct {
	others []mark                     // of further claims that read the buffer, too
	gap    gap                        // what a close that failed has left of its list
	handle weak.Pointer[BufferHandle] // see Chainable
}

// rareLocked returns the rare parts of a buffer that is to have some.
func (b *Buffer) rareLocked() *rare {
	if b.rare == nil {
		b.rare = new(rare)
	}
	return b.rare
}

// BufferHandle is embedded by the handles of buffers in place of Inner.
type BufferHandle struct {
	bufferInner
	chain *chain // nil if it was never in a list; guarded by the inventory's mu
}

// chain is what the handle of a buffer needs in a list.
type chain struct {
	self  BufferOwner
	mates []BufferOwner // the list: they keep each other alive
}

type bufferInner = Inner[Buffer] // embedded under an exported name it would be an exported field of each handle

// BufferOwner is the handle of a buffer.
type BufferOwner interface{ bufferHandle() *BufferHandle }

func (h *BufferHandle) bufferHandle() *BufferHandle { return h }

// BufferOf is Of for a buffer. The handle must not be nil. It costs next to nothing, so it is for what is done for each task.
func BufferOf(h *BufferHandle) *Buffer { return h.p }

// AdoptBuffer is Adopt for the handle of a buffer.
func AdoptBuffer(h interface {
	adopter
	BufferOwner
}, b *Buffer) {
	bh := h.bufferHandle()
	bh.p = b
	h.setNode(b.Node)
}

// Chainable has buffers know their handles, which must not be nil, before they are chained.
func Chainable[H BufferOwner](handles ...H) {
	for _, h := range handles {
		bh := h.bufferHandle()
		b := bh.p
		if b == nil {
			continue
		}
		b.inv.mu.Lock()
		if bh.chain == nil {
			bh.chain, b.rareLocked().handle = &chain{self: h}, weak.Make(bh)
		}
		b.inv.mu.Unlock()
	}
}

// Buffer takes a buffer for a range of a memory out of the inventory. It has data bytes of data.
func (inv *Inventory) Buffer(mem *Memory, offset, length, data int) (*Buffer, error) {
	if err := inv.Node.Open("take buffer"); err != nil {
		return nil, err
	}
	if mem == nil {
		return nil, inv.Node.Fail("take buffer", abi.ErrorInvalidValue, "the memory is nil")
	}
	if !mem.has(offset, length) {
		if err := mem.Node.Open("take buffer"); err != nil {
			return nil, err
		}
		return nil, inv.Node.Fail("take buffer", abi.ErrorInvalidValue,
			fmt.Sprintf("%d bytes at %d are not within %v", length, offset, mem.Node))
	}
	b := &Buffer{inv: inv, mem: mem}
	b.placeLocked(offset, length, data)
	n := &b.node
	n.rank, n.kind, n.body = rankBuffer, "buffer", b
	b.Node = n
	if err := n.enter(inv.Node, mem.Node); err != nil {
		return nil, err
	}
	inv.mu.Lock()
	mem.mu.Lock()
	err := b.getLocked()
	mem.mu.Unlock()
	inv.mu.Unlock()
	if err != nil {
		n.abandon()
		advice := ""
		if errors.Is(err, abi.ErrorNoMemory) {
			advice = "all buffers are taken: close some, or make the inventory larger"
		}
		return nil, inv.Node.Fail("take buffer", err, advice)
	}
	inv.belong(mem)
	n.created()
	return b, nil
}

// has reports whether a region lies within the memory.
func (m *Memory) has(off, n int) bool { return off >= 0 && n > 0 && off <= m.size && n <= m.size-off }

// placeLocked sets the region of a buffer, and how much of it is data.
func (b *Buffer) placeLocked(off, size, data int) {
	b.size.Store(int64(size))
	b.offset.Store(int64(off))
	b.start = b.mem.start + uintptr(off)
	b.data, b.n, b.unsent = 0, data, false
}

// getLocked gets the buffer from DOCA. The memory is locked, too.
func (b *Buffer) getLocked() (err error) {
	b.raw, err = common.BufInventoryBufGetByArgs(b.inv.raw, b.mem.raw, b.at(0), uint64(b.size.Load()), b.at(0), uint64(b.n))
	if err != nil {
		b.raw = nil
	}
	return err
}

// Reset aims the buffer at another region of its memory, all of which is data.
func (b *Buffer) Reset(off, n int) error {
	const op = "reset"
	if err := b.Node.Open(op); err != nil {
		return err
	}
	if !b.mem.has(off, n) {
		return b.Node.Fail(op, abi.ErrorInvalidValue, fmt.Sprintf("%d bytes at %d are not within %v", n, off, b.mem.Node))
	}
	if err := lockForChange(op, b); err != nil {
		return err
	}
	defer b.inv.mu.Unlock()
	if b.list != nil {
		return b.Node.Fail(op, abi.ErrorNotPermitted, "it is in a list: Unchain the list first")
	}
	b.mem.mu.Lock()
	defer b.mem.mu.Unlock()
	if b.raw != nil {
		if _, err := common.BufDecRefcount(b.raw); err != nil {
			return b.Node.Fail(op, err, "")
		}
	}
	b.moving = true
	b.placeLocked(off, n, n)
	return b.Node.Fail(op, b.getLocked(), "Reset it again, or close it")
}

// lackingLocked returns an error if DOCA has not given the buffer back that a Reset asked for.
func (b *Buffer) lackingLocked(op string) error {
	if b.raw != nil {
		return nil
	}
	return b.Node.Fail(op, abi.ErrorBadState, "its last Reset failed: Reset it again, or close it")
}

func (b *Buffer) describe() string {
	return fmt.Sprintf("%d bytes at %d of %v", b.size.Load(), b.offset.Load(), b.mem.Node)
}

// len returns the size of the region in bytes.
func (b *Buffer) len() int { return int(b.size.Load()) }

// at returns the address of a place in the region.
func (b *Buffer) at(off int) uintptr { return b.start + uintptr(off) }

// lockForChange checks that buffers can be changed (they are open, of one inventory and not
// in use) and locks their inventory. It does not hold the lock if it returns an error.
func lockForChange(op string, bufs ...*Buffer) error {
	for _, b := range bufs {
		if err := b.Node.noneError(op); err != nil { // so that no lock is held that nobody releases
			return err
		}
	}
	inv := bufs[0].inv
	inv.mu.Lock()
	for _, b := range bufs {
		err := b.Node.Open(op)
		switch {
		case err != nil:
		case b.inv != inv:
			err = Fail(op, bufs[0].Node.String(), abi.ErrorInvalidValue, "the buffers are of different inventories")
		case b.headLocked().userLocked() != nil, b.posted:
			err = b.changeInUse(op)
		}
		if err != nil {
			inv.mu.Unlock()
			return err
		}
	}
	for _, b := range bufs {
		b.headLocked().disturbLocked()
		b.poster = nil
	}
	return nil
}

// changeInUse returns the error of a change to a buffer that an operation uses.
func (b *Buffer) changeInUse(op string) error {
	return b.Node.Fail(op, abi.ErrorInUse, "an operation uses the buffer: wait for its end")
}

// Region returns where the region begins in the memory, and its size in bytes.
func (b *Buffer) Region() (off, n int) {
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	return int(b.offset.Load()), b.len()
}

// Raw returns DOCA's object.
func (b *Buffer) Raw() (*common.Buf, error) {
	if err := b.Node.Open("use"); err != nil {
		return nil, err
	}
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	return b.raw, b.lackingLocked("use")
}

func (b *Buffer) prepare(context.Context) error { return nil }
func (b *Buffer) resume()                       {}

// teardown waits until no operation uses the buffer, takes it out of its list and gives it
// back to the inventory.
func (b *Buffer) teardown(ctx context.Context) error {
	b.inv.mu.Lock()
	for ended := b.busyLocked(); ended != nil; ended = b.busyLocked() {
		b.inv.mu.Unlock()
		if err := ended(ctx); err != nil {
			return b.Node.Fail("close", err, "an operation still uses the buffer")
		}
		b.inv.mu.Lock()
	}
	defer b.inv.mu.Unlock()
	b.headLocked().disturbLocked()
	var err error
	switch {
	case b.raw == nil: // it went with the head of its list, or its Reset has failed
	case b.whole && b.list != nil:
		err = b.closeListLocked()
	default:
		if err = b.unlinkLocked(); err == nil {
			err = b.mem.takeBack(b.raw)
		}
	}
	runtime.KeepAlive(b.mem)
	if err == nil {
		b.raw = nil
		return nil
	}
	return b.Node.Fail("close", err, "")
}

// ShutdownBuffer closes the buffer of a handle, and the list that it heads.
func ShutdownBuffer(ctx context.Context, h interface {
	Owner
	BufferOwner
}) error {
	b := h.bufferHandle().p
	if err := NeedContext(ctx, "close", b.Node); err != nil {
		return err
	}
	b.inv.mu.Lock()
	if b.Node.phase.Load() == phaseOpen { // a close that has failed may have left it at the head of a list
		b.whole = b.list != nil && b.list[0] == b
	}
	b.inv.mu.Unlock()
	return Shutdown(ctx, h)
}
