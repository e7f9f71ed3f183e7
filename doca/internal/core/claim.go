package core

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Claim is the right of an operation's tasks to use a set of buffers; see bind.Claim. A
// claim with keep stays on the buffers between runs, until somebody else changes or uses
// one of them.
type Claim struct {
	link *Link
	uses []use
	n    int          // how many of them were added since Reset; the others are from before it
	anew bool         // Reset was called since the last run
	invs []*Inventory // of the buffers, in locking order
	keep bool

	// Guarded by the engine's mu.
	lists   bool // some of the buffers head lists
	apart   bool // see Apart
	watched bool // somebody waits for End
	sending bool // the run tells DOCA of data segments that are new

	run   atomic.Uint32 // counts begins and ends: odd while active
	kept  atomic.Bool   // it is still on all its buffers; cleared with any inventory's mu held
	stale atomic.Bool   // a buffer is to be closed: the next run must look at all of them
	moved atomic.Bool   // a data segment was set while it was kept; written with an inventory's mu held
	epoch atomic.Uint32 // tells the marks of one stay from those of the next
}

func (c *Claim) active() bool { return c.run.Load()&1 != 0 }

// use is one buffer of a claim.
type use struct {
	b     *Buffer
	write bool
	n     int // bytes that a run writes
}

// keptClaim is what a kept claim leaves on each of its buffers.
type keptClaim struct {
	claim *Claim
	epoch uint32
	write bool
}

// Init ties the claim to a context. keep is for a claim that will run many times.
func (c *Claim) Init(link *Link, keep bool) { c.link, c.keep = link, keep }

// Ready reports whether Init was called.
func (c *Claim) Ready() bool { return c != nil && c.link != nil }

func noClaim(op string) error {
	return Fail(op, "claim", abi.ErrorInvalidValue, "it is nil or a zero value: call Init with the Link of a context")
}

// Reset removes all buffers. The claim must not be active. One with keep remembers them: if the same are added
// again, it is still on them, and the next run costs less.
func (c *Claim) Reset() {
	c.n, c.anew = 0, true
	if !c.keep {
		c.cut()
	}
}

// cut forgets the buffers that were not added since Reset.
func (c *Claim) cut() {
	c.unkeep()
	for i := c.n; i < len(c.uses); i++ { // one by one: there are few, and clear costs more
		c.uses[i].b = nil
	}
	c.uses = c.uses[:c.n]
	for i := range c.invs {
		c.invs[i] = nil
	}
	c.invs = c.invs[:0]
	for i := range c.uses {
		c.addInventory(c.uses[i].b.inv)
	}
}

// unkeep says that the claim is not on its buffers any more. A load costs less than a store, and most
// claims are never kept.
func (c *Claim) unkeep() {
	if c.kept.Load() {
		c.kept.Store(false)
	}
}

// Len returns the number of buffers.
func (c *Claim) Len() int { return c.n }

// Has reports whether buffer i is b.
func (c *Claim) Has(i int, b *Buffer) bool { return i < c.n && c.uses[i].b == b }

// Read adds a buffer that is read, or the list that it heads.
func (c *Claim) Read(b *Buffer) error { return c.add(b, false) }

// Write adds a buffer that is filled from the start of its region, or the list that it
// heads.
func (c *Claim) Write(b *Buffer) error { return c.add(b, true) }

func (c *Claim) add(b *Buffer, write bool) error {
	if !c.Ready() {
		return noClaim("use buffers")
	}
	if b == nil {
		role := "source"
		if write {
			role = "destination"
		}
		return Fail("use buffers", c.link.String(), abi.ErrorInvalidValue, "the "+role+" is nil")
	}
	if c.n < len(c.uses) {
		if u := &c.uses[c.n]; u.b == b && u.write == write { // as before Reset
			c.n++
			return nil
		}
		c.cut()
	}
	c.unkeep()
	c.uses = append(c.uses, use{b: b, write: write})
	c.n++
	c.addInventory(b.inv)
	return nil
}

func (c *Claim) addInventory(inv *Inventory) {
	if n := len(c.invs); n > 0 && c.invs[n-1] == inv { // as most often
		return
	}
	i, found := slices.BinarySearchFunc(c.invs, inv, func(a, b *Inventory) int { return cmp.Compare(a.Node.id, b.Node.id) })
	if !found {
		c.invs = slices.Insert(c.invs, i, inv)
	}
}

// Begin claims the buffers for a run and locks their inventories until Submitted or Cancel.
// same reports that nothing about the buffers has changed since the last run. See
// bind.Claim for the errors.
func (c *Claim) Begin(op string) (same bool, err error) {
	if !c.Ready() {
		return false, noClaim(op)
	}
	if c.n < len(c.uses) {
		c.cut()
	}
	for _, inv := range c.invs {
		inv.mu.Lock()
	}
	if c.stale.Load() {
		c.stale.Store(false)
		c.kept.Store(false)
	}
	kept := c.kept.Load()
	c.sending, c.anew = !kept || c.anew, false
	if c.moved.Load() {
		c.moved.Store(false)
		c.sending = true
	}
	if !kept {
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
		if err = c.sendListsLocked(); err != nil && !kept {
			c.releaseLocked(c.uses)
		}
	}
	if err != nil {
		c.unlock()
		return false, err
	}
	c.apart = false
	c.run.Add(1)
	return !c.sending, nil
}

