package comchnet

import (
	"context"
	"errors"
	"net"
	"time"
)

// closeTimeout is how long Close tries to send CLOSE to a peer that receives nothing.
const closeTimeout = time.Second

// CloseWrite tells the peer that no more data follows: the peer reads io.EOF after what was
// written. Reading goes on. CloseWrite waits for a Write that is under way.
func (c *Conn) CloseWrite() error {
	if c == nil || c.raw == nil {
		return noConn("close")
	}
	ctx := c.wdeadline.context()
	c.wmu.Lock()
	defer c.wmu.Unlock()
	return c.opError("close", c.whyLocked(ctx, c.endLocked(ctx, frameEnd)))
}

// endLocked sends END or CLOSE. The caller holds wmu.
func (c *Conn) endLocked(ctx context.Context, frame byte) error {
	c.mu.Lock()
	err := c.sendableLocked(ctx)
	c.mu.Unlock()
	if err != nil || c.ended && frame == frameEnd {
		return err
	}
	if err := c.orderLocked(ctx); err != nil {
		return err
	}
	if err := c.raw.Flush(ctx); err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return context.Cause(ctx)
		}
		return c.sendFailed(err) // a stream that has lost something has no orderly end
	}
	if err = c.send(ctx, []byte{frame}); err == nil {
		c.ended = true
	}
	return err
}

// Close closes the stream and its connection. It delivers what was written before, as far as the
// peer takes it within a second. Received data that was not read is lost. Reads and writes that
// are under way fail with net.ErrClosed. Close is idempotent, and any goroutine may call it at
// any time. If Close returns an error, the connection stays open: call Close again.
func (c *Conn) Close() error {
	if c == nil || c.raw == nil {
		return noConn("close")
	}
	c.closeMu.Lock()
	defer c.closeMu.Unlock()
	if !c.said {
		c.sayEnd()
		c.said = true
	}
	if err := c.raw.Close(); err != nil {
		return c.opError("close", err)
	}
	c.helpers.Wait()
	if err := c.freeBulk(); err != nil {
		return c.opError("close", err)
	}
	c.freeReceived()
	if c.released == nil {
		return nil
	}
	return c.opError("close", c.released())
}

// sayEnd ends all reads and writes, and sends CLOSE.
func (c *Conn) sayEnd() {
	defer time.AfterFunc(closeTimeout, c.endLife).Stop()
	defer c.endLife()
	c.rdeadline.close()
	c.wdeadline.close()
	c.mu.Lock()
	c.closed = true
	if c.last = c.errLocked(); c.last == nil {
		c.last = net.ErrClosed
	}
	if c.receiver.timer != nil {
		c.receiver.timer.Stop()
	}
	c.mu.Unlock()
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if c.drainLocked(c.life) == nil {
		c.endLocked(c.life, frameClose) // an error means that the peer is gone, and needs no CLOSE
	}
}

// freeReceived frees what was received and not read. The connection is closed.
func (c *Conn) freeReceived() {
	free := c.rmu.tryLock()
	if free {
		defer c.rmu.unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.bulk.memory
	switch {
	case free:
		c.in.free()
		c.bulk.filled = nil
		if m != nil {
			m.unmap()
		}
	case m != nil: // a Read or WriteTo still uses the last data, and with it the Conn
		m.unmapLater()
	}
}

// freeBulk frees the buffers. The connection is closed, and with it what used them.
func (c *Conn) freeBulk() error {
	c.mu.Lock()
	in, out := c.bulk.memory, c.out.sender
	c.mu.Unlock()
	var err error
	if in != nil {
		err = in.close()
	}
	if out != nil {
		err = errors.Join(err, out.close())
	}
	return err
}
