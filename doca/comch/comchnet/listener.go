package comchnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
)

// backlog is the number of streams that may wait for Accept. It is more than a device has connections, so that
// a burst of clients is not refused before the program gets to accept them.
const backlog = 4096

// After an attempt to accept that has failed, the listener pauses before the next one: the longer, the more have failed one after another.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 160 * time.Millisecond
)

// Listener accepts streams from a Comch server. It is a net.Listener. Any goroutine may use it.
type Listener struct {
	srv      *comch.Server
	most     int // ListenConfig.MaxClients, or 0
	accepted chan *Conn
	failed   chan error    // has the error of an attempt that the server has outlived, for the next Accept
	closing  chan struct{} // closed by Close
	ended    chan struct{} // closed when the server accepts no more
	err      error         // why it has ended

	closeMu sync.Mutex // held by Close
	refused []*Conn    // those that nobody has accepted and that are not closed yet; guarded by closeMu
	release func() error

	mu     sync.Mutex
	closed bool
	users  int // of the server: the listener and the open streams
}

// ListenConfig holds the options of a listener. The zero value suits most programs.
type ListenConfig struct {
	Config comch.Config // of the server

	// MaxClients is the number of streams that may be open at once, those included that wait for
	// Accept. The listener refuses further clients: their first Read or Write fails with an error
	// that wraps [doca.ErrFull] and [comch.ErrPeerGone]. 0 means as many as the device supports.
	MaxClients int
}

// Listen starts a server on a device of the DPU, for the host function that rep stands for. Errors:
// [doca.ErrInvalidValue] for a negative MaxClients, and those of [comch.Listen]. Calls
// doca_comch_server_create and doca_ctx_start.
func (cfg ListenConfig) Listen(ctx context.Context, dev *doca.Device, rep *doca.Representor, name string) (*Listener, error) {
	fail := func(err error) error {
		return &net.OpError{Op: "listen", Net: Addr{}.Network(), Addr: Addr{Name: name}, Err: err}
	}
	if cfg.MaxClients < 0 {
		return nil, fail(fmt.Errorf("%w: ListenConfig.MaxClients is %d, it must not be negative", doca.ErrInvalidValue, cfg.MaxClients))
	}
	srv, err := comch.Listen(ctx, dev, rep, name, cfg.Config)
	if err != nil {
		return nil, fail(err)
	}
	return newListener(srv, cfg.MaxClients), nil
}

// Listen starts a server on a device of the DPU, for the host function that rep stands for. It is
// the Listen of a [ListenConfig] with this Config. Calls doca_comch_server_create and doca_ctx_start.
func Listen(ctx context.Context, dev *doca.Device, rep *doca.Representor, name string, cfg comch.Config) (*Listener, error) {
	return ListenConfig{Config: cfg}.Listen(ctx, dev, rep, name)
}

// NewListener returns a listener on a server. From now on the listener owns the server: nothing
// else may accept connections from it, and the listener's Close closes it.
// Errors: [doca.ErrInvalidValue] for nil and a zero value.
//
//doca:takes srv
func NewListener(srv *comch.Server) (*Listener, error) {
	if srv.Device() == nil {
		return nil, none("create listener", "comch server", "comch.Listen")
	}
	return newListener(srv, 0), nil
}

func newListener(srv *comch.Server, most int) *Listener {
	l := &Listener{srv: srv, most: most, accepted: make(chan *Conn, backlog), failed: make(chan error, 1), users: 1,
		closing: make(chan struct{}), ended: make(chan struct{})}
	l.release = l.user()
	go l.run()
	return l
}

// run accepts connections until the server is closed, so that clients need not wait for Accept.
func (l *Listener) run() {
	defer close(l.ended)
	pause := firstPause
	for {
		raw, err := l.srv.Accept(context.Background())
		over := new(doca.StateError)
		switch {
		case err == nil:
			pause = firstPause
			if !l.offer(raw) {
				go l.refuse(raw)
			}
		case errors.Is(err, doca.ErrClosed):
			l.err = closedBeneath("server", err)
			return
		case errors.As(err, &over):
			l.err = err
			return
		default:
			select {
			case l.failed <- &acceptError{err}:
			default:
			}
			time.Sleep(pause)
			pause = min(2*pause, longestPause)
		}
	}
}

