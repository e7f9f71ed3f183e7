package core

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Posting is the exclusive use of buffers by tasks that wait until a peer fills them, one
// buffer each; see bind.Posting. The inventory of the last buffer stays locked until Unlock, so
// that a run of buffers is locked once.
type Posting struct {
	link *Link
	mem  *Memory
	inv  *Inventory // locked, or nil
}

// Init ties the posting to a context, which takes buffers on one memory alone.
func (p *Posting) Init(link *Link, mem *Memory) { p.link, p.mem = link, mem }

// Post takes a buffer until Filled or Returned, and says how to aim it: at the start of its
// region, without data. Errors: ErrInUse for a buffer that is used or posted,
// ErrNotPermitted for one in a list, ErrInvalidValue for one on another memory, and a
// [*StateError] for one that is closed.
func (p *Posting) Post(b *Buffer, op string) (common.BufView, error) {
	if b == nil {
		return common.BufView{}, Fail(op, p.link.String(), abi.ErrorInvalidValue, "the buffer is nil")
	}
	if p.inv != b.inv {
		p.lock(b.inv)
	}
	if b.poster != p.link || b.posted {
		if err := p.take(b, op); err != nil {
			return common.BufView{}, err
		}
	}
	b.posted = true
	return common.BufView{Buf: b.raw, Data: b.start}, nil
}

// take is what has to be looked at if it was not this context that had the buffer last.
func (p *Posting) take(b *Buffer, op string) error {
	if err := b.Node.Open(op); err != nil {
		return err
	}
	switch {
	case b.list != nil:
		return Fail(op, b.Node.String(), abi.ErrorNotPermitted, "it is in a list: a peer fills single buffers")
	case b.mem != p.mem:
		return Fail(op, b.Node.String(), abi.ErrorInvalidValue, fmt.Sprintf("%v takes buffers on %v", p.link, p.mem.Node))
	case b.posted:
		return Fail(op, b.Node.String(), abi.ErrorInUse, fmt.Sprintf("it is posted to %v and was not received", b.poster))
	case b.user() != nil:
		return Fail(op, b.Node.String(), abi.ErrorInUse, "another operation is using it: wait for its end")
	}
	b.disturb()
	b.poster = p.link
	return nil
}

// Filled gives back a buffer that a peer has filled with n bytes and returns them; those of imported
// memory are not here, which is nil.
func (p *Posting) Filled(b *Buffer, n int) []byte {
	if p.inv != b.inv {
		p.lock(b.inv)
	}
	b.posted, b.unsent = false, false
	p.gone(b)
	b.data, b.n = 0, min(n, b.size)
	if p.mem.data == nil {
		return nil
	}
	return p.mem.data[b.start-p.mem.start:][:b.n:b.size]
}

// Returned gives back a buffer that was not filled. Its data segment is what it was.
func (p *Posting) Returned(b *Buffer) {
	p.lock(b.inv)
	b.posted, b.unsent = false, true
	p.gone(b)
}

// gone lets a Close of a buffer that was given back go on.
func (p *Posting) gone(b *Buffer) {
	if b.leaving {
		b.poster = nil
		p.link.Wake()
	}
}

// Unlock ends the locking.
func (p *Posting) Unlock() { p.lock(nil) }

// lock locks an inventory in place of the one that is locked.
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

// given waits until a posted buffer is given back, which is certain only if the context it
// is posted to stops.
func (b *Buffer) given(to *Link) func(context.Context) error {
	return func(ctx context.Context) error {
		e := to.eng
		e.lock()
		defer e.mu.Unlock()
		if !to.ending() {
			return fmt.Errorf("%w: it is posted to %v and was not received; receive it, or close that first", abi.ErrorInUse, to)
		}
		return e.await(ctx, func() bool {
			b.inv.mu.Lock()
			defer b.inv.mu.Unlock()
			return !b.posted || b.poster != to || !to.ending()
		})
	}
}

// ending tells whether the context stops or is being closed; after a Close that has failed it
// is not, until the next one. mu is held.
func (c *Link) ending() bool {
	return c.stop || c.state == StateStopping || c.closing
}
