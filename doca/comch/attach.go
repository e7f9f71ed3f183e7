package comch

import (
	"context"

	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// attachment ties a consumer or producer to its connection. How one is made:
//
//	bind.NewContext(bind.ContextConfig{
//		Device: c.dev, Engine: cfg.Engine, OwnEngine: cfg.Engine == nil,
//		Parent: c.owner(), // it is closed before the connection
//		Create: func(_ *common.Dev, link *bind.Link) (ctx *common.Ctx, err error) {
//			err = c.c.attach("new producer", &p.att, func(raw *gen.Connection) error { p.raw, err = gen.ProducerCreate(raw); ... })
//		},
//		Destroy: func(ring *abi.Ring) error { err := gen.ProducerDestroy(ring, p.raw); c.c.detach(&p.att); ... },
//	})
//	c.c.driven(ctx, func() error { return p.Start(ctx) }) // a consumer's start needs the connection's engine
type attachment struct {
	// lost is called once on a goroutine of its own, without locks, when the connection has
	// ended while this was attached; err is what the connection's Err returns. Optional.
	lost func(err error)
}

// owner is what consumers and producers are created below.
func (c *Conn) owner() bind.Owner { return c.obj }

// attach calls create with DOCA's connection, under the lock of the connection's engine, so
// that it cannot end meanwhile. If that succeeds a belongs to the connection until detach. A
// connection that has ended or is being closed is an error as Send returns it.
func (c *conn) attach(op string, a *attachment, create func(*gen.Connection) error) error {
	c.s.link.LockAlways()
	defer c.s.link.Unlock()
	if err := c.usable(op); err != nil {
		return err
	}
	if err := create(c.raw); err != nil {
		return c.refused(op, err)
	}
	c.attachedMu.Lock()
	defer c.attachedMu.Unlock()
	if c.attached == nil {
		c.attached = map[*attachment]struct{}{}
	}
	c.attached[a] = struct{}{}
	return nil
}

// refused returns why DOCA has refused something on the connection: it knows of the end before
// the engine tells. The lock is held.
func (c *conn) refused(op string, err error) error {
	if c.s.link.Step(); c.usable(op) != nil {
		return c.usable(op)
	}
	return err
}

// detach ends what attach began. Calling it for what is not attached does nothing. It may be
// called with the lock of any engine held.
func (c *conn) detach(a *attachment) {
	c.attachedMu.Lock()
	defer c.attachedMu.Unlock()
	delete(c.attached, a)
}

// lose tells all that are attached that the connection has ended.
func (c *conn) lose() {
	c.attachedMu.Lock()
	defer c.attachedMu.Unlock()
	for a := range c.attached {
		if a.lost != nil {
			go a.lost(c.err)
		}
	}
	clear(c.attached)
}

// driven calls f while a goroutine drives the connection's engine, even if messages that
// nobody reads have filled the backlog. f ends soon, or with ctx.
func (c *conn) driven(ctx context.Context, f func() error) error {
	link := c.s.link
	ended, done := false, make(chan struct{})
	go func() {
		defer close(done)
		link.LockAlways()
		defer link.Unlock()
		link.AwaitDrained(ctx, func() bool { return ended || c.raw == nil })
	}()
	err := f()
	link.LockAlways()
	ended = true
	link.Wake()
	link.Unlock()
	<-done
	return err
}