// acceptError is the error of an attempt to accept that the server has outlived, such as a failed step of its engine.
type acceptError struct{ err error }

func (e *acceptError) Error() string {
	return e.err.Error() + ": the server goes on, call Accept again"
}
func (e *acceptError) Unwrap() error   { return e.err }
func (e *acceptError) Temporary() bool { return true }

// refuse disconnects a client, and tells it first if the reason is that there is no room for it.
func (l *Listener) refuse(raw *comch.Conn) {
	if !l.isClosing() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		raw.Send(ctx, []byte{frameReset, byte(doca.ErrFull)}) // if this fails, the client learns of the end alone
	}
	_ = raw.Close()
}

// offer queues a connection for Accept. It reports false if the listener is closed or there is no room
// for another one.
func (l *Listener) offer(raw *comch.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.accepted) == backlog || l.most > 0 && l.users > l.most {
		return false
	}
	l.users++
	l.accepted <- newConn(raw, l.user())
	return true
}

// Accept waits for the next stream and returns it. It is a [*Conn]. After Close the error wraps
// net.ErrClosed. If DOCA fails while the server goes on, such as in a step of its engine, the error is a net.Error
// whose Temporary returns true, and Accept can be called again, as net/http's Serve does.
func (l *Listener) Accept() (net.Conn, error) {
	if l == nil || l.srv == nil {
		return nil, noListener("accept")
	}
	select {
	case c := <-l.accepted:
		bind.CreatedHere(c.raw)
		return c, nil
	case err := <-l.failed:
		if !l.isClosing() { // else nobody wants to know
			return nil, l.opError("accept", err)
		}
	case <-l.closing:
	case <-l.ended:
		if !l.isClosing() { // else Close has ended it
			return nil, l.opError("accept", l.err)
		}
	}
	return nil, l.opError("accept", net.ErrClosed)
}

// isClosing reports whether Close has begun.
func (l *Listener) isClosing() bool {
	select {
	case <-l.closing:
		return true
	default:
		return false
	}
}

// Close stops accepting: an Accept that waits fails with net.ErrClosed. Accepted streams go on, as
// with any net.Listener. A DOCA connection needs its server, so the server stays open until the
// last of these streams is closed. Until then its name is taken, and it refuses clients. Close
// is idempotent, and any goroutine may call it at any time. If Close returns an error, something
// stays open: call Close again.
func (l *Listener) Close() error {
	if l == nil || l.srv == nil {
		return noListener("close")
	}
	l.closeMu.Lock()
	defer l.closeMu.Unlock()
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.closing)
	}
	l.mu.Unlock()
	for more := true; more; { // those that nobody has accepted
		select {
		case c := <-l.accepted:
			l.refused = append(l.refused, c)
		default:
			more = false
		}
	}
	var errs []error
	l.refused = slices.DeleteFunc(l.refused, func(c *Conn) bool {
		err := c.Close()
		errs = append(errs, err)
		return err == nil
	})
	return l.opError("close", errors.Join(append(errs, l.release())...))
}

// user returns a function that ends one use of the server. The last one closes the server; it is
// called again after an error.
func (l *Listener) user() (release func() error) {
	var once sync.Once
	return func() error {
		once.Do(func() {
			l.mu.Lock()
			l.users--
			l.mu.Unlock()
		})
		l.mu.Lock()
		last := l.users == 0
		l.mu.Unlock()
		if !last {
			return nil
		}
		if err := l.srv.Close(); err != nil {
			return err
		}
		<-l.ended
		return nil
	}
}

// Addr returns the address of the listener, an [Addr].
func (l *Listener) Addr() net.Addr {
	if l == nil || l.srv == nil {
		return nil
	}
	return Addr{Name: l.srv.Name(), PCIAddr: l.srv.Device().Info().PCIAddr}
}

// Server returns the underlying server.
func (l *Listener) Server() *comch.Server {
	if l == nil || l.srv == nil {
		return nil
	}
	return l.srv
}

func (l *Listener) opError(op string, err error) error {
	if err == nil {
		return nil
	}
	return &net.OpError{Op: op, Net: l.Addr().Network(), Addr: l.Addr(), Err: err}
}
