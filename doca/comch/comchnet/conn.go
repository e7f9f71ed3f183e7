package comchnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// bufferSize is how many bytes a Conn holds that nobody has read.
const bufferSize = 256 << 10

// Conn is a byte stream over a Comch connection, a net.Conn. It may be used from any
// goroutine. Its errors are of type *net.OpError, except for io.EOF.
type Conn struct {
	raw           *comch.Conn
	local, remote Addr
	maxMessage    int
	receiveWindow int
	closed        func() error // after Close, what the listener does about it; may be nil

	life     context.Context // bounds what is sent of the connection's own accord
	endLife  context.CancelFunc
	received chan struct{} // closed when the receiving goroutine has ended
	closing  func() error

	rmu       sync.Mutex // held by the one who reads
	rdeadline deadline
	rframe    [maxFrame]byte

	wmu       sync.Mutex // held by the one who writes
	wdeadline deadline
	wframe    [maxFrame]byte
	ended     bool // END has been sent

	mu        sync.Mutex
	in        buffer
	granted   int   // the peer may send this much
	owed      int   // this much has been read and not been granted again
	window    int   // this much may be sent
	greeted   bool  // the peer's HELLO has come
	peerEnded bool  // the peer's END has come
	err       error // why nothing more comes
	sendErr   error // why nothing more can be sent
	readable  signal
	writable  signal
}

// Dial connects to the server with a name that runs on the DPU for the function that dev is;
// it is [comch.Dial] and [NewConn]. It does not wait until the connection is accepted, as
// Write does.
func Dial(ctx context.Context, dev *doca.Device, name string, cfg comch.Config) (*Conn, error) {
	raw, err := comch.Dial(ctx, dev, name, cfg)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: Addr{}.Network(), Addr: Addr{Name: name}, Err: err}
	}
	return NewConn(raw), nil
}

// NewConn makes a stream of a connection, which belongs to it from now on: nothing else may
// send or receive messages on it, and Close closes it. Nothing may have been sent or received
// before. The connection's consumers and producers are free to use.
func NewConn(raw *comch.Conn) *Conn { return newConn(raw, nil) }

func newConn(raw *comch.Conn, closed func() error) *Conn {
	c := &Conn{raw: raw, maxMessage: raw.MaxMessageSize(), closed: closed, received: make(chan struct{})}
	c.local, c.remote = addrs(raw)
	c.receiveWindow = max(bufferSize, 4*c.maxMessage)
	c.granted = c.receiveWindow
	c.life, c.endLife = context.WithCancel(context.Background())
	c.closing = sync.OnceValue(c.closeOnce)
	c.rdeadline.init()
	c.wdeadline.init()
	c.readable.init()
	c.writable.init()
	c.wmu.Lock() // until HELLO has been sent
	go c.receive()
	return c
}

// fail notes that nothing more comes, and why.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != io.EOF:
		c.err = netError(err)
	case c.peerEnded:
		c.err = fmt.Errorf("%w: the peer has closed the connection", doca.ErrConnectionReset)
	default:
		c.err = fmt.Errorf("%w: %w: the peer is gone without closing the stream", io.ErrUnexpectedEOF, doca.ErrConnectionReset)
	}
	c.readable.notifyLocked()
	c.writable.notifyLocked()
}

// netError adds what the error of a lost connection, or of one whose owner has been closed, is to
// package net.
func netError(err error) error {
	switch {
	case errors.Is(err, doca.ErrClosed):
		return fmt.Errorf("%w: %w", net.ErrClosed, err)
	case errors.Is(err, doca.ErrNotConnected):
		return fmt.Errorf("%w: %w", doca.ErrConnectionReset, err)
	}
	return err
}

// send sends a message. After an error that is not ctx's nothing more can be sent.
func (c *Conn) send(ctx context.Context, msg []byte) error {
	err := c.raw.Send(ctx, msg)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sendErr == nil {
		c.sendErr = netError(err)
	}
	return c.sendErr
}

// sendableLocked returns an error if nothing can be sent. mu is held.
func (c *Conn) sendableLocked(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case c.err != nil:
		return c.err
	}
	return c.sendErr
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline sets when reads end with os.ErrDeadlineExceeded, waiting ones included. The
// zero time is never.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.opError("set", c.rdeadline.set(t)) }

// SetWriteDeadline sets when writes end with os.ErrDeadlineExceeded, waiting ones included.
// The zero time is never.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.opError("set", c.wdeadline.set(t)) }

// LocalAddr returns the address of this end, an [Addr].
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end, an [Addr].
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// Raw returns the connection beneath, for its consumers, producers and counters.
func (c *Conn) Raw() *comch.Conn { return c.raw }

func (c *Conn) opError(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: c.local.Network(), Source: c.local, Addr: c.remote, Err: err}
}
