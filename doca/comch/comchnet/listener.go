package comchnet

import (
	"context"
	"net"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// backlog is how many streams wait for Accept; more are turned away.
const backlog = 128

// Listener accepts streams from a Comch server, a net.Listener. It may be used from any
// goroutine.
type Listener struct {
	srv      *comch.Server
	accepted chan *Conn
	closing  chan struct{} // closed by Close
	ended    chan struct{} // closed when the server takes no more
	err      error         // why it has ended

	mu     sync.Mutex
	closed bool
	users  int // of the server: the listener, and the streams that are not closed
}

// Listen starts a server on a DPU's device, for the host function that rep stands for; it is
// [comch.Listen] and [NewListener].
func Listen(ctx context.Context, dev *doca.Device, rep *doca.Representor, name string, cfg comch.Config) (*Listener, error) {
	srv, err := comch.Listen(ctx, dev, rep, name, cfg)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: Addr{}.Network(), Addr: Addr{Name: name}, Err: err}
	}
	return NewListener(srv), nil
}

// NewListener makes a listener of a server, which belongs to it from now on: nothing else may
// accept connections from it, and Close closes it.
func NewListener(srv *comch.Server) *Listener {
	l := &Listener{srv: srv, accepted: make(chan *Conn, backlog), users: 1,
		closing: make(chan struct{}), ended: make(chan struct{})}
	go l.run()
	return l
}

// run takes connections, so that clients need not wait for Accept, until the server is closed.
func (l *Listener) run() {
	defer close(l.ended)
	for {
		raw, err := l.srv.Accept(context.Background())
		if err != nil {
			l.err = netError(err)
			return
		}
		if !l.offer(raw) {
			raw.Close()
		}
	}
}

// offer hands a connection to Accept, if it will ever be asked for it.
func (l *Listener) offer(raw *comch.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.accepted) == backlog {
		return false
	}
	l.users++
	l.accepted <- newConn(raw, l.release)
	return true
}

// Accept waits for the next stream, a [*Conn]. After Close its error is net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closing:
		return nil, l.opError("accept", net.ErrClosed)
	case <-l.ended:
		return nil, l.opError("accept", l.err)
	}
}

// Close stops accepting: an Accept that waits ends with net.ErrClosed. Streams that were
// accepted go on, as is usual for a net.Listener, and since DOCA's connections need their
// server, that is closed with the last of them. Until then its name is taken, and clients are
// turned away. It is idempotent and may be called from any goroutine at any time.
func (l *Listener) Close() error {
	l.mu.Lock()
	was := l.closed
	l.closed = true
	l.mu.Unlock()
	if was {
		return nil
	}
	close(l.closing)
	for {
		select {
		case c := <-l.accepted:
			c.Close()
		default:
			return l.opError("close", l.release())
		}
	}
}

// release ends one use of the server, and the server with the last one.
func (l *Listener) release() error {
	l.mu.Lock()
	l.users--
	last := l.users == 0
	l.mu.Unlock()
	if !last {
		return nil
	}
	err := l.srv.Close()
	<-l.ended
	return err
}

// Addr returns the address that the listener is at, an [Addr].
func (l *Listener) Addr() net.Addr {
	return Addr{Name: l.srv.Name(), PCIAddr: l.srv.Device().Info().PCIAddr}
}

// Server returns the server beneath.
func (l *Listener) Server() *comch.Server { return l.srv }

func (l *Listener) opError(op string, err error) error {
	if err == nil {
		return nil
	}
	return &net.OpError{Op: op, Net: l.Addr().Network(), Addr: l.Addr(), Err: err}
}
