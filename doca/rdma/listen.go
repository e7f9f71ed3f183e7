package rdma

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// maxPrivateData is the length of the longest private data, in bytes.
const maxPrivateData = math.MaxUint8

// Listener waits for requests of peers that dial a port. [RDMA.Listen] returns it. The context owns
// it. Any goroutine may use it.
type Listener struct {
	obj *bind.Child
	r   *RDMA
	l   *listener
}

// listener is the inner part of a Listener. The engine's lock guards it.
type listener struct {
	c        *core
	port     uint16
	requests []*request                   // that nobody has taken
	taken    map[*gen.Connection]*request // by Request, and not answered yet
	over     bool                         // the context has stopped, or Close was called
	name     string
}

// Request is a request of a peer for a connection. Answer it with Accept or Reject.
type Request struct {
	l  *Listener
	in *request
}

// request is the inner part of a Request. The engine's lock guards it.
type request struct {
	raw *gen.Connection // nil: it was answered, or its peer is gone
}

// Listen listens on a port of the context's device for peers that dial it. DOCA does not tell which
// port a request came to, so a context has one listener at a time. Errors: ErrAlreadyExist if it has one;
// ErrNotSupported if the configuration does not allow connections by address; ErrConnectionAborted if
// the port is in use; a [*doca.StateError] if the context does not run. Calls
// doca_rdma_start_listen_to_port.
func (r *RDMA) Listen(port uint16) (*Listener, error) {
	if r == nil || r.c == nil {
		return nil, noRDMA("listen")
	}
	in := &listener{c: r.c, port: port, taken: map[*gen.Connection]*request{}}
	obj, err := bind.NewChild(bind.ChildConfig{Kind: "rdma listener", Detail: fmt.Sprintf("port %d of %v", port, r), Parent: r, Close: in.close})
	if err != nil {
		return nil, err
	}
	in.name = obj.String()
	if err := in.start(); err != nil {
		return nil, errors.Join(err, obj.Close())
	}
	return &Listener{obj: obj, r: r, l: in}, nil
}

func (l *listener) start() error {
	c := l.c
	if err := c.link.Lock(bind.OpSubmit, "listen"); err != nil {
		l.over = true
		return err
	}
	defer c.link.Unlock()
	if c.listener != nil {
		l.over = true
		return c.fail("listen", doca.ErrAlreadyExist, fmt.Sprintf("the context listens on port %d already", c.listener.port))
	}
	if err := gen.StartListenToPort(c.raw, l.port); err != nil {
		l.over = true
		advice := fmt.Sprintf("port %d may be in use: DOCA's log has the reason", l.port)
		if l.port == 0 {
			advice = "there is no port 0: give one of 1 to 65535"
		}
		return c.fail("listen", err, advice)
	}
	c.listener = l
	return nil
}

// requestedLocked handles a request of a peer.
func (c *core) requestedLocked(raw *gen.Connection) {
	if c.listener == nil {
		gen.ConnectionReject(raw) // it came while the listener was being closed
		return
	}
	c.listener.requests = append(c.listener.requests, &request{raw})
	c.link.Wake()
}

// withdrawnLocked handles that the peer of a request is gone. DOCA may use its connection for the next one.
func (l *listener) withdrawnLocked(raw *gen.Connection) {
	l.requests = slices.DeleteFunc(l.requests, func(q *request) bool { return q.raw == raw })
	if q := l.taken[raw]; q != nil {
		q.raw = nil
		delete(l.taken, raw)
	}
}

// answeredLocked returns DOCA's connection of a request that is answered now; nil if it was, or its peer is gone.
func (l *listener) answeredLocked(q *request) *gen.Connection {
	raw := q.raw
	delete(l.taken, raw)
	q.raw = nil
	return raw
}

// endLocked ends the listener, because the context stops. When it is idle, DOCA has none.
func (l *listener) endLocked(idle bool) {
	l.over = true
	if idle {
		l.requests = nil
		for raw := range l.taken {
			l.withdrawnLocked(raw)
		}
		l.c.listener = nil
	}
	l.c.link.Wake()
}

// Request waits for the next request of a peer. Errors: ctx.Err() if ctx ends first; a
// [*doca.StateError] if the listener is closed or the context stops.
func (l *Listener) Request(ctx context.Context) (*Request, error) {
	if l == nil || l.l == nil {
		return nil, noListener("wait for a request")
	}
	if err := bind.NeedContext(ctx, "wait for a request", l.obj); err != nil {
		return nil, err
	}
	in, link := l.l, l.l.c.link
	if err := link.LockAlwaysFor(ctx); err != nil {
		return nil, err
	}
	defer link.Unlock()
	err := link.Await(ctx, func() bool { return len(in.requests) > 0 || in.over || link.Check(bind.OpSubmit, "accept") != nil })
	if state := link.Check(bind.OpSubmit, "accept"); state != nil {
		return nil, state
	}
	if in.over {
		return nil, &doca.StateError{Object: in.name, State: doca.StateClosed, Op: "accept"}
	}
	if err == nil {
		err = ctx.Err() // who cannot answer the request any more leaves it to the next call
	}
	if err != nil {
		return nil, err
	}
	q := in.requests[0]
	in.requests = slices.Delete(in.requests, 0, 1)
	in.taken[q.raw] = q
	return &Request{l: l, in: q}, nil
}

