package comchnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// endError is why a stream can no longer be read or written, in terms of the stream. What DOCA says of
// the objects beneath it is in its chain, and not in its text.
type endError struct {
	text   string
	causes []error
}

func (e *endError) Error() string   { return e.text }
func (e *endError) Unwrap() []error { return e.causes }

// Err returns nil while the peer has not ended the connection, and nothing is wrong with it; then it returns why
// that has changed: an error that wraps a [*comch.PeerError], whose End tells a peer that has closed from one that
// was killed, or a failure of this side. If none of this was so at the time of Close, it wraps net.ErrClosed from then on. A
// peer that has called CloseWrite has not ended the connection. Err does not wait, and any goroutine may call it, also where
// net/http or gRPC reads and writes.
func (c *Conn) Err() error {
	if c == nil || c.raw == nil {
		return noConn("look")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.opError("use", c.last)
	}
	return c.opError("use", c.errLocked())
}

func (c *Conn) errLocked() error {
	switch {
	case c.err != nil:
		return c.err
	case c.peerClosed:
		return c.peerGone(comch.EndOrderly)
	case errors.Is(c.sendErr, comch.ErrPeerGone): // how it has ended is about to be known
		return nil
	}
	return c.sendErr
}

// peerGone is the error of a stream that the peer has ended.
func (c *Conn) peerGone(end comch.End) error {
	text, causes := "the peer has closed the connection or has disappeared", []error{c.peerError(end)}
	switch end {
	case comch.EndOrderly:
		text = "the peer has closed the connection"
	case comch.EndBroken:
		text, causes = "the peer has disappeared without closing the connection", append(causes, io.ErrUnexpectedEOF)
	}
	return &endError{text, causes}
}

// peerReset is the error of a stream whose peer has sent RESET with this code.
func (c *Conn) peerReset(code doca.Error) error {
	text := fmt.Sprintf("the peer has ended the connection because of an error: %v", code)
	if code == doca.ErrFull {
		text = "the server has as many clients as it accepts, try again later"
	}
	return &endError{text, []error{c.peerError(comch.EndBroken), io.ErrUnexpectedEOF, code}}
}

func (c *Conn) peerError(end comch.End) error {
	return &comch.PeerError{Op: "use", Object: c.raw.String(), End: end, Err: doca.ErrConnectionReset}
}

// failure is the error of a stream for one of what is beneath it.
func (c *Conn) failure(op string, err error) error {
	var of *doca.OpError
	var state *doca.StateError
	switch {
	case errors.Is(err, comch.ErrPeerGone), errors.Is(err, comch.ErrConsumerGone):
		return c.peerGone(comch.EndUnknown)
	case errors.Is(err, doca.ErrClosed):
		return closedBeneath("connection", err)
	case errors.As(err, &of), errors.As(err, &state):
		code := doca.ErrBadState
		errors.As(err, &code)
		if of != nil {
			op = of.Op
		}
		return &endError{fmt.Sprintf("DOCA cannot %s any more (%v): close the connection", op, code), []error{err}}
	}
	return err
}

// closedBeneath is the error of a stream or listener whose program has closed what is beneath it.
func closedBeneath(what string, err error) error {
	return &endError{fmt.Sprintf("%v: the program has closed the Comch %s or the device beneath it", net.ErrClosed, what), []error{net.ErrClosed, err}}
}

// fail records that nothing more can be received, and why.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failLocked(err)
}

// failLocked is fail for a caller that holds mu.
func (c *Conn) failLocked(err error) {
	var end *endError
	switch {
	case c.err != nil:
	case errors.As(err, &end):
		c.err = err
	case !errors.Is(err, comch.ErrPeerGone):
		c.err = c.failure("receive", err)
	case c.peerClosed: // which is more than DOCA knows
		c.err = c.peerGone(comch.EndOrderly)
	default:
		c.err = c.peerGone(comch.EndBroken)
	}
	c.readable.notifyLocked()
	c.writable.notifyLocked()
}

// sendFailed records that nothing more can be sent, and why, and returns the error of the first such
// failure.
func (c *Conn) sendFailed(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sendErr == nil {
		c.sendErr = c.failure("send", err)
	}
	return c.sendErr
}

// sendableLocked returns an error if nothing can be sent. While HELLO has to be sent first, it waits, and releases mu meanwhile. The
// caller holds wmu and mu.
func (c *Conn) sendableLocked(ctx context.Context) error {
	for c.greeting && ctx.Err() == nil {
		_ = c.writable.waitLocked(ctx, &c.mu)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case c.err != nil:
		return c.err
	case c.peerClosed: // and reads nothing more
		return c.peerGone(comch.EndOrderly)
	}
	return c.sendErr
}

// whyLocked returns why a send has failed. If the connection has ended, only what the peer has sent last
// tells how: whyLocked receives until then, and returns what a Read returns. If there is no such end although
// DOCA has refused to send, nobody knows more. The caller holds wmu.
func (c *Conn) whyLocked(ctx context.Context, err error) error {
	if !errors.Is(err, comch.ErrPeerGone) && !errors.Is(err, doca.ErrClosed) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	for c.errLocked() == nil && limited.Err() == nil {
		c.receiveInBackgroundLocked()
		c.writable.waitLocked(limited, &c.mu)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.errLocked() == nil {
		c.failLocked(err)
		c.helpLocked(func() { _ = c.raw.Close() }) // which ends a Read
	}
	return c.errLocked()
}
