package core

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Claim is the right of an operation's tasks to use a set of buffers; see bind.Claim. If it
// is made with keep, it stays on the buffers between runs, until somebody else changes or
// uses one of them.
type Claim struct {
	link *Link
	uses []use
	invs []*Inventory // of the buffers, in locking order
	keep bool

	// Guarded by the engine's mu.
	lists   bool // some of the buffers head lists
	apart   bool
	watched bool // somebody waits for End

	run   atomic.Uint32 // counts begins and ends: odd while active
	kept  atomic.Bool   // it is still on all its buffers; cleared under any inventory's mu
	stale atomic.Bool   // one of them is to be closed: the next run has to look at them again
	epoch atomic.Uint32 // distinguishes what kept stands for
}

func (c *Claim) active() bool { return c.run.Load()&1 != 0 }

type use struct {
	b     *Buffer
	write bool
	n     int // bytes that are written
}

// keptClaim is the mark that a kept claim leaves on a buffer.
type keptClaim struct {
	claim *Claim
	epoch uint32
	write bool
}

// Init ties the claim to a context. keep is for claims that are run many times.
func (c *Claim) Init(link *Link, keep bool) { c.link, c.keep = link, keep }

// Reset takes all buffers out of a claim that is not active.
func (c *Claim) Reset() {
	c.kept.Store(false)
	clear(c.uses)
	c.uses = c.uses[:0]
	clear(c.invs)
	c.invs = c.invs[:0]
}

// Len returns the number of buffers added.
func (c *Claim) Len() int { return len(c.uses) }

// Has tells whether buffer i is b.
func (c *Claim) Has(i int, b *Buffer) bool { return i < len(c.uses) && c.uses[i].b == b }

// Read adds a buffer, or the list it heads, whose data segment is read.
func (c *Claim) Read(b *Buffer) error { return c.add(b, false) }

// Write adds a buffer, or the list it heads, that is filled from the start of its
// region.
func (c *Claim) Write(b *Buffer) error { return c.add(b, true) }

func (c *Claim) add(b *Buffer, write bool) error {
	if b == nil {
		role := "source"
		if write {
			role = "destination"
		}
		return Fail("use buffers", c.link.String(), abi.ErrorInvalidValue, "the "+role+" is nil")
	}
	c.kept.Store(false)
	c.uses = append(c.uses, use{b: b, write: write})
	i, found := slices.BinarySearchFunc(c.invs, b.inv, func(a, b *Inventory) int { return cmp.Compare(a.Node.id, b.Node.id) })
	if !found {
		c.invs = slices.Insert(c.invs, i, b.inv)
	}
	return nil
}

// Begin claims the buffers for a run and keeps their inventories locked until
// Submitted or Cancel. same says that nothing about the buffers has changed since the
// last run. Errors: ErrInUse for a buffer that another operation uses in a way that
// excludes this one, ErrNotPermitted for one inside a list, ErrInvalidValue for one on
// memory that the context's device cannot reach, and a [*StateError] for one that is
// closed.
func (c *Claim) Begin(op string) (same bool, err error) {
	for _, inv := range c.invs {
		inv.mu.Lock()
	}
	if c.stale.Load() {
		c.stale.Store(false)
		c.kept.Store(false)
	}
	same = c.kept.Load()
	if !same {
		c.lists = false
		for i := range c.uses {
			if err = c.uses[i].acquireLocked(c, op); err != nil {
				c.releaseLocked(c.uses[:i])
				break
			}
			c.lists = c.lists || c.uses[i].b.list != nil
		}
	}
	if err == nil && c.lists {
		if err = c.sendListsLocked(); err != nil && !same {
			c.releaseLocked(c.uses)
		}
	}
	if err != nil {
		c.unlock()
		return false, err
	}
	c.apart = false
	c.run.Add(1)
	return same, nil
}

// Submitted ends the locking that Begin began. all says that every task was submitted,
// with the views of this claim.
func (c *Claim) Submitted(all bool) {
	if all && !c.apart && !c.kept.Load() {
		for i := range c.uses {
			if u := &c.uses[i]; !u.write {
				u.b.unsent = false
			}
		}
	}
	c.unlock()
}

// Cancel takes Begin back: no task was submitted.
func (c *Claim) Cancel() {
	if !c.kept.Load() {
		c.releaseLocked(c.uses)
	}
	for i := range c.uses {
		if u := &c.uses[i]; u.write { // a view may have reached DOCA
			u.b.unsent = true
		}
	}
	c.finishLocked()
	c.unlock()
}

// End ends the run: the tasks have ended. failed tells by the number of the buffer
// which of those written were not; nil is that all were.
func (c *Claim) End(failed func(i int) bool) {
	if failed == nil && c.kept.Load() {
		c.finishLocked()
		return
	}
	for _, inv := range c.invs {
		inv.mu.Lock()
	}
	if !c.kept.Swap(false) {
		c.releaseLocked(c.uses)
	}
	for i := range c.uses {
		if u := &c.uses[i]; u.write {
			u.fillLocked(failed != nil && failed(i), c.apart)
		}
	}
	c.finishLocked()
	if c.keep && failed == nil && !c.apart {
		c.stayLocked()
	}
	c.unlock()
}

