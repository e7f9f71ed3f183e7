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
	link    *Link
	uses    []use
	n       int          // how many of them were added since Reset; the others are from before it
	paired  bool         // they are those of SetPairs
	anew    bool         // Reset or SetPairs was called since the last run
	changed bool         // the buffers are not those of the last run
	invs    []*Inventory // of the buffers, in locking order, when they are settled
	inv     *Inventory   // of all of them; nil: unknown
	keep    bool

	// Guarded by the engine's mu.
	lists   bool // some of the buffers head lists
	eager   bool // buffers are written of which Aim has not seen to it that the run fills them
	aimed   int  // the pairs that Aim has seen in this run
	apart   bool // see Apart
	watched bool // somebody waits for End
	sending bool // the run tells DOCA of data segments that are new
	moves   bool // and of nothing else

	// The number of the claim's stay on its buffers, which is odd, while active. Else it is one less, or, without keep, the next one:
	// no buffer has a mark with that yet.
	state atomic.Uint64
	kept  atomic.Bool // it stays on its buffers when the run has ended; written with an inventory's mu held
	stale atomic.Bool // a buffer is to be closed: Begin must look at all of them
	moved atomic.Bool // a data segment was set while it was kept
}

// use is one buffer of a claim.
type use struct {
	b     *Buffer
	n     int // bytes that a run writes
	write bool
}

// Init ties the claim to a context. keep is for a claim that will run many times.
func (c *Claim) Init(link *Link, keep bool) {
	c.link, c.keep = link, keep
	if !keep {
		c.state.Store(c.state.Load() | 1)
	}
}

// Ready reports whether Init was called.
func (c *Claim) Ready() bool { return c != nil && c.link != nil }

func noClaim(op string) error {
	return Fail(op, "claim", abi.ErrorInvalidValue, "it is nil or a zero value: call Init with the Link of a context")
}

// Reset removes all buffers. The claim must not be active. One with keep remembers them: if the same are added
// again, it is still on them, and the next run costs less.
func (c *Claim) Reset() {
	c.n, c.anew, c.eager = 0, true, false
	if !c.keep {
		c.cut()
	}
}

// cut forgets the buffers that were not added since Reset.
func (c *Claim) cut() {
	for i := c.n; i < len(c.uses); i++ { // one by one: there are few, and clear costs more
		c.uses[i].b = nil
	}
	c.uses = c.uses[:c.n]
	c.changed = true
}

// Len returns the number of buffers.
func (c *Claim) Len() int { return c.n }

// Has reports whether buffer i is b, which may be nil.
func (c *Claim) Has(i int, b *Buffer) bool {
	return c != nil && uint(i) < uint(c.n) && b != nil && c.uses[i].b == b
}

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
		return c.noBuffer(write)
	}
	if c.paired {
		c.n, c.paired = 0, false
	}
	if c.n < len(c.uses) {
		if u := &c.uses[c.n]; u.b != b || u.write != write { // not as before Reset
			*u = use{b: b, write: write}
			c.changed = true
		}
	} else {
		c.uses = append(c.uses, use{b: b, write: write})
		c.changed = true
	}
	c.n++
	c.eager = c.eager || write
	if b.inv != c.inv {
		c.inv = nil
	}
	return nil
}

// noBuffer returns the error of a claim that is given no buffer.
func (c *Claim) noBuffer(write bool) error {
	role := "source"
	if write {
		role = "destination"
	}
	return Fail("use buffers", c.link.String(), abi.ErrorInvalidValue, "the "+role+" is nil")
}

func (c *Claim) addInventory(inv *Inventory) {
	i, found := slices.BinarySearchFunc(c.invs, inv, func(a, b *Inventory) int { return cmp.Compare(a.Node.id, b.Node.id) })
	if !found {
		c.invs = slices.Insert(c.invs, i, inv)
	}
}

// settle makes the buffers those of the next run.
func (c *Claim) settle() {
	if c.n < len(c.uses) {
		c.cut()
	}
	if !c.changed {
		return
	}
	if c.inv == nil || len(c.uses) == 0 {
		clear(c.invs)
		c.invs, c.inv = c.invs[:0], nil
		for i := range c.uses {
			if inv := c.uses[i].b.inv; len(c.invs) > 8 || !slices.Contains(c.invs, inv) { // a few are found sooner one by one
				c.addInventory(inv)
			}
		}
		if len(c.invs) == 1 {
			c.inv = c.invs[0]
		}
	}
	if c.kept.Load() {
		c.kept.Store(false)
	}
}

// leaveLocked takes the claim off its buffers. No run is active then.
func (c *Claim) leaveLocked() {
	if c.kept.Load() {
		c.kept.Store(false)
	}
	c.finishLocked()
}

