package core

import "context"

// Resume says that the context has room again (see [ContextConfig].Room). The lock is held.
func (c *Link) Resume() {
	if !c.eng.pausedLocked() {
		c.eng.sleep.kick()
	}
}

// Await waits until cond holds, and drives the engine meanwhile. The lock is held at the
// call and at the return, and while cond runs; cond is looked at again after each call of
// [Link.Wake] and after each change of a context's state.
func (c *Link) Await(ctx context.Context, cond func() bool) error {
	return c.eng.awaitLocked(ctx, cond)
}

// AwaitDrained is Await that drives the engine even where a context has no room. It is for taking
// things down.
func (c *Link) AwaitDrained(ctx context.Context, cond func() bool) error {
	c.eng.insistLocked(1)
	defer c.eng.insistLocked(-1)
	return c.eng.awaitLocked(ctx, cond)
}

// Wake makes those in Await look again. The lock is held.
func (c *Link) Wake() { c.eng.changedLocked() }

// Watch has a goroutine drive the engine until Unwatch has been called as often as Watch: for
// what somebody waits for elsewhere. The lock is held.
func (c *Link) Watch() { c.eng.watchLocked() }

// Unwatch takes a Watch back. The lock is held.
func (c *Link) Unwatch() { c.eng.unwatchLocked() }
