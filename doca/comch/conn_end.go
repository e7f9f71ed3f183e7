package comch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
)

// DOCA may refuse something because the connection has ended before the engine of the connection
// reports the end. These are the limits of the waits for that report.
const (
	// endLimit is for codes by which DOCA says that there is no connection, and for the time since
	// a consumer of the peer has expired: a peer that closes stops its consumers first.
	endLimit = time.Second

	// suspectLimit is for codes that may have another cause.
	suspectLimit = 100 * time.Millisecond
)

// Other limits, for waits that no ctx limits. Tests change them.
var (
	startLimit = 10 * time.Second // for the start of a consumer or producer
	closeLimit = 30 * time.Second // for Close
)

// endLocked records that the connection has ended, and why: a *PeerError or what has happened to
// this side. If this side is closing the connection, that is why.
func (c *conn) endLocked(err error) {
	if c.err != nil {
		return
	}
	if c.closing {
		err = c.closedError("close")
	}
	c.raw, c.err = nil, err
	c.over.Store(&err)
	if c.established && c.sends.inflight == 0 {
		c.s.tasks.leaveLocked(c)
	}
	c.stopWaitsLocked()
	if c.watched {
		c.watched = false
		c.s.link.Unwatch()
	}
	close(c.done)
	c.detachAllLocked()
}

// peerEndedLocked records that the connection has ended and this side did not end it. end is what
// DOCA says of it.
func (c *conn) peerEndedLocked(end End) {
	err := &PeerError{End: end, Err: doca.ErrNotConnected}
	switch {
	case !c.s.farewell:
	case c.parted:
		err.End = EndOrderly
	default:
		err.End, err.Advice = EndBroken, "it sent no farewell: it was killed, or it does not set Config.Farewell"
	}
	switch {
	case err.End == EndBroken:
		err.Err = doca.ErrConnectionReset
	case err.End == EndUnknown:
		err.Advice = "set Config.Farewell on both sides to tell the two apart; it is the same when the device of this side is lost"
	}
	c.endLocked(err)
}

// endError returns the error of an operation on a connection that has ended.
func (c *conn) endErrorLocked(op, object string, receives bool) error {
	if peer := new(PeerError); errors.As(c.err, &peer) {
		return c.gone(peer, op, object, receives)
	}
	return &doca.OpError{Op: op, Object: object, Err: c.err}
}

// gone returns the error of an operation on a connection that the peer has ended. If a client has heard
// nothing from its server, that may be why; data may still arrive at consumers after the end is known.
func (c *conn) gone(peer *PeerError, op, object string, receives bool) *PeerError {
	err := peer.of(op, object, receives)
	if c.s.clientConn != nil && err.End == EndUnknown && !c.heard.Load() {
		err.Advice = "nothing has arrived from the server before: it may have no room for this client, and its log may have the reason"
	}
	return err
}

// hear records that something has arrived from the peer. Consumers, whose locks are others, call it, too.
func (c *conn) hear() {
	if !c.heard.Load() {
		c.heard.Store(true)
	}
}

// awaitEndLocked waits until the engine has reported the end of the connection, limit has passed, or
// goesOn, if it is not nil, says that there is no end. It releases the lock meanwhile. It reports whether
// the connection has ended or is being closed.
func (c *conn) awaitEndLocked(ctx context.Context, limit time.Duration, goesOn func() bool) bool {
	over := func() bool { return c.err != nil || c.closing }
	if limit <= 0 || over() {
		return over()
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c.s.link.AwaitDrained(ctx, func() bool { return over() || goesOn != nil && goesOn() })
	return over()
}

// whyRefusedLocked returns why DOCA has refused something on the connection: err, unless the
// connection has ended. It may release the lock for a while.
func (c *conn) whyRefusedLocked(ctx context.Context, op string, err error) error {
	if c.s.link.Step(); c.usableLocked(op) != nil {
		return c.usableLocked(op)
	}
	limit := time.Duration(0)
	if errors.As(err, new(*doca.StateError)) {
		return err // the program's doing: DOCA was not asked
	} else if saysEnd(err) {
		limit = endLimit
	} else if errors.Is(err, doca.ErrInitialization) {
		limit = suspectLimit
	}
	switch {
	case c.awaitEndLocked(ctx, limit, nil):
		return c.usableLocked(op)
	case limit == endLimit:
		return (&PeerError{Err: endCode(err)}).of(op, c.name, false)
	}
	return err
}

// suspicion is the error of a consumer or producer that may have a deeper cause, which only the
// engine of the connection can tell: see verdict.
type suspicion struct {
	error
	consumer uint32 // the consumer of the peer that was to receive a message; 0: none
	changes  uint32 // how many starts and ends of such consumers were known when it was submitted
	partial  bool   // the code may have another cause than the end of the connection
}

func (s *suspicion) Unwrap() error { return s.error }

// verdict returns the true cause of an error on a consumer or producer of the connection. It waits
// until the engine of the connection has told it, but no longer than ctx and the limits above. The
// caller must not hold a lock.
func (c *conn) verdict(ctx context.Context, op, object string, s *suspicion) error {
	if err := c.s.link.LockAlwaysFor(ctx); err != nil {
		return &doca.OpError{Op: op, Object: object, Err: err,
			Advice: fmt.Sprintf("DOCA says %v, and the engine of the connection, which may know more, is in use", codeOf(s.error))}
	}
	defer c.s.link.Unlock()
	c.s.link.Step()
	limit := endLimit
	if s.partial {
		limit = suspectLimit
	}
	if s.consumer != 0 {
		ctx, cancel := context.WithTimeout(ctx, limit)
		c.s.link.AwaitDrained(ctx, func() bool {
			_, gone := c.peers.gone(s.consumer, s.changes)
			return c.err != nil || c.closing || gone || !c.peers.has(s.consumer)
		})
		cancel()
		d, gone := c.peers.gone(s.consumer, s.changes)
		switch {
		case gone && !d.again:
			limit = endLimit - time.Since(d.at)
		case c.peers.has(s.consumer) || s.partial:
			limit = 0
		}
	}
	over := c.awaitEndLocked(ctx, limit, func() bool { return c.peers.left[s.consumer].again })
	d, gone := c.peers.gone(s.consumer, s.changes)
	switch {
	case over && c.closing:
		return c.closedError(op)
	case over:
		return c.endErrorLocked(op, object, op == opReceive)
	case gone:
		advice := "the connection goes on without consumer %d: send to another consumer"
		if d.again {
			advice = "consumer %d has started again since: send again"
		}
		return &doca.OpError{Op: op, Object: object, Err: fmt.Errorf("%w: %w", ErrConsumerGone, codeOf(s.error)),
			Advice: fmt.Sprintf(advice, s.consumer)}
	case s.partial && ctx.Err() != nil && c.peers.has(s.consumer) && errors.Is(s.error, doca.ErrInvalidValue):
		// The consumer may have stopped: the program must not take this for a mistake of its own.
		return &doca.OpError{Op: op, Object: object, Err: ctx.Err(),
			Advice: fmt.Sprintf("DOCA has refused the message: it does not fit, or consumer %d has stopped", s.consumer)}
	case s.partial:
		return s.error
	}
	return (&PeerError{Err: endCode(s.error)}).of(op, object, op == opReceive)
}

// codeOf returns the DOCA code in err, or err if it has none.
func codeOf(err error) error {
	if code := doca.Error(0); errors.As(err, &code) {
		return code
	}
	return err
}

// opReceive is the operation of those that receive from a consumer.
const opReceive = "receive"
