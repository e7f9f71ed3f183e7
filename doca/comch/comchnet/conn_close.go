package comchnet

import (
	"context"
	"errors"
	"time"
)

// closeTimeout bounds how long Close tries to hand END to a peer that takes nothing.
const closeTimeout = time.Second

// CloseWrite says that no more data follows: the peer reads io.EOF after what was written.
// Reading goes on. A Write that is under way ends first.
func (c *Conn) CloseWrite() error {
	ctx := c.wdeadline.context()
	c.wmu.Lock()
	defer c.wmu.Unlock()
	return c.opError("close", c.endLocked(ctx))
}

// endLocked sends END. wmu is held.
func (c *Conn) endLocked(ctx context.Context) error {
	c.mu.Lock()
	err := c.sendableLocked(ctx)
	c.mu.Unlock()
	if err != nil || c.ended {
		return err
	}
	err = c.send(ctx, []byte{frameEnd})
	c.ended = err == nil
	return err
}

// Close closes the stream and its connection. What was written before is delivered, as far as
// the peer takes it within a second; received data that was not read is gone. Reads and
// writes that are under way end with net.ErrClosed. It is idempotent and may be called from
// any goroutine at any time.
func (c *Conn) Close() error { return c.closing() }

func (c *Conn) closeOnce() error {
	defer time.AfterFunc(closeTimeout, c.endLife).Stop()
	defer c.endLife()
	c.rdeadline.close()
	c.wdeadline.close()
	c.wmu.Lock()
	c.endLocked(c.life) // a peer that is gone misses nothing
	c.wmu.Unlock()
	err := c.raw.Close()
	<-c.received
	if c.rmu.TryLock() { // WriteTo may be busy with the last data
		c.mu.Lock()
		c.in.free()
		c.mu.Unlock()
		c.rmu.Unlock()
	}
	if c.closed != nil {
		err = errors.Join(err, c.closed())
	}
	return c.opError("close", err)
}