// Accept waits for the next request of a peer, accepts it, and waits until the connection is
// established. A request that fails meanwhile is skipped. A connection that was established is returned
// even if the peer has ended it again: [Conn.Err] says so, and what the peer has sent can be received.
// Errors: those of [Listener.Request].
func (l *Listener) Accept(ctx context.Context) (*Conn, error) {
	for {
		q, err := l.Request(ctx)
		if err != nil {
			return nil, err
		}
		c, err := q.Accept(ctx, nil)
		if err == nil || ctx.Err() != nil || !errors.Is(err, ErrRejected) && !errors.Is(err, ErrPeerGone) {
			return c, err
		}
	}
}

// Accept accepts the request, and waits until the connection is established, as [Listener.Accept] does.
// private goes to the peer with the answer, which DOCA keeps for RDMA-CM programs; it can have up to 255 bytes, if the device
// takes as many. Errors: ctx.Err() if ctx ends first, and the peer is refused then; ErrBadState if the
// request was answered; ErrTooBig for too much private data; a [*PeerError] if the peer is gone; a
// [*doca.StateError] if the context stops. Calls doca_rdma_connection_accept.
func (q *Request) Accept(ctx context.Context, private []byte) (*Conn, error) {
	if q == nil || q.l == nil {
		return nil, noRequest("accept")
	}
	r := q.l.r
	if err := bind.NeedContext(ctx, "accept", q.l.obj); err != nil {
		return nil, err
	}
	if len(private) > maxPrivateData {
		return nil, r.c.fail("accept", doca.ErrTooBig, fmt.Sprintf("%d bytes of private data, there can be up to %d", len(private), maxPrivateData))
	}
	if err := ctx.Err(); err != nil { // it would be established at once
		if failed := q.Reject(); failed != nil {
			return nil, failed
		}
		return nil, err
	}
	c, err := r.newConn(ctx, "accept")
	if err != nil {
		if ctx.Err() != nil { // while others use the engine
			go func() { _ = q.Reject() }()
		}
		return nil, err
	}
	if err := q.accept(c.c, private); err != nil {
		return nil, c.abandon(err)
	}
	if err := c.established(ctx, "accept"); err != nil {
		return nil, err
	}
	return c, nil
}

const answered = "the request was answered already, its peer has given up, or the listener is closed"

func (q *Request) accept(in *conn, private []byte) error {
	link := in.r.link
	if err := link.Lock(bind.OpSubmit, "accept"); err != nil {
		return err
	}
	defer link.Unlock()
	raw := q.l.l.answeredLocked(q.in)
	if raw == nil {
		return in.r.fail("accept", doca.ErrBadState, answered)
	}
	err := in.knownLocked(raw)
	if err == nil {
		err = gen.ConnectionAccept(raw, private)
	}
	if err != nil {
		in.gone() // DOCA takes no disconnection of a connection that was not accepted
		if saysGone(err) {
			return &PeerError{Op: "accept", Object: q.l.l.name, Err: code(err)}
		}
		return in.r.fail("accept", err, "")
	}
	return nil
}

// Reject refuses the request. Errors: ErrBadState if it was answered; a [*doca.StateError] if the
// context does not run. Calls doca_rdma_connection_reject.
func (q *Request) Reject() error {
	if q == nil || q.l == nil {
		return noRequest("reject")
	}
	c := q.l.l.c
	if err := c.link.Lock(bind.OpSubmit, "reject"); err != nil {
		return err
	}
	defer c.link.Unlock()
	raw := q.l.l.answeredLocked(q.in)
	if raw == nil {
		return c.fail("reject", doca.ErrBadState, answered)
	}
	if err := gen.ConnectionReject(raw); err != nil && !saysGone(err) {
		return c.fail("reject", err, "")
	}
	return nil
}

// Port returns the port.
func (l *Listener) Port() uint16 {
	if l == nil || l.l == nil {
		return 0
	}
	return l.l.port
}

// String names the listener for messages and logs.
func (l *Listener) String() string {
	if l == nil || l.l == nil {
		return "no listener"
	}
	return l.obj.String()
}

// Close stops listening, and refuses the requests that nobody has answered, also those that [Listener.Request] has
// returned: their Accept and Reject return ErrBadState. Connections stay. Close is
// idempotent. Calls doca_rdma_stop_listen_to_port.
func (l *Listener) Close() error {
	if l == nil || l.l == nil {
		return noListener("close")
	}
	return l.obj.Close()
}

// Shutdown is Close, which waits for nothing but others who use the engine: no longer than ctx.
func (l *Listener) Shutdown(ctx context.Context) error {
	if l == nil || l.l == nil {
		return noListener("shutdown")
	}
	return l.obj.Shutdown(ctx)
}

func (l *listener) close(ctx context.Context) error {
	c := l.c
	if err := c.link.LockAlwaysFor(ctx); err != nil {
		return &doca.OpError{Op: "close", Object: l.name, Err: err, Advice: engineBusy}
	}
	defer c.link.Unlock()
	if c.listener == l {
		for _, q := range l.requests {
			gen.ConnectionReject(q.raw) // the peer may be gone
		}
		for raw := range l.taken {
			gen.ConnectionReject(raw)
			l.withdrawnLocked(raw)
		}
		l.requests = nil
		if err := gen.StopListenToPort(c.raw, l.port); err != nil && c.link.Running() {
			return &doca.OpError{Op: "close", Object: l.name, Err: err}
		}
		c.listener = nil
		c.recv.wakeAllLocked() // if no connection is left, none will come
	}
	l.over = true
	c.link.Wake()
	return nil
}
