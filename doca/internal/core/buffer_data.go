package core

import (
	"fmt"
	"math"

	"github.com/go-doca/go-doca/generated/abi"
)

// A word is the data segment of a buffer that a claim is kept on, where SetData sets it without a lock: one
// atomic operation in place of two. What else needs the segment syncs it with the fields of the buffer, and who
// ends the stay of the claim settles it.

// packed is the mark of a word that has a segment. Beside it there is room for 31 bits of each number.
const packed = 1 << 63

func pack(off, n int) uint64 { return packed | uint64(off)<<32 | uint64(n) }

func unpack(w uint64) (off, n int) { return int(w &^ packed >> 32), int(uint32(w)) }

// SetData makes the n bytes that begin at off of the region the data segment of the buffer of a handle, which must not be nil.
func SetData(h *BufferHandle, off, n int) error {
	b := h.p
	if b == nil {
		b = NoBuffer
	}
	word := b.word.Load()
	if size := uint(b.size.Load()); word == 0 || uint(off) > size || uint(n) > size-uint(off) || b.node.phase.Load() != phaseOpen {
		return b.setData(off, n)
	}
	c, w := b.keeper.Load(), pack(off, n)
	state := c.state.Load()
	if word == w && state&1 == 0 {
		return nil
	}
	if state&1 != 0 || !b.word.CompareAndSwap(word, w) {
		return b.setData(off, n)
	}
	if !c.moved.Load() {
		c.moved.Store(true)
	}
	if c.state.Load() != state || b.keeper.Load() != c { // a run has begun meanwhile, and may not have seen it
		return b.lateData(w)
	}
	return nil
}

// lateData decides what becomes of a segment that was set while a run began, perhaps one of another claim that is kept on the buffer
// since, where the segment was the same.
func (b *Buffer) lateData(w uint64) error {
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	b.keeper.Load().moved.Store(true)
	was := pack(b.data, b.n)
	if b.userLocked() == nil || w == was {
		return nil
	}
	b.word.CompareAndSwap(w, was) // if it fails, another late one has set its own
	return b.changeInUse("set data")
}

// setData is SetData with the lock.
func (b *Buffer) setData(off, n int) error {
	const op = "set data"
	if err := b.Node.Open(op); err != nil {
		return err
	}
	b.inv.mu.Lock()
	if !b.movableLocked() {
		b.inv.mu.Unlock()
		if err := lockForChange(op, b); err != nil {
			return err
		}
	}
	defer b.inv.mu.Unlock()
	if off < 0 || n < 0 || off > b.len() || n > b.len()-off {
		return b.Node.Fail(op, abi.ErrorInvalidValue, fmt.Sprintf("%d bytes at %d are not within its region", n, off))
	}
	b.settleLocked()
	if b.data != off || b.n != n {
		b.data, b.n, b.unsent = off, n, true
	}
	c := b.mark.claim
	if c == nil || !b.mark.on() {
		return nil
	}
	if !c.moved.Load() {
		c.moved.Store(true)
	}
	if b.len() <= math.MaxInt32 && !b.moving && len(b.othersLocked()) == 0 {
		b.keeper.Store(c)
		b.word.Store(pack(off, n))
	}
	return nil
}

// movableLocked reports whether the data segment of a buffer can be set as it is: it is alone, and nothing
// uses it. A claim may be kept on it, and stays.
func (b *Buffer) movableLocked() bool {
	return !b.listed && b.poster == nil && len(b.othersLocked()) == 0 && !b.mark.active() && b.node.phase.Load() == phaseOpen
}

// syncLocked makes the fields of the buffer say its data segment. A run that has filled the buffer leaves it to
// whoever needs the segment to find that out, so that its end does not have to look at its buffers.
func (b *Buffer) syncLocked() {
	if b.fill != 0 && !b.mark.active() {
		b.filledLocked()
	}
	if w := b.word.Load(); w != 0 {
		b.takeLocked(w)
	}
}

// filledLocked makes what a run has filled the data segment. DOCA knows it.
func (b *Buffer) filledLocked() { b.data, b.n, b.unsent, b.fill = 0, b.fill-1, false, 0 }

// settleLocked is syncLocked for the end of the time when the segment can be set without the lock.
func (b *Buffer) settleLocked() {
	if b.syncLocked(); b.word.Load() != 0 {
		b.takeLocked(b.word.Swap(0))
	}
}

func (b *Buffer) takeLocked(w uint64) {
	if off, n := unpack(w); b.data != off || b.n != n {
		b.data, b.n, b.unsent = off, n, true
	}
}

// Segment returns the data segment.
func (b *Buffer) Segment() (off, n int) {
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	b.syncLocked()
	return b.data, b.n
}

// Bytes returns the region, or nil if the buffer is closed or the memory is imported.
func (b *Buffer) Bytes() []byte { return b.view(false) }

// Data returns the bytes of the data segment, or nil as Bytes does.
func (b *Buffer) Data() []byte { return b.view(true) }

func (b *Buffer) view(data bool) []byte {
	if b.Node.Open("use") != nil || b.mem.imported {
		return nil
	}
	b.inv.mu.Lock()
	defer b.inv.mu.Unlock()
	region := b.mem.data[b.offset.Load():][:b.len():b.len()]
	if data {
		b.syncLocked()
		return region[b.data:][:b.n:b.n]
	}
	return region
}
