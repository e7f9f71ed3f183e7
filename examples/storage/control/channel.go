package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/go-doca/go-doca/doca/comch"
)

// ErrPeerGone means that the other side has ended the channel, or has disappeared.
var ErrPeerGone = errors.New("storage: the peer is gone")

// transport carries bytes. What one send takes may arrive in several pieces, or together with others.
type transport interface {
	send(ctx context.Context, b []byte) error
	// recv waits for bytes and appends them to b.
	recv(ctx context.Context, b []byte) ([]byte, error)
	close() error
}

// Channel carries frames to a peer and back. One goroutine at a time may send, and another one wait for what arrives.
type Channel struct {
	name     string
	t        transport
	framing  Framing
	arrived  chan []byte
	finished chan struct{} // closed when nothing more arrives
	err      error         // why; valid then
	cancel   context.CancelFunc
}

// OverComch makes a channel of a connection between host and BlueField. Closing the channel closes the connection.
func OverComch(conn *comch.Conn, peer string, f Framing) *Channel {
	return newChannel(peer, comchTransport{conn: conn, piece: make([]byte, conn.MaxMessageSize())}, f)
}

// OverTCP makes a channel of a network connection. Closing the channel closes the connection. If the network is cut, the
// channel ends within the limit, of which the system takes account in steps of a second.
func OverTCP(conn net.Conn, peer string, f Framing, limit time.Duration) *Channel {
	if tcp, ok := conn.(*net.TCPConn); ok {
		notice(tcp, limit)
	}
	return newChannel(peer, tcpTransport{conn: conn, piece: make([]byte, 4096)}, f)
}

// notice makes the system notice that a peer cannot be reached, whether something is on its way to it or not. By itself it takes hours.
// A system that cannot do this still notices peers that end.
func notice(conn *net.TCPConn, limit time.Duration) {
	step := max(time.Second, limit/5) // silence, two probes without an answer, and time to tell others
	_ = conn.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: step, Interval: step, Count: 2})
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int((3 * step).Milliseconds()))
	})
}

func newChannel(name string, t transport, f Framing) *Channel {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Channel{name: name, t: t, framing: f, arrived: make(chan []byte, 8), finished: make(chan struct{}), cancel: cancel}
	go c.receive(ctx)
	return c
}

// receive takes frames out of the bytes that arrive, until the channel ends.
func (c *Channel) receive(ctx context.Context) {
	defer close(c.finished)
	var b []byte
	for {
		frame, rest, err := c.framing.Next(b)
		if err == nil && frame == nil {
			if b, err = c.t.recv(ctx, append([]byte(nil), rest...)); err == nil {
				continue
			}
			if errors.Is(err, io.EOF) && len(rest) > 0 {
				err = fmt.Errorf("%w, in the middle of a message", ErrPeerGone)
			}
		}
		if err != nil {
			c.err = c.failure(err)
			return
		}
		b = rest
		select {
		case c.arrived <- frame:
		case <-ctx.Done():
			c.err = c.failure(ctx.Err())
			return
		}
	}
}

func (c *Channel) failure(err error) error {
	one := func(errs ...error) bool {
		return slices.ContainsFunc(errs, func(e error) bool { return errors.Is(err, e) })
	}
	switch {
	case one(ErrPeerGone):
	case one(io.EOF, comch.ErrPeerGone, syscall.ECONNRESET, syscall.EPIPE):
		return fmt.Errorf("%w: %s has ended the connection", ErrPeerGone, c.name)
	case one(syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN):
		return fmt.Errorf("%w: %s cannot be reached any more", ErrPeerGone, c.name)
	}
	return fmt.Errorf("%s: %w", c.name, err)
}

// Peer names the other side.
func (c *Channel) Peer() string { return c.name }

// Send sends a frame. Errors: [ErrPeerGone]; ctx.Err() if ctx ends first.
func (c *Channel) Send(ctx context.Context, frame []byte) error {
	if err := c.t.send(ctx, frame); err != nil {
		return c.failure(err)
	}
	return nil
}

// Recv waits for the next frame. What arrived before the channel ended is still returned. Errors: [ErrPeerGone];
// [ErrMalformed], after which nothing more can be received; ctx.Err() if ctx ends first.
func (c *Channel) Recv(ctx context.Context) ([]byte, error) {
	select {
	case frame := <-c.arrived:
		return frame, nil
	default:
	}
	select {
	case frame := <-c.arrived:
		return frame, nil
	case <-c.finished:
	case <-ctx.Done():
	}
	select {
	case frame := <-c.arrived: // at the same time
		return frame, nil
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, c.err
}

// Ended returns a channel that is closed when nothing more arrives, and Err says why.
func (c *Channel) Ended() <-chan struct{} { return c.finished }

// Err returns why the channel has ended, and nil before.
func (c *Channel) Err() error {
	select {
	case <-c.finished:
		return c.err
	default:
		return nil
	}
}

// Close ends the channel.
func (c *Channel) Close() error {
	c.cancel()
	err := c.t.close()
	<-c.finished
	return err
}

type comchTransport struct {
	conn  *comch.Conn
	piece []byte
}

func (t comchTransport) send(ctx context.Context, b []byte) error { return t.conn.Send(ctx, b) }

func (t comchTransport) recv(ctx context.Context, b []byte) ([]byte, error) {
	n, err := t.conn.RecvInto(ctx, t.piece)
	return append(b, t.piece[:n]...), err
}

func (t comchTransport) close() error { return t.conn.Close() }

type tcpTransport struct {
	conn  net.Conn
	piece []byte
}

func (t tcpTransport) send(ctx context.Context, b []byte) error {
	deadline, _ := ctx.Deadline() // the zero time is none
	if err := t.conn.SetWriteDeadline(deadline); err != nil {
		return err
	}
	_, err := t.conn.Write(b)
	return err
}

func (t tcpTransport) recv(_ context.Context, b []byte) ([]byte, error) {
	n, err := t.conn.Read(t.piece)
	if n > 0 {
		err = nil // the next call returns it again
	}
	return append(b, t.piece[:n]...), err
}

func (t tcpTransport) close() error { return t.conn.Close() }

// DialTCP connects to a target and tries again while it refuses, which it does as long as it has not started.
func DialTCP(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	for i := 0; ; i++ {
		if i == 1 {
			slog.Warn(fmt.Sprintf("Nobody listens at %s yet: is the target started, and the port right? Trying again until it is", address))
		}
		conn, err := d.DialContext(ctx, "tcp4", address)
		if err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
			return conn, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
