package comchnet

import (
	"context"
	"io"
)

// Write sends p and returns when DOCA has all of it. While the peer's buffer is full because its
// program does not read, Write waits. If the peer has ended the connection, the error wraps
// [comch.ErrPeerGone] and [doca.ErrConnectionReset]. After CloseWrite it wraps io.ErrClosedPipe.
func (c *Conn) Write(p []byte) (n int, err error) {
	if c == nil || c.raw == nil {
		return 0, noConn("write")
	}
	ctx := c.wdeadline.context()
	c.wmu.Lock()
	defer c.wmu.Unlock()
	for {
		k, err := c.reserveLocked(ctx, chunk(len(p)-n, c.maxMessage))
		if k == 0 {
			return n, c.opError("write", err)
		}
		if err := c.send(ctx, pack(&c.wframe, p[n:n+k])); err != nil {
			c.mu.Lock()
			c.window += k
			c.mu.Unlock()
			return n, c.opError("write", err)
		}
		n += k
	}
}

// reserveLocked waits until the window has n bytes and takes them. The caller holds wmu.
func (c *Conn) reserveLocked(ctx context.Context, n int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		err := c.sendableLocked(ctx)
		switch {
		case err != nil:
			return 0, err
		case c.ended:
			return 0, io.ErrClosedPipe
		case c.window >= n:
			c.window -= n
			return n, nil
		}
		if err := c.writable.waitLocked(ctx, &c.mu); err != nil {
			return 0, err
		}
	}
}

// ReadFrom reads from r until io.EOF and writes what it has read, in pieces that fill messages.
// io.Copy uses it to write to a Conn.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if c == nil || c.raw == nil {
		return 0, noConn("write")
	}
	b := blocks.Get().(*block)
	defer blocks.Put(b)
	buf := b.mem[:blockSize-blockSize%min(c.maxMessage, blockSize)]
	var sum int64
	for {
		n, err := r.Read(buf)
		if n > 0 {
			n, err := c.Write(buf[:n])
			sum += int64(n)
			if err != nil {
				return sum, err
			}
		}
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
	}
}
