package comch

import (
	"context"
	"errors"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Close ends the connection and returns when that is done. Its consumers and producers are
// closed first; what was sent before is still delivered, as far as DOCA can; received
// messages that were not read are gone. It is idempotent and may be called from any
// goroutine at any time. Stands on doca_comch_server_disconnect and doca_ctx_stop.
func (c *Conn) Close() error { return c.obj.Close() }

// Shutdown is Close that waits no longer than ctx. If ctx ends first it returns an error
// that wraps ctx.Err(), the connection takes nothing more, and a later Close or Shutdown
// goes on.
func (c *Conn) Shutdown(ctx context.Context) error { return c.obj.Shutdown(ctx) }

// close disconnects a server's connection and waits for its end.
func (c *conn) close(ctx context.Context) error {
	s := c.s
	s.link.LockAlways()
	defer s.link.Unlock()
	c.beginCloseLocked()
	if s.link.Check(doca.OpSubmit, "close") != nil { // the server is being closed, too
		s.disconnectAllLocked()
	}
	for {
		err := c.disconnectLocked()
		if err == nil {
			break
		}
		if !errors.Is(err, doca.ErrAgain) && !errors.Is(err, doca.ErrInUse) {
			return c.fail("close", err, "")
		}
		if err := c.pauseLocked(ctx); err != nil {
			return c.fail("close", err, "DOCA does not disconnect yet")
		}
	}
	err := s.link.Insist(ctx, func() bool { return c.raw == nil })
	return c.fail("close", err, "the connection is still ending")
}

// beginCloseLocked says that Close has begun. The lock is held.
func (c *conn) beginCloseLocked() {
	if !c.closing {
		c.closing = true
		c.backlog.drop()
		c.stopWaitsLocked()
	}
}

// disconnectLocked tells DOCA to, once.
func (c *conn) disconnectLocked() error {
	if c.raw == nil || c.disconnecting {
		return nil
	}
	err := c.s.link.Call(func(ring *abi.Ring) error { return gen.ServerDisconnect(ring, c.s.server, c.raw) })
	c.disconnecting = err == nil
	return err
}

// pauseLocked lets the engine do something before DOCA is asked once more.
func (c *conn) pauseLocked(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	c.s.link.Insist(short, func() bool { return c.raw == nil })
	return ctx.Err()
}
