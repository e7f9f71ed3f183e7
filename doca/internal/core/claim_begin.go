package core

import (
	"cmp"

	"github.com/go-doca/go-doca/generated/abi"
)

// Begin claims the buffers for a run and locks their inventories until Submitted or Cancel.
// same reports that nothing about the buffers has changed since the last run. See
// bind.Claim for the errors.
func (c *Claim) Begin(op string) (same bool, err error) {
	if !c.Ready() {
		return false, noClaim(op)
	}
	c.settle()
	if len(c.uses) == 0 { // such as of messages without data: there is nothing to mark
		same = !c.anew
		c.sending, c.moves, c.anew, c.changed = false, false, false, false
		return same, nil
	}
	c.lock()
	if c.stale.Load() {
		c.stale.Store(false)
		c.kept.Store(false)
	}
	kept := c.kept.Load()
	anew := !kept || c.anew
	c.sending, c.moves, c.anew, c.changed, c.apart, c.aimed = anew, false, false, false, false, 0
	if kept {
		c.state.Store(c.state.Load() | 1)
	} else {
		if c.keep {
			c.state.Store(c.state.Load() + 3) // marks of earlier stays say nothing any more
		}
		err = c.enterLocked(op)
	}
	if c.moved.Load() { // whoever sets a data segment looks at the state after this
		c.moved.Store(false)
		c.sending, c.moves = true, !anew
	}
	if err == nil && c.lists {
		err = c.sendListsLocked()
	}
	if err != nil {
		c.leaveLocked()
		c.unlock()
		return false, err
	}
	if c.keep && !kept {
		c.kept.Store(true)
	}
	return !c.sending, nil
}

// enterLocked enters the claim into its buffers.
func (c *Claim) enterLocked(op string) error {
	c.lists = false
	for i := c.reenterLocked(0); i < len(c.uses); i = c.reenterLocked(i + 1) {
		if err := c.uses[i].enterLocked(c, op); err != nil {
			return err
		}
	}
	return nil
}

// reenterLocked enters the claim into buffers, from the given one on, while their marks are its own: since it was on them, nobody
// else has changed them or written to them. It returns the first that needs a closer look.
func (c *Claim) reenterLocked(i int) int {
	stay := c.state.Load() << 1 // as marks have it
	uses := c.uses
	for ; i < len(uses); i++ {
		u := &uses[i]
		b := u.b
		m := &b.mark
		if m.claim != c { // one by one: the compiler makes more of a condition with many parts
			return i
		}
		if m.stay == stay|1 {
			return i
		}
		if b.listed {
			return i
		}
		if !b.near {
			b.approachLocked()
		}
		if b.node.phase.Load() != phaseOpen {
			return i
		}
		if !u.write { // if others have marks behind this one, they read it, too
			m.stay = stay
			if b.fill != 0 {
				b.filledLocked()
			}
			continue
		}
		if m.stay == stay {
			return i
		}
		if b.mem.readOnly.Load() {
			return i
		}
		if !b.near {
			return i
		}
		m.stay = stay | 1
		if b.fill != 0 {
			b.filledLocked()
		}
	}
	return i
}

// enterLocked enters a claim into one buffer.
func (u *use) enterLocked(c *Claim, op string) error {
	b := u.b
	if b.node.phase.Load() != phaseOpen || b.raw == nil {
		return cmp.Or(b.Node.Open(op), b.lackingLocked(op))
	}
	if b.listed {
		c.lists = true
		if err := u.listUsableLocked(c, op); err != nil {
			return err
		}
	}
	if b.posted {
		return b.inUseLocked(op)
	}
	b.poster = nil
	if err := b.mem.usable(c.link, op, b.Node, u.write); err != nil {
		return err
	}
	return b.enterLocked(markOf(c, c.state.Load(), u.write), op)
}

// listUsableLocked checks the list that a buffer must head.
func (u *use) listUsableLocked(c *Claim, op string) error {
	if u.b.list[0] != u.b {
		return u.b.Node.Fail(op, abi.ErrorNotPermitted, "it is inside a list: use the list's head")
	}
	for _, x := range u.b.list {
		if err := x.mem.usable(c.link, op, x.Node, u.write); err != nil {
			return err
		}
	}
	return nil
}
