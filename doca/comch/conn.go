package comch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Conn is one end of a connection between a client and a server. [Dial] and [Server.Accept]
// return one. It carries messages and keeps their boundaries and order. A server owns its
// connections, and a connection owns its consumers and producers: closing the owner closes what
// it owns. Any goroutine may use it.
type Conn struct {
	place
	obj connObject
	srv *Server // so that its handle lives as long as this one; nil on the client's side
	dev *doca.Device
	eng *doca.ProgressEngine
	c   *conn
}

// place makes a Conn or Server an owner for package bind. It is nil in a zero value.
type place = bind.Owner

// connObject is the connection's place in the ownership tree: the context of a client, or a
// child of the context of a server.
type connObject interface {
	bind.Owner
	Close() error
	Shutdown(context.Context) error
	String() string
}

// conn is the inner part of a connection. The engine's lock guards it.
type conn struct {
	s    *side
	name string          // for error messages
	raw  *gen.Connection // nil before the connection is established and after it has ended

	established   bool                  // also after it has ended
	closing       bool                  // Close has begun: nothing more is sent or received
	disconnecting bool                  // DOCA was told to disconnect
	parted        bool                  // the peer has sent its farewell
	heard         atomic.Bool           // something has arrived from the peer
	err           error                 // why it has ended: see endLocked
	over          atomic.Pointer[error] // err, for consumers and producers, whose locks are others
	done          chan struct{}         // closed when it has ended
	watched       bool                  // Done was called, so a goroutine drives the engine

	backlog backlog
	sends   sendShare
	peers   peerConsumers
	names   peerNames

	attachedMu sync.Mutex
	attached   map[*attachment]struct{}
}

// String names the connection for messages and logs.
func (c *Conn) String() string {
	if c == nil || c.c == nil {
		return ""
	}
	return c.obj.String()
}

// Name returns the name of the server that the connection is with.
func (c *Conn) Name() string {
	if c == nil || c.c == nil {
		return ""
	}
	return c.c.s.name
}

// Server returns the server that accepted the connection. It is nil on the client's side.
func (c *Conn) Server() *Server {
	if c == nil || c.c == nil {
		return nil
	}
	return c.srv
}

// Device returns the device of this side.
func (c *Conn) Device() *doca.Device {
	if c == nil || c.c == nil {
		return nil
	}
	return c.dev
}

// Engine returns the engine that completes the connection's messages and events. On the
// server's side it is the engine of the server.
func (c *Conn) Engine() *doca.ProgressEngine {
	if c == nil || c.c == nil {
		return nil
	}
	return c.eng
}

// MaxMessageSize returns the length of the longest message that can be sent, in bytes.
func (c *Conn) MaxMessageSize() int {
	if c == nil || c.c == nil {
		return 0
	}
	return c.c.s.limits.MaxMessageSize
}

// State returns StateRunning while the connection can send messages, StateStopping while it is
// being closed, StateIdle after it has ended, and StateClosed after Close.
func (c *Conn) State() doca.State {
	if c == nil || c.c == nil {
		return doca.StateClosed
	}
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
// Until then a goroutine drives the engine. That also receives messages. When the backlog is
// full, the goroutine has to wait and does not notice the end until some are read.
func (c *Conn) Done() <-chan struct{} {
	if c == nil || c.c == nil {
		return nil
	}
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	if in.raw != nil && !in.watched {
		in.watched = true
		in.s.link.Watch()
	}
	return in.done
}

// Err returns why the connection has ended: a [*PeerError] if the peer has ended it, which is io.EOF
// to errors.Is if it is known that the peer has closed it, and a [*doca.StateError] after the
// connection's own Close. It returns nil before the end.
func (c *Conn) Err() error {
	if c == nil || c.c == nil {
		return noConn("err")
	}
	c.c.s.link.LockAlways()
	defer c.c.s.link.Unlock()
	return c.c.readableLocked("err")
}

// newConn returns the inner part of a connection that is not established yet.
func (s *side) newConn() *conn { return &conn{s: s, name: s.link.String(), done: make(chan struct{})} }

// establishLocked records that DOCA has established the connection.
func (c *conn) establishLocked(raw *gen.Connection) {
	c.raw, c.established = raw, true
	c.s.tasks.joinLocked(c)
}

// stopWaitsLocked wakes the goroutines that wait for the connection, when it has ended or is
// being closed.
func (c *conn) stopWaitsLocked() {
	c.backlog.endWaitsLocked(c)
	c.endSendWaitsLocked()
	c.s.link.Wake()
}

// readableLocked returns an error if nothing more can be received.
func (c *conn) readableLocked(op string) error {
	if c.closing {
		return c.closedError(op)
	}
	if c.err == nil {
		return nil
	}
	return c.endErrorLocked(op, c.name, true)
}

func (c *conn) usable(op string) error {
	c.s.link.LockAlways()
	defer c.s.link.Unlock()
	return c.usableLocked(op)
}

// usableLocked returns an error if nothing can be sent.
func (c *conn) usableLocked(op string) error {
	switch {
	case c.closing:
		return c.closedError(op)
	case c.err != nil:
		return c.endErrorLocked(op, c.name, false)
	case c.established && c.raw == nil: // it has ended, and the engine is about to report it
		return (&PeerError{Err: doca.ErrNotConnected}).of(op, c.name, false)
	}
	return c.s.link.Check(bind.OpSubmit, op)
}

// awaitLocked waits until cond holds, which events of the connection bring about. The lock is
// released meanwhile.
func (c *conn) awaitLocked(ctx context.Context, op string, cond func() bool) error {
	err := c.s.link.Await(ctx, func() bool { return c.readableLocked(op) != nil || cond() })
	switch {
	case c.closing:
		return c.closedError(op)
	case cond():
		return nil
	case c.err != nil:
		return c.readableLocked(op)
	}
	return err
}

// closedError returns the error of an operation after this side has closed the connection. If the peer had
// ended it before, that is the cause.
func (c *conn) closedError(op string) error {
	return &doca.StateError{Object: c.name, State: doca.StateClosed, Op: op, Cause: c.peerEnd()}
}

// peerEnd returns a *PeerError without an operation if the peer has ended the connection, and nil otherwise.
func (c *conn) peerEnd() error {
	over := c.over.Load()
	if over == nil {
		return nil
	}
	if peer := new(PeerError); errors.As(*over, &peer) {
		return c.gone(peer, "", c.name, false)
	}
	return nil
}

// fail returns the error of an operation that failed, or nil if cause is nil.
func (c *conn) fail(op string, cause error, advice string) error {
	if cause == nil {
		return nil
	}
	return &doca.OpError{Op: op, Object: c.name, Err: cause, Advice: advice}
}