// Submitted unlocks what Begin locked. all says that every task was submitted with the
// views of this claim.
func (c *Claim) Submitted(all bool) {
	if !c.Ready() {
		return
	}
	if all && !c.apart && c.sending {
		for i := range c.uses {
			if u := &c.uses[i]; !u.write {
				u.b.unsent = false
			}
		}
	}
	c.unlock()
}

// Cancel takes Begin back, because no task was submitted.
func (c *Claim) Cancel() {
	if !c.kept.Load() {
		c.releaseLocked(c.uses)
	}
	if c.sending {
		c.moved.Store(true)
	}
	for i := range c.uses {
		if u := &c.uses[i]; u.write { // a view may have reached DOCA
			u.b.unsent = true
		}
	}
	c.finishLocked()
	c.unlock()
}

// End ends the run after its tasks have ended. failed reports for each written buffer
// whether writing it failed; nil means that nothing failed.
func (c *Claim) End(failed func(i int) bool) {
	if !c.Ready() {
		return
	}
	kept := failed == nil && c.kept.Load()
	if kept && !c.sending {
		c.finishLocked()
		return
	}
	for _, inv := range c.invs {
		inv.mu.Lock()
	}
	switch {
	case kept && !c.apart:
	case c.kept.Load():
		c.kept.Store(false)
	default:
		c.releaseLocked(c.uses)
	}
	for i := range c.uses {
		if u := &c.uses[i]; u.write {
			u.fillLocked(failed != nil && failed(i), c.apart)
		}
	}
	c.finishLocked()
	if c.keep && failed == nil && !c.apart && !kept {
		c.stayLocked()
	}
	c.unlock()
}

// Apart says that the tasks of this run use parts of the claimed buffers.
func (c *Claim) Apart() { c.apart = true }

// SetLen sets the number of bytes that a run writes to buffer i.
func (c *Claim) SetLen(i, n int) { c.uses[i].n = n }

// View returns DOCA's object of buffer i, and the data segment unless DOCA knows it
// already. It is called between Begin and Submitted.
func (c *Claim) View(i int) common.BufView {
	if c == nil || uint(i) >= uint(len(c.uses)) {
		return common.BufView{}
	}
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

// Plain reports whether buffer w can take what is read of buffer r, neither heads a list, and they share no
// bytes. If so, a run writes to w the n bytes of r.
func (c *Claim) Plain(r, w int) (n int, ok bool) {
	from, to := c.uses[r].b, c.uses[w].b
	if from.list != nil || to.list != nil || from.n == 0 || from.n > to.size {
		return 0, false
	}
	src := Segment{Memory: from.mem, off: from.off + from.data, N: from.n}
	if src.Overlaps(Segment{Memory: to.mem, off: to.off, N: from.n}) {
		return 0, false
	}
	c.uses[w].n = from.n
	return from.n, true
}

// Elements returns the number of buffers in the list that buffer i heads.
func (c *Claim) Elements(i int) int { return max(1, len(c.uses[i].b.list)) }

// Segment returns the part of element k of the list that buffer i heads that is read, or
// the first n bytes of it that can be written.
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

// DataLen returns the number of bytes that are read of buffer i, or of the list that it heads.
func (c *Claim) DataLen(i int) int {
	b := c.uses[i].b
	if b.list == nil {
		return b.n
	}
	sum := 0
	for _, x := range b.list {
		sum += x.n
	}
	return sum
}

// unlock unlocks the inventories.
func (c *Claim) unlock() {
	for _, inv := range c.invs {
		inv.mu.Unlock()
	}
}

// finishLocked marks the run as ended.
func (c *Claim) finishLocked() {
	c.run.Add(1)
	if c.watched {
		c.watched = false
		c.link.eng.changedLocked()
	}
}

// endedLocked returns a function that waits for the end of the active run. The lock that it
// needs is that of an inventory with a buffer of the claim.
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

// acquireLocked enters the claim into the buffer.
func (u *use) acquireLocked(c *Claim, op string) error {
	b := u.b
	if err := b.Node.Open(op); err != nil {
		return err
	}
	if b.raw == nil {
		return b.lackingLocked(op)
	}
	if b.headLocked() != b {
		return b.Node.Fail(op, abi.ErrorNotPermitted, "it is inside a list: use the list's head")
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
		if err := b.mem.usable(c.link, op, b.Node, u.write); err != nil {
			return err
		}
	}
	for _, x := range b.list {
		if err := x.mem.usable(c.link, op, x.Node, u.write); err != nil {
			return err
		}
	}
	b.users = append(b.users, c)
	b.writing = u.write
	return nil
}

// releaseLocked takes the claim out of buffers.
func (c *Claim) releaseLocked(uses []use) {
	for i := range uses {
		b := uses[i].b
		if len(b.users) == 1 && b.users[0] == c { // as most often
			b.users[0] = nil
			b.users, b.writing = b.users[:0], false
			continue
		}
		if k := slices.Index(b.users, c); k >= 0 {
			b.users = slices.Delete(b.users, k, k+1)
		}
		if len(b.users) == 0 {
			b.writing = false
		}
	}
}

// stayLocked leaves the claim on its buffers for the next run.
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

// fillLocked updates the data segments of a buffer, or of its list, after it was written.
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

// sendListsLocked passes to DOCA the data segments of the buffers inside lists. Those of
// the heads travel with the submission.
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
				return b.Node.Fail("set data", err, "")
			}
		}
	}
	return nil
}
