package doca

import "context"

// Hold keeps everybody from driving the context's engine until Unhold has been called as
// often as Hold: a package does that while it has no room for what it would receive. Stops
// and closes, and [Link.Insist], drive it all the same. The lock is held.
func (c *Link) Hold() { c.eng.held++ }

// Unhold takes a Hold back. The lock is held.
func (c *Link) Unhold() {
	c.eng.held--
	if !c.eng.paused() {
		c.eng.sleep.kick()
	}
}

// Await waits until cond holds, and drives the engine meanwhile. The lock is held at the
// call and at the return, and while cond runs; cond is looked at again after each call of
// [Link.Wake] and after each change of a context's state.
func (c *Link) Await(ctx context.Context, cond func() bool) error { return c.eng.await(ctx, cond) }

// Insist is Await that no Hold keeps from driving the engine. It is for taking things down.
func (c *Link) Insist(ctx context.Context, cond func() bool) error {
	c.eng.insist(1)
	defer c.eng.insist(-1)
	return c.eng.await(ctx, cond)
}

// Wake makes those in Await look again. The lock is held.
func (c *Link) Wake() { c.eng.changed() }

// Watch has a goroutine drive the engine until Unwatch has been called as often as Watch: for
// what somebody waits for elsewhere. The lock is held.
func (c *Link) Watch() { c.eng.watch() }

// Unwatch takes a Watch back. The lock is held.
func (c *Link) Unwatch() { c.eng.unwatch() }

// paused tells whether the engine is not to be driven now. mu is held.
func (e *engine) paused() bool { return e.held > 0 && e.insisted == 0 }

// insist adds to the reasons for driving a held engine. mu is held.
func (e *engine) insist(n int) {
	e.insisted += n
	if e.held > 0 && !e.paused() {
		e.sleep.kick()
	}
}
