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
	n, err = c.writeLocked(ctx, p)
	return n, c.opError("write", c.whyLocked(ctx, err))
}

// writeLocked is Write. The caller holds wmu.
func (c *Conn) writeLocked(ctx context.Context, p []byte) (n int, err error) {
	if len(p) > c.maxMessage {
		c.out.large += min(len(p), bulkAfter)
	}
	var bulk *bulkSender
	for err == nil {
		var k int
		if bulk == nil && n < len(p) {
			bulk, err = c.bulkLocked(ctx)
		}
		if err == nil && bulk != nil && n < len(p) {
			k, err = c.writeBulkLocked(ctx, bulk, p[n:])
		}
		if err == nil && k == 0 { // of an empty p, too, to find out whether the stream can be written to
			k, err = c.writeMessageLocked(ctx, p[n:])
		}
		if n += k; n == len(p) {
			break
		}
	}
	return n, err
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

// ReadFrom reads from r until io.EOF and writes what it has read, in pieces that fill messages. Once the data goes through buffers, it
// reads into these, without a copy in between. io.Copy uses it to write to a Conn.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if c == nil || c.raw == nil {
		return 0, noConn("write")
	}
	if r == nil {
		return 0, c.opError("write", fmt.Errorf("%w: the reader is nil", doca.ErrInvalidValue))
	}
	b := blocks.Get().(*block)
	defer blocks.Put(b)
	own := b.mem[:blockSize-blockSize%min(c.maxMessage, blockSize)]
	var sum int64
	for {
		n, end, err := c.passOn(r, own)
		sum += int64(n)
		if end || err != nil {
			return sum, err
		}
	}
}

// passOn reads once, into a buffer of the stream or else into own, and writes what it has read. end says that r has ended.
func (c *Conn) passOn(r io.Reader, own []byte) (written int, end bool, err error) {
	room := own
	s, i := c.borrow()
	if s != nil {
		room = s.region(i)
		defer c.giveBack(s, i)
	}
	n, readErr := r.Read(room)
	if n < 0 || n > len(room) {
		return 0, false, c.opError("write", fmt.Errorf("%w: the reader says that it has read %d bytes of at most %d", doca.ErrInvalidValue, n, len(room)))
	}
	if n > 0 && s != nil {
		written, err = c.writeBorrowed(s, i, n)
	} else if n > 0 {
		written, err = c.Write(room[:n])
	}
	if err == nil && readErr != io.EOF {
		err = readErr
	}
	return written, readErr == io.EOF, err
}
