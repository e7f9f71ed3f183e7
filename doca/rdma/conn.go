package rdma

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"weak"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// ConnState is the state of a connection.
type ConnState uint8

// The states of a connection.
const (
	ConnClosed     ConnState = iota // Close was called
	ConnExported                    // it waits for [Conn.Connect]
	ConnConnecting                  // [RDMA.Dial] or [Request.Accept] waits for the peer
	ConnConnected                   // operations can begin; the peer may not be ready, see [Conn.Handshake]
	ConnEnded                       // it has ended: [Conn.Err] says why
)

// String returns "closed", "exported", "connecting", "connected" or "ended".
func (s ConnState) String() string {
	switch s {
	case ConnClosed:
		return "closed"
	case ConnExported:
		return "exported"
	case ConnConnecting:
		return "connecting"
	case ConnConnected:
		return "connected"
	}
	return "ended"
}

// closeLimit limits a Close whose ctx can never end.
const closeLimit = 10 * time.Second

// Conn is one end of a connection. [RDMA.Export], [RDMA.Dial], [Listener.Accept] and
// [Request.Accept] return one. The context owns its connections. Any goroutine may use it.
type Conn struct {
	obj *bind.Child
	r   *RDMA // so that its handle lives as long as this one
	c   *conn

	userMu sync.Mutex
	user   any
}

// conn is the inner part of a connection. The engine's lock guards it.
type conn struct {
	r     *core
	user  abi.Data // identifies it to DOCA, which order does not; never used again
	name  string   // for error messages
	raw   *gen.Connection
	id    uint32
	state ConnState
	err   error // why it has ended

	wasConnected bool // it was established, and may have ended since
	closing      bool // Close has begun: nothing more begins
	handle       weak.Pointer[Conn]

	inflight int // operations that run
	done     chan struct{}
	watched  bool // Done was called, so a goroutine drives the engine

	hellos int    // the peer's parts of handshakes that have come and were not awaited
	first  uint32 // of [RDMA.Dial]: the number of the first message that may be from it

	_ abi.Apart
}

// newConnLocked makes a connection and adds it to those of the context.
func (c *core) newConnLocked(state ConnState) *conn {
	c.lastUser++
	in := &conn{r: c, user: c.lastUser, name: "connection of " + c.link.String(), state: state, done: make(chan struct{})}
	c.conns[in.user] = in
	c.lastEnd = nil
	return in
}

// knownLocked ties the connection to DOCA's.
func (c *conn) knownLocked(raw *gen.Connection) error {
	c.raw = raw
	c.r.byRaw[raw] = c
	id, err := gen.ConnectionGetID(raw)
	if err == nil {
		c.id = id
		err = gen.ConnectionSetUserData(raw, c.user)
	}
	return err
}

// forgetLocked removes the connection from those of the context.
func (c *conn) forgetLocked() {
	c.gone()
	delete(c.r.conns, c.user)
	c.r.lessLocked()
}

// handleOf makes the handle of a connection. After an error the connection is gone.
func (r *RDMA) handleOf(c *conn) (*Conn, error) {
	obj, err := bind.NewChild(bind.ChildConfig{Kind: "rdma connection", Detail: "of " + r.String(), Parent: r, Before: c.beforeClose, Close: c.close})
	c.r.link.LockAlways()
	defer c.r.link.Unlock()
	if err != nil {
		c.endLocked(err)
		c.disconnectLocked()
		c.forgetLocked()
		return nil, err
	}
	h := &Conn{obj: obj, r: r, c: c}
	c.name, c.handle = obj.String(), weak.Make(h)
	return h, nil
}

// usableLocked returns an error if no operation can begin.
func (c *conn) usableLocked(op string) error {
	switch {
	case c.closing:
		return c.closedError(op)
	case c.err != nil:
		return c.endErrorLocked(op)
	case c.state != ConnConnected:
		return &doca.OpError{Op: op, Object: c.name, Err: doca.ErrBadState, Advice: "it is not connected: call Connect with the peer's details first"}
	}
	return c.r.link.Check(bind.OpSubmit, op)
}

