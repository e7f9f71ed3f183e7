package comch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Close closes the connection's consumers and producers, disconnects, and waits until that is
// done. DOCA still delivers what was sent before, as far as the peer takes it. Received messages
// that nobody has read are lost. If DOCA has not ended it after 30 seconds, Close returns
// ErrTimeOut and can be called again. Close is idempotent, and any goroutine may call it at any time.
// Calls doca_comch_server_disconnect on the server's side, doca_ctx_stop and
// doca_comch_client_destroy on the client's.
func (c *Conn) Close() error {
	if c == nil || c.c == nil {
		return noConn("close")
	}
	return c.obj.Close()
}

// Shutdown is like Close but waits no longer than ctx. If ctx ends first, Shutdown returns an
// error that wraps ctx.Err(). The connection then accepts nothing more, and a later Close or
// Shutdown continues.
func (c *Conn) Shutdown(ctx context.Context) error {
	if c == nil || c.c == nil {
		return noConn("shutdown")
	}
	if err := bind.NeedContext(ctx, "shutdown", c); err != nil {
		return err
	}
	return c.obj.Shutdown(ctx)
}

// close disconnects a connection of a server and waits for its end.
func (c *conn) close(ctx context.Context) error {
	s := c.s
	timeOut := func(err error) error { return err }
	if ctx.Done() == nil {
		limited, cancel := context.WithTimeout(ctx, closeLimit)
		defer cancel()
		ctx, timeOut = limited, func(error) error { return doca.ErrTimeOut }
	}
	if err := s.link.LockAlwaysFor(ctx); err != nil {
		go c.beginClose()
		return c.fail("close", timeOut(err), "another goroutine uses the engine: call Close again")
	}
	defer s.link.Unlock()
	defer s.link.Wake() // Accept may have to drive the engine from now on
	c.beginCloseLocked()
	if s.link.Check(bind.OpSubmit, "close") != nil { // the server is being closed, too
		s.disconnectAllLocked()
	}
	for {
		err := c.disconnectLocked()
		if err == nil {
			break
		}
		if !errors.Is(err, doca.ErrAgain) && !errors.Is(err, doca.ErrInUse) {
			if c.pauseLocked(ctx); c.raw == nil { // it had ended already
				return nil
			}
			return c.fail("close", err, "")
		}
		if pauseErr := c.pauseLocked(ctx); pauseErr != nil {
			return c.fail("close", timeOut(pauseErr), fmt.Sprintf("DOCA cannot disconnect yet (%v): call Close again", err))
		}
	}
	if err := s.link.AwaitDrained(ctx, func() bool { return c.raw == nil }); err != nil {
		if ctx.Err() != nil {
			err = timeOut(err)
		}
		return c.fail("close", err, "the connection is still ending: call Close again")
	}
	return nil
}

// beginClose is beginCloseLocked for a Close that has ended before it had the engine's lock.
func (c *conn) beginClose() {
	c.s.link.LockAlways()
	defer c.s.link.Unlock()
	c.beginCloseLocked()
	c.s.link.Wake()
}

// beginCloseLocked makes the connection refuse everything and ends all waits.
func (c *conn) beginCloseLocked() {
	if !c.closing {
		c.sayFarewellLocked()
		c.closing = true
		c.backlog.drop()
		c.stopWaitsLocked()
	}
}

// disconnectLocked tells DOCA to disconnect, unless it was told before.
func (c *conn) disconnectLocked() error {
	if c.raw == nil || c.disconnecting {
		return nil
	}
	err := c.s.link.Call(func(ring *abi.Ring) error { return gen.ServerDisconnect(ring, c.s.server, c.raw) })
	c.disconnecting = err == nil
	return err
}

// pauseLocked drives the engine for up to a millisecond, before the next attempt to disconnect.
func (c *conn) pauseLocked(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	c.s.link.AwaitDrained(short, func() bool { return c.raw == nil })
	return ctx.Err()
}
