package comch

import (
	"context"

	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// attachment ties a consumer or producer to its connection: see endpoint.
type attachment struct {
	// lost is called when the connection ends, once, on a goroutine of its own that holds no
	// lock. err is the result of the connection's Err. It may be nil.
	lost func(err error)
}

// owner returns the parent of the connection's consumers and producers.
func (c *Conn) owner() bind.Owner { return c.obj }

// attach calls create with DOCA's connection. It holds the lock of the connection's engine, so
// that the connection cannot end meanwhile. If create succeeds, a belongs to the connection
// until detach. If the connection has ended or is being closed, attach returns the same error
// as Send.
func (c *conn) attach(op string, a *attachment, create func(*gen.Connection) error) error {
	c.s.link.LockAlways()
	defer c.s.link.Unlock()
	if err := c.usableLocked(op); err != nil {
		return err
	}
	if err := create(c.raw); err != nil {
		return c.whyRefusedLocked(context.Background(), op, err)
	}
	c.attachedMu.Lock()
	defer c.attachedMu.Unlock()
	if c.attached == nil {
		c.attached = map[*attachment]struct{}{}
	}
	c.attached[a] = struct{}{}
	return nil
}

// detachAttachment takes a back. It does nothing if a is not attached. The caller may hold the lock of any
// engine.
func (c *conn) detachAttachment(a *attachment) {
	c.attachedMu.Lock()
	defer c.attachedMu.Unlock()
	delete(c.attached, a)
}

// detachAllLocked tells what is attached that the connection has ended, and takes all of it back.
func (c *conn) detachAllLocked() {
	c.attachedMu.Lock()
	defer c.attachedMu.Unlock()
	for a := range c.attached {
		if a.lost != nil {
			go a.lost(c.err)
		}
	}
	clear(c.attached)
}

// whileDriving calls f while a goroutine drives the connection's engine, even if the backlog is
// full. f must not last longer than ctx.
func (c *conn) whileDriving(ctx context.Context, f func() error) error {
	link := c.s.link
	driving, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if link.LockAlwaysFor(driving) != nil {
			return
		}
		defer link.Unlock()
		link.AwaitDrained(driving, func() bool { return driving.Err() != nil || c.raw == nil })
	}()
	err := f()
	end()
	<-done
	return err
}