// endErrorLocked returns why a connection that has ended cannot do an operation.
func (c *conn) endErrorLocked(op string) error {
	if peer := c.peerErrorLocked(); peer != nil {
		return peer.of(op, c.name)
	}
	if c.err == ErrRejected {
		return c.fail(op, c.err, "nobody listens there, its program has refused or not answered, or its context has all its connections: see its Config.MaxConnections")
	}
	if err := c.r.link.Check(bind.OpSubmit, op); err != nil { // the stop of the context has ended it
		return err
	}
	return &doca.StateError{Object: c.name, State: doca.StateIdle, Op: op, Cause: c.err} // and the context was started again
}

// peerErrorLocked returns how the peer has ended the connection, or nil. An operation on another connection, whose peer was gone, may have stopped
// the context, which has ended this one.
func (c *conn) peerErrorLocked() *PeerError {
	if peer := new(PeerError); errors.As(c.err, &peer) && peer.Object == c.name {
		return peer
	}
	return nil
}

func (c *conn) closedError(op string) error {
	return &doca.StateError{Object: c.name, State: doca.StateClosed, Op: op}
}

// fail returns the error of an operation that failed.
func (c *conn) fail(op string, cause error, advice string) error {
	return &doca.OpError{Op: op, Object: c.name, Err: cause, Advice: advice}
}

// engineBusy is what to say if a context.Context has ended before the engine's lock was free.
const engineBusy = "another goroutine uses the engine"

const goneAdvice = "close this connection, and connect again; if the context is idle, call Start first"

// taskErrorLocked returns the error of a task that has failed, which stops the context.
func (c *conn) taskErrorLocked(op string, status abi.Error) error {
	switch {
	case c.r.stopAsked && c.r.fault == nil:
		return c.stoppedErrorLocked(op)
	case c.r.fault != nil:
		return c.stoppedErrorLocked(op)
	}
	var err error
	peer := c.peerErrorLocked()
	switch {
	case peer != nil:
		err = peer.of(op, c.name)
	case saysGone(status):
		err = &PeerError{Op: op, Object: c.name, Err: status, Advice: goneAdvice}
	default:
		err = c.fail(op, status, "the peer refuses it, or is gone, and the context stops: look at the peer's Permissions, at the access and the size of the memory that it has exported, and at its receives. Call Start, and connect again")
	}
	c.r.fault = err
	c.r.link.Faulted(err)
	c.endLocked(err)
	return err
}

// refusedLocked returns the error of a submission that DOCA has refused.
func (c *conn) refusedLocked(op string, err error) error {
	if state := c.usableLocked(op); state != nil {
		return state
	}
	if saysGone(err) {
		return &PeerError{Op: op, Object: c.name, Err: code(err), Advice: goneAdvice}
	}
	return c.fail(op, err, "")
}

// code returns the code of DOCA in an error.
func code(err error) error {
	if c := doca.Error(0); errors.As(err, &c) {
		return c
	}
	return err
}

// stoppedErrorLocked returns the error of an operation that a stop has ended.
func (c *conn) stoppedErrorLocked(op string) error {
	if err := c.r.link.Check(bind.OpSubmit, op); err != nil {
		return err
	}
	return &doca.StateError{Object: c.r.link.String(), State: doca.StateStopping, Need: []doca.State{doca.StateRunning}, Op: op, Cause: c.r.fault}
}

// endLocked records that the connection has ended, and why.
func (c *conn) endLocked(err error) {
	if c.err != nil || c.state == ConnClosed {
		return
	}
	c.err, c.state = err, ConnEnded
	close(c.done)
	if c.watched {
		c.watched = false
		c.r.link.Unwatch()
	}
	if peer := new(PeerError); errors.As(err, &peer) {
		c.r.peerEnd = peer
	}
	c.r.lessLocked()
	c.r.link.Wake()
}

// lessLocked ends the waits for messages if no connection is left, and a peer has ended the last one that was established.
func (c *core) lessLocked() {
	if c.peerEnd != nil && c.lastEnd != c.peerEnd && !c.hasOpenLocked() {
		c.lastEnd = c.peerEnd
		c.recv.wakeAllLocked()
	}
}

// hasOpenLocked reports whether there is a connection that has not ended.
func (c *core) hasOpenLocked() bool {
	for _, in := range c.conns {
		if in.err == nil {
			return true
		}
	}
	return false
}

