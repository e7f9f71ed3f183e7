package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
)

// inUseLocked returns the error of a claim that another use of the buffer excludes.
func (b *Buffer) inUseLocked(c *Claim, op string) error {
	advice := "another operation is using it: wait for its end"
	if slices.Contains(b.users, c) {
		advice = "the operation uses it twice, and writes to it"
	}
	return b.Node.Fail(op, abi.ErrorInUse, advice)
}

// keeperLocked returns the claim that is kept on the buffer, or nil.
func (b *Buffer) keeperLocked() *Claim {
	c := b.kept.claim
	if c == nil || !c.kept.Load() || c.epoch.Load() != b.kept.epoch {
		return nil
	}
	return c
}

// disturbLocked takes a kept claim off the buffer.
func (b *Buffer) disturbLocked() {
	if c := b.keeperLocked(); c != nil {
		c.kept.Store(false)
	}
	b.kept = keptClaim{}
}

// userLocked returns a claim that is active on the buffer, or nil.
func (b *Buffer) userLocked() *Claim {
	if len(b.users) > 0 {
		return b.users[0]
	}
	// Another goroutine may take the claim for other buffers meanwhile: then it is active for those.
	if c := b.keeperLocked(); c != nil && c.active() && b.keeperLocked() == c {
		return c
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
	if c := b.headLocked().userLocked(); c != nil {
		c.stale.Store(true)
		return c.endedLocked()
	}
	return nil
}

// given returns a function that waits until a posted buffer is given back. Only if the
// context stops is it certain that this happens.
func (b *Buffer) given(to *Link) func(context.Context) error {
	return func(ctx context.Context) error {
		e := to.eng
		e.lock()
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
