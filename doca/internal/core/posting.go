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

// The methods Post and Filled of bind.Posting, which are called for each message, consist of
// the methods that follow. They are small enough for the compiler to inline them there.

// Holds reports whether a buffer can be posted at once: its inventory is locked, it is not
// posted, and the context was the last to have it.
func (p *Posting) Holds(b *Buffer) bool {
	return b != nil && p.inv == b.inv && b.poster == p.link && !b.posted
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
	case !b.freeLocked():
		return b.Node.Fail(op, abi.ErrorInUse, "another operation is using it: wait for its end")
	}
	if p.mem == nil {
		if err := b.mem.usable(p.link, op, b.Node, true); err != nil {
			return err
		}
	}
	b.forgetLocked()
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

// Fill marks a buffer, whose inventory is locked, as filled with n bytes and returns them;
// nil if the memory is imported.
func (p *Posting) Fill(b *Buffer, n int) []byte {
	b.posted, b.unsent = false, false
	b.data, b.n = 0, min(n, b.len())
	if b.mem.data == nil {
		return nil
	}
	return b.mem.data[b.start-b.mem.start:][:b.n:b.len()]
}

// Gone lets a Close of a buffer that was given back go on.
func (p *Posting) Gone(b *Buffer) {
	if b.leaving {
		p.leave(b)
	}
}

func (p *Posting) leave(b *Buffer) {
	b.poster = nil
	p.link.Wake()
}

// Returned gives back a buffer that was not filled.
func (p *Posting) Returned(b *Buffer) {
	p.Use(b)
	b.posted, b.unsent = false, true
	p.Gone(b)
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
