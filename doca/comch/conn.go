package comch

import (
	"context"
	"io"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Conn is a connection between a client and a server, as one of the two sees it. Messages
// keep their boundaries and their order. Conns come from [Dial] and from [Server.Accept]; a
// server owns its connections, and a connection owns its consumers and producers. It may be
// used from any goroutine.
type Conn struct {
	obj connObject
	srv *Server // keeps its handle as long as this one; nil on the client side
	dev *doca.Device
	eng *doca.ProgressEngine
	c   *conn
}

// connObject is the connection's place in the ownership tree: the context of a client, or a
// child of a server's.
type connObject interface {
	bind.Owner
	Close() error
	Shutdown(context.Context) error
	String() string
}

// conn is the inner part of a connection, guarded by the engine's lock.
type conn struct {
	s    *side
	name string          // for messages
	raw  *gen.Connection // nil before it is established and after it has ended

	up      bool  // it has been established
	closing bool  // Close has begun: nothing more is sent or received
	leaving bool  // DOCA has been told to disconnect
	err     error // why it has ended: io.EOF, or an error that says more
	done    chan struct{}
	watched bool // somebody has the channel: the engine is driven

	in    inbox
	out   outbox
	peers peerConsumers

	attachedMu sync.Mutex
	attached   map[*attachment]struct{}
}

// Close ends the connection and returns when that is done. Its consumers and producers are
// closed first; what was sent before is still delivered, as far as DOCA can; received
// messages that were not read are gone. It is idempotent and may be called from any
// goroutine at any time. Stands on doca_comch_server_disconnect and doca_ctx_stop.
func (c *Conn) Close() error { return c.obj.Close() }

// Shutdown is Close that waits no longer than ctx. If ctx ends first it returns an error
// that wraps ctx.Err(), the connection takes nothing more, and a later Close or Shutdown
// goes on.
func (c *Conn) Shutdown(ctx context.Context) error { return c.obj.Shutdown(ctx) }

// String names the connection for messages and logs.
func (c *Conn) String() string { return c.obj.String() }

// Name returns the name of the server that the connection is with.
func (c *Conn) Name() string { return c.c.s.name }

// Server returns the server that accepted the connection; nil on the client side.
func (c *Conn) Server() *Server { return c.srv }

// Device returns the device that the connection is on.
func (c *Conn) Device() *doca.Device { return c.dev }

// Engine returns the engine of the connection's messages and events; on the server side it is
// the server's.
func (c *Conn) Engine() *doca.ProgressEngine { return c.eng }

// MaxMessageSize returns the length of the longest message, in bytes.
func (c *Conn) MaxMessageSize() int { return c.c.s.limits.MaxMessageSize }

// State returns StateRunning while messages can be sent, StateStopping while the connection
// is being closed, StateIdle when it has ended, and StateClosed after Close.
func (c *Conn) State() doca.State {
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	switch {
	case in.raw != nil && in.closing:
		return doca.StateStopping
	case in.raw != nil:
		return doca.StateRunning
	case in.closing:
		return doca.StateClosed
	}
	return doca.StateIdle
}

// Done returns a channel that is closed when the connection has ended, for whatever reason.
// As long as it is open a goroutine drives the engine, which receives messages, too: up to
// the backlog, and when that is full the end is not noticed until some are read.
func (c *Conn) Done() <-chan struct{} {
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	if in.raw != nil && !in.watched {
		in.watched = true
		in.s.link.Watch()
	}
	return in.done
}

// Err returns why the connection has ended: io.EOF if the peer closed it, ErrConnectionReset
// if the peer is gone without that, a [*doca.StateError] after its own Close, and nil while
// it has not ended.
func (c *Conn) Err() error {
	c.c.s.link.LockAlways()
	defer c.c.s.link.Unlock()
	return c.c.readable("use")
}

// newConn makes the inner part of a connection of a side.
func (s *side) newConn() *conn { return &conn{s: s, name: s.link.String(), done: make(chan struct{})} }

// establish says that DOCA has the connection. The lock is held.
func (c *conn) establish(raw *gen.Connection) {
	c.raw, c.up = raw, true
	c.s.tasks.join(c)
}

// ended says that DOCA has the connection no more, and why. The lock is held.
func (c *conn) ended(err error) {
	if c.err != nil {
		return
	}
	c.raw, c.err = nil, err
	if c.up && c.out.inflight == 0 {
		c.s.tasks.leave(c)
	}
	c.stopWaits()
	if c.watched {
		c.watched = false
		c.s.link.Unwatch()
	}
	close(c.done)
	c.lose()
}

// shut says that Close has begun. The lock is held.
func (c *conn) shut() {
	if !c.closing {
		c.closing = true
		c.in.drop()
		c.stopWaits()
	}
}

// stopWaits lets those who wait for the connection look again: it takes no more.
func (c *conn) stopWaits() {
	c.in.end(c)
	c.refuse()
	c.s.link.Wake()
}

// readable returns an error if no more can come.
func (c *conn) readable(op string) error {
	if c.closing {
		return c.closedError(op)
	}
	return c.err
}

// usable returns an error if nothing can be sent.
func (c *conn) usable(op string) error {
	switch {
	case c.closing:
		return c.closedError(op)
	case c.err == io.EOF:
		return c.fail(op, doca.ErrNotConnected, "the peer has closed the connection")
	case c.err != nil:
		return c.err
	case c.up && c.raw == nil: // it has ended, and the end is about to be told
		return c.fail(op, doca.ErrNotConnected, "the connection has ended")
	}
	return c.s.link.Check(bind.OpSubmit, op)
}

// await waits for something that the connection's events bring. The lock is held.
func (c *conn) await(ctx context.Context, op string, cond func() bool) error {
	err := c.s.link.Await(ctx, func() bool { return c.readable(op) != nil || cond() })
	switch {
	case c.closing:
		return c.closedError(op)
	case cond():
		return nil
	case c.err != nil:
		return c.err
	}
	return err
}

func (c *conn) closedError(op string) error {
	return &doca.StateError{Object: c.name, State: doca.StateClosed, Op: op}
}

// fail wraps the cause of an operation that failed; nil stays nil.
func (c *conn) fail(op string, cause error, advice string) error {
	if cause == nil {
		return nil
	}
	return &doca.OpError{Op: op, Object: c.name, Err: cause, Advice: advice}
}
