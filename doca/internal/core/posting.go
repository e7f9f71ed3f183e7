package core

import (
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Posting is the exclusive use of buffers by tasks that wait for a peer to fill them, one
// buffer each; see bind.Posting. The inventory of the last buffer stays locked until
// Unlock, so that a run of buffers locks it once.
type Posting struct {
	link *Link
	mem  *Memory
	inv  *Inventory // locked, or nil
}

// Init ties the posting to a context that takes buffers on one memory, or, if mem is nil, on all
// that its device can write to.
func (p *Posting) Init(link *Link, mem *Memory) { p.link, p.mem = link, mem }

// Ready reports whether Init was called.
func (p *Posting) Ready() bool { return p != nil && p.link != nil }

// What bind.Posting does for each message consists of the methods that follow. Most of them are small enough for the compiler to
// inline them there, and all need just the first line of a Buffer.

// Holds reports whether a buffer can be posted at once: its inventory is locked, it is not
// posted, and the context was the last to have it.
func (p *Posting) Holds(b *Buffer) bool {
	return b != nil && p != nil && p.inv == b.inv && b.poster == p.link && !b.posted
}

// Take checks a buffer that Holds reported false for, locks its inventory and makes it the
// context's.
func (p *Posting) Take(b *Buffer, op string) error {
	if b == nil {
		return Fail(op, p.link.String(), abi.ErrorInvalidValue, "the buffer is nil")
	}
	p.Use(b)
	if p.Holds(b) {
		return nil
	}
	if err := b.Node.Open(op); err != nil {
		return err
	}
	switch {
	case b.raw == nil:
		return b.lackingLocked(op)
	case b.list != nil:
		return b.Node.Fail(op, abi.ErrorNotPermitted, "it is in a list: a peer fills single buffers")
	case p.mem != nil && b.mem != p.mem:
		return b.Node.Fail(op, abi.ErrorInvalidValue, fmt.Sprintf("%v takes buffers on %v", p.link, p.mem.Node))
	case b.posted:
		return b.Node.Fail(op, abi.ErrorInUse, fmt.Sprintf("it is posted to %v and was not received", b.poster))
	case b.userLocked() != nil:
		return b.Node.Fail(op, abi.ErrorInUse, "another operation is using it: wait for its end")
	}
	if p.mem == nil {
		if err := b.mem.usable(p.link, op, b.Node, true); err != nil {
			return err
		}
	}
	b.disturbLocked()
	b.poster = p.link
	return nil
}

// Post marks a buffer that the context holds as posted, and returns how to aim a task at
// it.
func (p *Posting) Post(b *Buffer) common.BufView {
	b.posted = true
	return common.BufView{Buf: b.raw, Data: b.start}
}

// Use locks the inventory of a buffer.
func (p *Posting) Use(b *Buffer) {
	if p.inv != b.inv {
		p.lock(b.inv)
	}
}

// Again is Post for a buffer that Holds reports true for, and that no Reset has ever aimed at another region: who keeps how to aim
// a task at it may know an earlier one. It reports whether that is so.
func (p *Posting) Again(b *Buffer) bool {
	held := p.Holds(b) && !b.moving
	if held {
		b.posted = true
	}
	return held
}

// Reach locks the inventory of a buffer, which may be nil.
func (p *Posting) Reach(b *Buffer) {
	if b != nil && p.Ready() {
		p.Use(b)
	}
}

// Fill is Filled for a buffer whose inventory is locked, that nobody closes, and that has room for the bytes. It reports whether
// that is so.
func (p *Posting) Fill(b *Buffer, n int) bool {
	if b == nil || p == nil || p.inv != b.inv || b.leaving || uint(n) > uint(b.size.Load()) {
		return false
	}
	b.posted, b.fill = false, n+1
	return true
}

// Filled gives back a buffer that a peer has filled with n bytes, and returns these; nil if the memory is imported.
func (p *Posting) Filled(b *Buffer, n int) []byte {
	if b == nil || !p.Ready() {
		return nil
	}
	p.Use(b)
	if b.leaving {
		p.leave(b)
	}
	filled := min(uint(n), uint(b.size.Load()))
	b.posted, b.fill = false, int(filled)+1
	room := p.Room(b)
	return room[:min(filled, uint(len(room)))]
}

// Room returns the region of a buffer that was posted; nil if the memory is imported.
func (p *Posting) Room(b *Buffer) []byte {
	m := b.mem
	if m.data == nil {
		return nil
	}
	size := b.len()
	return m.data[b.start-m.start:][:size:size]
}

func (p *Posting) leave(b *Buffer) {
	b.poster = nil
	p.link.Wake()
}

// Returned gives back a buffer that was not filled.
func (p *Posting) Returned(b *Buffer) {
	p.Use(b)
	b.syncLocked() // DOCA knows what was filled before, and not any more
	b.posted, b.unsent = false, true
	if b.leaving {
		p.leave(b)
	}
}

// Unlock unlocks the inventory of the last buffer.
func (p *Posting) Unlock() { p.lock(nil) }

// lock unlocks the inventory of the last buffer and locks inv, which may be nil.
func (p *Posting) lock(inv *Inventory) {
	if p.inv == inv {
		return
	}
	if p.inv != nil {
		p.inv.mu.Unlock()
	}
	if inv != nil {
		inv.mu.Lock()
	}
	p.inv = inv
}