// Apart says that the tasks of this run do not use the claimed buffers themselves but
// parts of them (see [Parts]).
func (c *Claim) Apart() { c.apart = true }

// SetLen says how many bytes buffer i gets if it is written.
func (c *Claim) SetLen(i, n int) { c.uses[i].n = n }

// View returns what a batch submission needs to know of buffer i: DOCA's object, and
// the data segment if DOCA does not know it yet. It is called between Begin and
// Submitted.
func (c *Claim) View(i int) common.BufView {
	u := &c.uses[i]
	v := common.BufView{Buf: u.b.raw}
	switch {
	case u.write:
		v.Data = u.b.at(0)
	case u.b.unsent:
		v.Data, v.Len = u.b.at(u.b.data), uint64(u.b.n)
	}
	return v
}

// Elements returns the number of buffers in the list that buffer i heads.
func (c *Claim) Elements(i int) int { return max(1, len(c.uses[i].b.list)) }

// Segment returns what is read of element k of the list that buffer i heads, or the first
// n bytes of what can be written of it.
func (c *Claim) Segment(i, k, n int) Segment {
	u := &c.uses[i]
	b := u.b
	if b.list != nil {
		b = b.list[k]
	}
	if u.write {
		return Segment{Memory: b.mem, off: b.off, N: min(b.size, n)}
	}
	return Segment{Memory: b.mem, off: b.off + b.data, N: b.n}
}

func (c *Claim) unlock() {
	for _, inv := range c.invs {
		inv.mu.Unlock()
	}
}

// finishLocked marks the run as ended. The engine's mu is held.
func (c *Claim) finishLocked() {
	c.run.Add(1)
	if c.watched {
		c.watched = false
		c.link.eng.changedLocked()
	}
}

// endedLocked returns a function that waits for the end of the run that is active now. An
// inventory that has a buffer of the claim is locked.
func (c *Claim) endedLocked() func(context.Context) error {
	run := c.run.Load()
	return func(ctx context.Context) error {
		e := c.link.eng
		e.lock()
		defer e.mu.Unlock()
		return e.awaitLocked(ctx, func() bool {
			if c.run.Load() != run {
				return true
			}
			c.watched = true
			return false
		})
	}
}

// acquireLocked enters the use into its buffer. The inventory is locked.
func (u *use) acquireLocked(c *Claim, op string) error {
	b := u.b
	if err := b.Node.Open(op); err != nil {
		return err
	}
	if b.headLocked() != b {
		return Fail(op, b.Node.String(), abi.ErrorNotPermitted, "it is inside a list: use the list's head")
	}
	if other := b.keeperLocked(); other != nil && (u.write || b.kept.write) {
		if other.active() {
			return b.inUseLocked(c, op)
		}
		b.disturbLocked()
	}
	if len(b.users) > 0 && (u.write || b.writing) || b.posted {
		return b.inUseLocked(c, op)
	}
	b.poster = nil
	if b.list == nil {
		if err := b.reach(c, op); err != nil {
			return err
		}
	}
	for _, x := range b.list {
		if err := x.reach(c, op); err != nil {
			return err
		}
	}
	b.users = append(b.users, c)
	b.writing = u.write
	return nil
}

// releaseLocked takes uses out of their buffers. The inventories are locked.
func (c *Claim) releaseLocked(uses []use) {
	for i := range uses {
		b := uses[i].b
		if k := slices.Index(b.users, c); k >= 0 {
			b.users = slices.Delete(b.users, k, k+1)
		}
		if len(b.users) == 0 {
			b.writing = false
		}
	}
}

// stayLocked leaves the claim's mark on its buffers. The inventories are locked.
func (c *Claim) stayLocked() {
	for i := range c.uses {
		b := c.uses[i].b
		if other := b.keeperLocked(); other != nil && other.active() {
			return
		}
		if len(b.users) > 0 && c.uses[i].write {
			return
		}
	}
	c.epoch.Add(1)
	for i := range c.uses {
		b := c.uses[i].b
		b.disturbLocked()
		b.kept = keptClaim{claim: c, epoch: c.epoch.Load(), write: c.uses[i].write}
	}
	c.kept.Store(true)
}

// fillLocked notes what a written list holds now.
func (u *use) fillLocked(failed, apart bool) {
	n := u.n
	if failed {
		n = 0
	}
	one := [1]*Buffer{u.b}
	list := u.b.list
	if list == nil {
		list = one[:]
	}
	for _, b := range list {
		b.data, b.n = 0, min(b.size, n)
		b.unsent = failed || apart
		n -= b.n
	}
}

// sendListsLocked tells DOCA the data segments of the buffers inside lists; those of heads
// travel with the submission. The inventories are locked.
func (c *Claim) sendListsLocked() error {
	for i := range c.uses {
		u := &c.uses[i]
		if u.b.list == nil {
			continue
		}
		for _, b := range u.b.list[1:] {
			var err error
			switch {
			case u.write:
				err = common.BufSetData(b.raw, b.at(0), 0)
				b.unsent = true // until the end
			case b.unsent:
				err = common.BufSetData(b.raw, b.at(b.data), uint64(b.n))
				b.unsent = err != nil
			}
			if err != nil {
				return Fail("set data", b.Node.String(), err, "")
			}
		}
	}
	return nil
}