// endConnsLocked ends all connections, because the context stops. When it is idle, DOCA has none.
func (c *core) endConnsLocked(idle bool) {
	cause := c.fault
	if cause == nil {
		cause = &doca.StateError{Object: c.link.String(), State: doca.StateIdle, Need: []doca.State{doca.StateRunning}, Op: "use"}
	}
	for _, in := range c.conns {
		in.endLocked(cause)
		if idle {
			in.gone()
		}
	}
	if c.listener != nil {
		c.listener.endLocked(idle)
	}
}

// connEventLocked handles an event of a connection: it is established, or has failed or ended.
func (c *core) connEventLocked(kind abi.Kind, raw *gen.Connection, user abi.Data) {
	in := c.byRaw[raw]
	if in == nil {
		in = c.conns[user]
		if in == nil || in.state != ConnConnecting || in.raw != nil {
			if kind == gen.KindConnectionStateConnectEstablished {
				go c.dropConn(raw, c.runs) // Dial has given up meanwhile; here DOCA must not be asked to disconnect
			} else if c.listener != nil {
				c.listener.withdrawnLocked(raw)
			}
			return
		}
		in.raw = raw
		c.byRaw[raw] = in
		in.id, _ = gen.ConnectionGetID(raw)
		c.recv.adoptLocked(in)
	}
	switch kind {
	case gen.KindConnectionStateConnectEstablished:
		in.connectedLocked()
	case gen.KindConnectionStateConnectFailure:
		in.endLocked(ErrRejected)
		in.gone()
	default:
		in.endLocked(&PeerError{Op: "use", Object: in.name, Err: doca.ErrNotConnected, Advice: goneAdvice})
	}
}

// connectedLocked records that a connection is established.
func (c *conn) connectedLocked() {
	if c.state == ConnConnecting {
		c.state, c.wasConnected = ConnConnected, true
		c.r.link.Wake()
	}
}

// dropConn disconnects a connection that nobody wants, unless the context has stopped since.
func (c *core) dropConn(raw *gen.Connection, run int) {
	if c.link.Lock(bind.OpSubmit, "disconnect") == nil {
		defer c.link.Unlock()
		if c.runs == run {
			c.link.Call(func(ring *abi.Ring) error { return gen.ConnectionDisconnect(ring, raw) })
		}
	}
}

// gone records that DOCA's connection is no more.
func (c *conn) gone() {
	if c.r.byRaw[c.raw] == c {
		delete(c.r.byRaw, c.raw)
	}
	c.raw = nil
}

// disconnectLocked tells DOCA to end the connection, and ignores that it may have ended. A connection that
// was established takes the place of another one until DOCA has reported its end.
func (c *conn) disconnectLocked() {
	if c.raw == nil {
		return
	}
	raw := c.raw
	c.gone()
	c.r.leaving, c.r.leavingRaw = c, raw
	c.r.link.Call(func(ring *abi.Ring) error { return gen.ConnectionDisconnect(ring, raw) })
	c.r.catchUpLocked()
	c.r.leaving, c.r.leavingRaw = nil, nil
}

// catchUpLocked drives the engine until it has reported the end of a connection that there may be. That comes behind what has ended before, of
// which a step of the engine handles some hundreds.
func (c *core) catchUpLocked() {
	const oneStep = 256
	before := c.recv.out
	for k := range c.tasks {
		if t := &c.tasks[k]; t.prepared {
			before += len(t.list) - t.queue[0].Free()
		}
	}
	for range 1 + before/oneStep {
		c.link.Step()
	}
}

// Close waits until the operations in flight on the connection have ended, and disconnects. New
// operations are refused. If operations are still in flight after 10 seconds, Close returns
// ErrTimeOut and can be called again; stopping the context ends them. When the context is closed or
// stopped, its connections end at once. Close is idempotent, and any goroutine may call it at any
// time. Calls doca_rdma_connection_disconnect.
func (c *Conn) Close() error {
	if c == nil || c.c == nil {
		return noConn("close")
	}
	return c.obj.Close()
}

// Shutdown is like Close but waits no longer than ctx. If ctx ends first, Shutdown returns an error
// that wraps ctx.Err(). The connection then accepts nothing more, and a later Close or Shutdown
// continues.
func (c *Conn) Shutdown(ctx context.Context) error {
	if c == nil || c.c == nil {
		return noConn("shutdown")
	}
	return c.obj.Shutdown(ctx)
}

