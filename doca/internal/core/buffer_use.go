package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
)

// mark is what a claim leaves on each of its buffers. It says something as long as the claim has not begun another stay.
type mark struct {
	claim *Claim
	stay  uint64 // twice that of Claim.state, and 1 if the claim writes to the buffer
}

// markOf is the mark of a claim's stay.
func markOf(c *Claim, stay uint64, write bool) mark {
	m := mark{c, stay << 1}
	if write {
		m.stay |= 1
	}
	return m
}

// writes reports whether the claim writes to the buffer.
func (m *mark) writes() bool { return m.stay&1 != 0 }

// active reports whether a run of the claim uses the buffer.
func (m *mark) active() bool { return m.claim != nil && m.claim.state.Load() == m.stay>>1 }

// on reports whether the claim is on the buffer: a run uses it, or it is kept there.
func (m *mark) on() bool {
	if m.claim == nil {
		return false
	}
	s := m.claim.state.Load()
	return s == m.stay>>1 || s == m.stay>>1-1 && m.claim.kept.Load()
}

// enterLocked enters a claim into the buffer. Claims that are kept on it and that this one excludes are taken off.
func (b *Buffer) enterLocked(m mark, op string) error {
	b.settleLocked() // what was before is known while the earlier mark is here
	twice, others := false, false
	for i := range b.numMarksLocked() {
		x := b.markLocked(i)
		switch {
		case x.claim == m.claim && x.stay>>1 == m.stay>>1:
			if x.writes() || m.writes() {
				return b.Node.Fail(op, abi.ErrorInUse, "the operation uses it twice, and writes to it")
			}
			twice = true
		case !x.on():
		case !x.writes() && !m.writes():
			others = true
		case x.active():
			return b.inUseLocked(op)
		default:
			x.claim.kept.Store(false)
		}
	}
	switch {
	case twice:
	case others:
		r := b.rareLocked()
		b.near = false
		r.others = append(slices.DeleteFunc(r.others, func(x mark) bool { return !x.on() }), m)
	default:
		b.mark, b.near = m, !b.listed
		b.aloneLocked()
	}
	return nil
}

// othersLocked returns the marks behind the first one.
func (b *Buffer) othersLocked() []mark {
	if b.rare == nil {
		return nil
	}
	return b.rare.others
}

// aloneLocked removes the marks behind the first one.
func (b *Buffer) aloneLocked() {
	if b.rare != nil {
		clear(b.rare.others)
		b.rare.others = b.rare.others[:0]
	}
}

// approachLocked makes a buffer that is in no list near, unless further claims are on it.
func (b *Buffer) approachLocked() {
	if slices.ContainsFunc(b.othersLocked(), func(m mark) bool { return m.on() }) {
		return
	}
	b.aloneLocked()
	b.near = true
}

// numMarksLocked returns the number of marks on the buffer. Some may say nothing any more.
func (b *Buffer) numMarksLocked() int { return 1 + len(b.othersLocked()) }

func (b *Buffer) markLocked(i int) *mark {
	if i == 0 {
		return &b.mark
	}
	return &b.rare.others[i-1]
}

// inUseLocked returns the error of a claim that another use of the buffer excludes.
func (b *Buffer) inUseLocked(op string) error {
	return b.Node.Fail(op, abi.ErrorInUse, "another operation is using it: wait for its end")
}

// disturbLocked takes kept claims off the buffer. None is active.
func (b *Buffer) disturbLocked() {
	if b.mark.claim == nil {
		b.settleLocked() // a peer may have filled it
		return
	}
	for i := range b.numMarksLocked() {
		if m := b.markLocked(i); m.on() {
			m.claim.kept.Store(false)
		}
	}
	b.mark = mark{}
	b.aloneLocked()
	b.settleLocked()
}

// userLocked returns the mark of a claim that is active on the buffer, or nil.
func (b *Buffer) userLocked() *mark {
	for i := range b.numMarksLocked() {
		if m := b.markLocked(i); m.active() {
			return m
		}
	}
	return nil
}

// busyLocked returns a function that waits for whatever uses a buffer that is to be closed,
// or nil if nothing does.
func (b *Buffer) busyLocked() func(context.Context) error {
	if b.posted {
		b.leaving = true
		return b.given(b.poster)
	}
	b.poster = nil
	head := b.headLocked()
	if user := head.userLocked(); user != nil {
		for i := range head.numMarksLocked() {
			if m := head.markLocked(i); m.on() {
				m.claim.stale.Store(true) // also of those that are kept there
			}
		}
		return user.claim.ended(user.stay >> 1)
	}
	return nil
}

// given returns a function that waits until a posted buffer is given back. Only if the
// context stops is it certain that this happens.
func (b *Buffer) given(to *Link) func(context.Context) error {
	return func(ctx context.Context) error {
		e := to.eng
		if err := e.lockFor(ctx); err != nil {
			return err
		}
		defer e.mu.Unlock()
		here := func() bool { // it may have been given back while nobody held the inventory's lock
			b.inv.mu.Lock()
			defer b.inv.mu.Unlock()
			return b.posted && b.poster == to
		}
		if here() && !to.endingLocked() {
			return fmt.Errorf("%w: it is posted to %v and was not received: receive it, or close %v first", abi.ErrorInUse, to, to)
		}
		return e.awaitLocked(ctx, func() bool { return !here() || !to.endingLocked() })
	}
}
