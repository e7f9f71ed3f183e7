package core

import "context"

// Resume says that the context has room for records again.
func (c *Link) Resume() {
	if !c.eng.pausedLocked() {
		c.eng.sleep.kick()
	}
}

// Await waits until cond holds, and drives the engine meanwhile. See bind.Link.
func (c *Link) Await(ctx context.Context, cond func() bool) error {
	if err := NeedContext(ctx, "wait", c.Node); err != nil {
		return err
	}
	return c.eng.awaitLocked(ctx, cond)
}

// AwaitPatiently is Await that leaves the engine to others as long as there are some.
func (c *Link) AwaitPatiently(ctx context.Context, cond func() bool) error {
	if err := NeedContext(ctx, "wait", c.Node); err != nil {
		return err
	}
	return c.eng.awaitAsLocked(ctx, false, true, cond)
}

// AwaitDrained is Await that drives the engine even if a context has no room for records.
func (c *Link) AwaitDrained(ctx context.Context, cond func() bool) error {
	if err := NeedContext(ctx, "wait", c.Node); err != nil {
		return err
	}
	c.eng.insistLocked(1)
	defer c.eng.insistLocked(-1)
	return c.eng.awaitLocked(ctx, cond)
}

// Wake makes Await and AwaitDrained look at their conditions again.
func (c *Link) Wake() { c.eng.changedLocked() }

// Watch makes a goroutine drive the engine until there have been as many calls of Unwatch.
func (c *Link) Watch() { c.eng.watchLocked() }

// Unwatch takes back one Watch.
func (c *Link) Unwatch() { c.eng.unwatchLocked() }