// Submitted unlocks what Begin locked. all says that every task was submitted with the
// views of this claim.
func (c *Claim) Submitted(all bool) {
	if !c.Ready() {
		return
	}
	if !all {
		for i := range c.uses {
			if u := &c.uses[i]; !u.write {
				u.b.unsent = true
			}
		}
	}
	c.unlock()
}

// Cancel takes Begin back, because no task was submitted.
func (c *Claim) Cancel() {
	if c.sending {
		c.moved.Store(true)
	}
	for i := range c.uses {
		b := c.uses[i].b
		if i < 2*c.aimed {
			b.fill = 0
		}
		b.unsent = true // a view may have reached DOCA
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
	if len(c.uses) == 0 {
		return
	}
	well := failed == nil && !c.apart
	if well && !c.eager {
		c.finishLocked()
		return
	}
	c.lock()
	if !well && c.kept.Load() {
		c.kept.Store(false)
	}
	for i := range c.uses {
		if u := &c.uses[i]; u.write {
			u.fillLocked(failed != nil && failed(i), c.apart)
		}
	}
	c.finishLocked()
	c.unlock()
}

// Apart says that the tasks of this run use parts of the claimed buffers.
func (c *Claim) Apart() { c.apart = true }

// Kept reports whether the claim has stayed on its buffers.
func (c *Claim) Kept() bool { return c.kept.Load() }

// Moved reports, between Begin and Submitted, whether nothing about the buffers has changed since the last run but data
// segments that SetData has set.
func (c *Claim) Moved() bool { return c.moves }

// SetLen sets the number of bytes that a run writes to buffer i.
func (c *Claim) SetLen(i, n int) {
	c.uses[i].n = n
	c.eager = true
}

// WriteLen returns the number of bytes that a run writes to buffer i.
func (c *Claim) WriteLen(i int) int { return c.uses[i].n }

// View returns DOCA's object of buffer i, and the data segment unless DOCA knows it
// already. It is called between Begin and Submitted.
func (c *Claim) View(i int) common.BufView {
	if c == nil || uint(i) >= uint(len(c.uses)) {
		return common.BufView{}
	}
	u := &c.uses[i]
	b := u.b
	v := common.BufView{Buf: b.raw}
	if u.write {
		v.Data = b.start
		return v
	}
	if b.syncLocked(); b.unsent {
		v.Data, v.Len = b.at(b.data), uint64(b.n)
		b.unsent = false // unless the submission fails
	}
	return v
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
		return Segment{Memory: b.mem, off: int(b.offset.Load()), N: min(b.len(), n)}
	}
	b.syncLocked()
	return Segment{Memory: b.mem, off: int(b.offset.Load()) + b.data, N: b.n}
}

// DataLen returns the number of bytes that are read of buffer i, or of the list that it heads.
func (c *Claim) DataLen(i int) int {
	b := c.uses[i].b
	if b.list == nil {
		b.syncLocked()
		return b.n
	}
	sum := 0
	for _, x := range b.list {
		sum += x.n
	}
	return sum
}

// lock locks the inventories.
func (c *Claim) lock() {
	for _, inv := range c.invs {
		inv.mu.Lock()
	}
}

// unlock unlocks the inventories.
func (c *Claim) unlock() {
	for _, inv := range c.invs {
		inv.mu.Unlock()
	}
}

// finishLocked marks the run as ended.
func (c *Claim) finishLocked() {
	if c.keep {
		c.state.Store(c.state.Load() &^ 1)
	} else {
		c.state.Store(c.state.Load() + 2) // a further atomic operation in Begin costs a single copy 4 ns
	}
	if c.watched {
		c.watched = false
		c.link.eng.changedLocked()
	}
}

// ended returns a function that waits for the end of the run that was active in a stay.
func (c *Claim) ended(stay uint64) func(context.Context) error {
	return func(ctx context.Context) error {
		e := c.link.eng
		if err := e.lockFor(ctx); err != nil {
			return err
		}
		defer e.mu.Unlock()
		return e.awaitLocked(ctx, func() bool {
			if c.state.Load() != stay {
				return true
			}
			c.watched = true
			return false
		})
	}
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
		b.settleLocked()
		b.data, b.n, b.fill = 0, min(b.len(), n), 0
		b.unsent = failed || apart
		n -= b.n
	}
}

// sendListsLocked passes to DOCA the data segments of the buffers inside lists. Those of
// the heads travel with the submission.
func (c *Claim) sendListsLocked() error {
	for i := range c.uses {
		if err := c.uses[i].sendListLocked(); err != nil {
			return err
		}
	}
	return nil
}

func (u *use) sendListLocked() error {
	if !u.b.listed {
		return nil
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
	return nil
}