// beforeClose has a Close that waits already see that the context is being closed as well, if it is.
func (c *conn) beforeClose(ctx context.Context) error {
	if err := c.lockToClose(ctx); err != nil {
		return err
	}
	defer c.r.link.Unlock()
	c.r.link.Wake()
	return nil
}

func (c *conn) close(ctx context.Context) error {
	link := c.r.link
	limited := ctx
	if ctx.Done() == nil {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, closeLimit)
		defer cancel()
	}
	if err := c.lockToClose(ctx); err != nil {
		return err
	}
	defer link.Unlock()
	c.closing = true
	link.Wake()
	over := func() bool { return c.inflight == 0 || link.Check(bind.OpSubmit, "close") != nil }
	if err := link.Await(limited, over); err != nil && !over() {
		if ctx.Err() == nil {
			err = doca.ErrTimeOut
		}
		return c.fail("close", err, fmt.Sprintf("%d operations are in flight, which the peer has not answered: call Close again, or stop the context, which ends them", c.inflight))
	}
	if link.Check(bind.OpSubmit, "close") == nil {
		c.disconnectLocked()
	}
	if c.err == nil && c.state == ConnConnected {
		c.r.peerEnd = nil // this side has ended the last one
	}
	c.endLocked(c.closedError("use"))
	c.state = ConnClosed
	if c.inflight == 0 {
		c.forgetLocked()
	} // else the context's stop ends them
	return nil
}

// lockToClose takes the engine's lock. If ctx ends first, the connection refuses everything as soon as the lock is free.
func (c *conn) lockToClose(ctx context.Context) error {
	link := c.r.link
	err := link.LockAlwaysFor(ctx)
	if err == nil {
		return nil
	}
	go func() {
		link.LockAlways()
		defer link.Unlock()
		c.closing = true
		link.Wake()
	}()
	return c.fail("close", err, engineBusy)
}

// String names the connection for messages and logs.
func (c *Conn) String() string {
	if c == nil || c.c == nil {
		return "no connection"
	}
	return c.obj.String()
}

// RDMA returns the context of the connection.
func (c *Conn) RDMA() *RDMA {
	if c == nil || c.c == nil {
		return nil
	}
	return c.r
}

// ID returns DOCA's number of the connection, which no other connection of the process has. It is
// valid from the start. Calls doca_rdma_connection_get_id.
func (c *Conn) ID() uint32 {
	if c == nil || c.c == nil {
		return 0
	}
	c.c.r.link.LockAlways()
	defer c.c.r.link.Unlock()
	return c.c.id
}

// State returns the state of the connection, as of the last time that somebody drove the engine.
func (c *Conn) State() ConnState {
	if c == nil || c.c == nil {
		return ConnClosed
	}
	c.c.r.link.LockAlways()
	defer c.c.r.link.Unlock()
	if c.c.closing {
		return ConnClosed
	}
	return c.c.state
}

// Err returns why the connection has ended: a [*PeerError] if the peer has ended it, the error of the
// operation that has stopped the context, and a [*doca.StateError] after Close or a stop. It returns
// nil before the end.
func (c *Conn) Err() error {
	if c == nil || c.c == nil {
		return noConn("look")
	}
	c.c.r.link.LockAlways()
	defer c.c.r.link.Unlock()
	if c.c.closing {
		return c.c.closedError("use")
	}
	return c.c.err
}

// Done returns a channel that is closed when the connection has ended, for whatever reason. Until
// then a goroutine drives the engine.
func (c *Conn) Done() <-chan struct{} {
	if c == nil || c.c == nil {
		return nil
	}
	in := c.c
	in.r.link.LockAlways()
	defer in.r.link.Unlock()
	if in.err == nil && in.state != ConnClosed && !in.watched {
		in.watched = true
		in.r.link.Watch()
	}
	return in.done
}

// SetUserData attaches a value of the program to the connection, to know it by when a message
// arrives: see [Received].
func (c *Conn) SetUserData(v any) {
	if c == nil || c.c == nil {
		return
	}
	c.userMu.Lock()
	defer c.userMu.Unlock()
	c.user = v
}

// UserData returns the value of SetUserData; nil before.
func (c *Conn) UserData() any {
	if c == nil || c.c == nil {
		return nil
	}
	c.userMu.Lock()
	defer c.userMu.Unlock()
	return c.user
}
