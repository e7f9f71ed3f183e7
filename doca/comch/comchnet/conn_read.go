package comchnet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// Read reads the data that has arrived, or waits until there is some. When the peer has closed
// its side, Read returns the rest of the data and then io.EOF. If the peer is killed or ends the connection
// otherwise, the error wraps io.ErrUnexpectedEOF, a [*comch.PeerError] and [doca.ErrConnectionReset].
// If the peer breaks the protocol, it wraps [doca.ErrUnexpected] or [doca.ErrUnsupportedVersion].
func (c *Conn) Read(p []byte) (int, error) {
	if c == nil || c.raw == nil {
		return 0, noConn("read")
	}
	ctx := c.rdeadline.context()
	if err := c.rmu.lock(ctx); err != nil {
		return 0, c.opError("read", err)
	}
	defer c.rmu.unlock()
	n := 0
	data, err := c.nextLocked(ctx, len(p) > 0)
	for len(data) > 0 && n < len(p) {
		k := copy(p[n:], data)
		n += k
		data = c.doneLocked(k)
	}
	if n > 0 {
		c.repostLocked()
		c.grantLocked(ctx)
	}
	return n, c.opError("read", err)
}

// WriteTo writes the data that arrives to w until the peer closes its side. It makes no copy in
// between. io.Copy uses it to read from a Conn. The read deadline applies.
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	if c == nil || c.raw == nil {
		return 0, noConn("read")
	}
	if w == nil {
		return 0, c.opError("read", fmt.Errorf("%w: the writer is nil", doca.ErrInvalidValue))
	}
	if err := c.rmu.lock(c.rdeadline.context()); err != nil {
		return 0, c.opError("read", err)
	}
	defer c.rmu.unlock()
	var sum int64
	for {
		ctx := c.rdeadline.context()
		data, err := c.nextLocked(ctx, true)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return sum, c.opError("read", err)
		}
		n, err := w.Write(data)
		switch {
		case n < 0 || n > len(data):
			err = c.opError("read", fmt.Errorf("%w: the writer says that it has written %d bytes of %d", doca.ErrInvalidValue, n, len(data)))
			n = 0
		case n < len(data) && err == nil:
			err = io.ErrShortWrite
		}
		sum += int64(n)
		c.doneLocked(n)
		c.repostLocked()
		c.grantLocked(ctx)
		if err != nil {
			return sum, err
		}
	}
}

// nextLocked returns the first data in one piece. If there is none and wait is set, it waits for
// some. The caller holds rmu.
func (c *Conn) nextLocked(ctx context.Context, wait bool) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		data := c.frontLocked()
		switch {
		case len(data) > 0 || !wait:
			return data, nil
		case c.peerEnded && len(c.bulk.marks) == 0:
			return nil, io.EOF
		case c.err != nil && !c.bulk.running:
			if c.peerEnded && errors.Is(c.err, comch.ErrPeerGone) { // a buffer has not arrived
				c.err = c.peerGone(comch.EndBroken)
			}
			return nil, c.err
		case c.owed >= c.receiveWindow/2 && c.sendErr == nil: // an earlier grantLocked could not send WINDOW
			c.mu.Unlock()
			c.grantLocked(ctx)
			c.mu.Lock()
		case !c.receiver.busy && !c.bulk.running:
			if err := c.receiveHereLocked(ctx); err != nil {
				return nil, err
			}
		default:
			c.receiveInBackgroundLocked()
			c.receiver.reading = true
			err := c.readable.waitLocked(ctx, &c.mu)
			c.receiver.reading = false
			if err != nil {
				return nil, err
			}
		}
	}
}

// doneLocked removes n bytes of data that were read, and returns what follows. The caller holds rmu.
func (c *Conn) doneLocked(n int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropLocked(n)
	return c.frontLocked()
}

// grantLocked sends WINDOW once half of the window has been read. If ctx ends first, the next read
// does it. The caller holds rmu.
func (c *Conn) grantLocked(ctx context.Context) {
	c.mu.Lock()
	n := c.owed
	if n < c.receiveWindow/2 || c.peerEnded {
		c.mu.Unlock()
		return
	}
	c.owed = 0
	c.granted += n
	c.mu.Unlock()
	if c.sendControl(ctx, numberFrame(&c.rframe, frameWindow, uint32(n))) != nil {
		c.mu.Lock()
		c.owed += n
		c.granted -= n
		c.mu.Unlock()
	}
}
