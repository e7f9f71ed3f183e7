package comchnet

import (
	"context"
	"fmt"
	"io"

	"github.com/go-doca/go-doca/doca"
)

// Write sends p and returns when DOCA has all of it. While the peer's buffer is full because its
// program does not read, Write waits. If the peer has ended the connection, the error wraps a
// [*comch.PeerError], whose End says how, and [doca.ErrConnectionReset]; of a peer that has not closed it, it
// wraps io.ErrUnexpectedEOF, too. After CloseWrite it wraps io.ErrClosedPipe.
func (c *Conn) Write(p []byte) (n int, err error) {
	if c == nil || c.raw == nil {
		return 0, noConn("write")
	}
	ctx := c.wdeadline.context()
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if len(p) >= bulkLeast {
		c.out.large += min(len(p), bulkAfter)
	}
	var bulk *bulkSender
	for err == nil {
		var k int
		if bulk == nil && len(p)-n >= bulkLeast {
			bulk, err = c.bulkLocked(ctx)
		}
		switch {
		case err != nil:
		case bulk != nil:
			k, err = c.writeBulkLocked(ctx, bulk, p[n:])
		default: // of an empty p, too, to find out whether the stream can be written to
			k, err = c.writeMessageLocked(ctx, p[n:])
		}
		if n += k; n == len(p) {
			break
		}
	}
	return n, c.opError("write", c.whyLocked(ctx, err))
}

// writeMessageLocked sends the first bytes of p in a message and returns how many. The caller holds wmu.
func (c *Conn) writeMessageLocked(ctx context.Context, p []byte) (int, error) {
	n, err := c.reserveLocked(ctx, chunk(len(p), c.maxMessage))
	if n == 0 {
		return 0, err
	}
	if err = c.orderLocked(ctx); err == nil {
		err = c.send(ctx, pack(&c.wframe, p[:n]))
	}
	if err != nil {
		c.mu.Lock()
		c.window += n
		c.mu.Unlock()
		return 0, err
	}
	c.out.bytes += uint32(n)
	return n, nil
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
		c.receiveInBackgroundLocked()
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
	if r == nil {
		return 0, c.opError("write", fmt.Errorf("%w: the reader is nil", doca.ErrInvalidValue))
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
