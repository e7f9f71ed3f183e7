package comchnet

import (
	"context"
	"io"
	"net"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/internal/stream"
)

// bufferSize is the number of bytes that a Conn buffers at least.
const bufferSize = 256 << 10

// Conn is a byte stream over a Comch connection. It is a net.Conn. Any goroutine may use it. Its
// errors are of type *net.OpError, except for io.EOF and the errors of the reader or writer that
// ReadFrom and WriteTo get.
type Conn struct {
	raw           *comch.Conn
	local, remote Addr
	maxMessage    int
	receiveWindow int
	released      func() error // called by each Close: the listener's part of it; may be nil

	life    context.Context // limits the messages that the Conn sends by itself
	endLife context.CancelFunc
	helpers sync.WaitGroup // goroutines of the Conn

	closeMu sync.Mutex // held by Close
	said    bool       // Close has ended the stream; guarded by closeMu

	rmu       readLock // held while reading
	rdeadline deadline
	rframe    [maxFrame]byte

	wmu       sync.Mutex // held while writing
	wdeadline deadline
	wframe    [maxFrame]byte
	ended     bool // END or CLOSE has been sent
	out       bulkOut

	mu         sync.Mutex // guards what follows; taken after rmu and wmu
	in         buffer
	bulk       bulkIn
	receiver   receiver
	closed     bool  // Close has begun
	granted    int   // how many bytes the peer may send
	owed       int   // how many bytes were read and not granted again
	window     int   // how many bytes may be sent
	greeting   bool  // HELLO waits to be sent, before all else
	greeted    bool  // the peer has sent HELLO
	peerEnded  bool  // the peer has sent END or CLOSE
	peerClosed bool  // the peer has sent CLOSE
	err        error // why nothing more can be received
	sendErr    error // why nothing more can be sent
	last       error // what Err returns after Close
	readable   signal
	writable   signal
}

// Dial connects to the server of that name on the DPU: it calls [comch.Dial] and [NewConn]. It
// does not wait for the peer's Accept; the first Write does. Calls doca_comch_client_create and
// doca_ctx_start.
func Dial(ctx context.Context, dev *doca.Device, name string, cfg comch.Config) (*Conn, error) {
	raw, err := comch.Dial(ctx, dev, name, cfg)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: Addr{}.Network(), Addr: Addr{Name: name}, Err: err}
	}
	return NewConn(raw)
}

// NewConn returns a stream over a connection. From now on the stream owns the connection: nothing
// else may send or receive messages on it, and the stream's Close closes it. No message may have
// been sent or received before. The program may use consumers and producers of the connection. The
// stream may also have some, so each side should tell the other the numbers of its own consumers.
// Errors: [doca.ErrInvalidValue] for nil and a zero value.
//
//doca:takes raw
func NewConn(raw *comch.Conn) (*Conn, error) {
	if raw.Device() == nil {
		return nil, none("create stream", "comch connection", "comch.Dial or comch.Server.Accept")
	}
	return newConn(raw, nil), nil
}

func newConn(raw *comch.Conn, released func() error) *Conn {
	c := &Conn{raw: raw, maxMessage: raw.MaxMessageSize(), released: released, rmu: newReadLock()}
	c.local, c.remote = addrs(raw)
	c.receiveWindow = max(bufferSize, 4*c.maxMessage)
	c.bulk.size, c.out.size = bulkSizes(stream.Capabilities(raw).(*comch.Capabilities))
	if c.bulk.size > 0 {
		c.receiveWindow |= windowBulk
	}
	c.granted = c.receiveWindow
	c.life, c.endLife = context.WithCancel(context.Background())
	c.rdeadline.init()
	c.wdeadline.init()
	c.readable.init()
	c.writable.init()
	c.greet()
	return c
}

// helpLocked starts a goroutine that Close waits for. After Close it does nothing. The caller holds mu.
func (c *Conn) helpLocked(f func()) {
	if !c.closed {
		c.helpers.Go(f)
	}
}

// send sends a message. After an error other than that of ctx, nothing more can be sent.
func (c *Conn) send(ctx context.Context, msg []byte) error {
	err := c.raw.Send(ctx, msg)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return c.sendFailed(err)
}

// SetDeadline calls SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error {
	if c == nil || c.raw == nil {
		return noConn("set")
	}
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline sets the time at which reads fail with os.ErrDeadlineExceeded, those that wait
// included. The zero time means never.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if c == nil || c.raw == nil {
		return noConn("set")
	}
	return c.opError("set", c.rdeadline.set(t))
}

// SetWriteDeadline sets the time at which writes fail with os.ErrDeadlineExceeded, those that
// wait included. The zero time means never.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if c == nil || c.raw == nil {
		return noConn("set")
	}
	return c.opError("set", c.wdeadline.set(t))
}

// LocalAddr returns the address of this end, an [Addr].
func (c *Conn) LocalAddr() net.Addr {
	if c == nil || c.raw == nil {
		return nil
	}
	return c.local
}

// RemoteAddr returns the address of the other end, an [Addr].
func (c *Conn) RemoteAddr() net.Addr {
	if c == nil || c.raw == nil {
		return nil
	}
	return c.remote
}

// Raw returns the underlying connection, for its consumers, producers and counters.
func (c *Conn) Raw() *comch.Conn {
	if c == nil || c.raw == nil {
		return nil
	}
	return c.raw
}

func (c *Conn) opError(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: c.local.Network(), Source: c.local, Addr: c.remote, Err: err}
}
