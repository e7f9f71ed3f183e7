package rdma_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var lastPort atomic.Uint32

// port returns a port that no other test uses.
func port() uint16 { return uint16(20000 + lastPort.Add(1)) }

// dialed returns two sides that are connected by address.
func dialed(t testing.TB, cfg rdma.Config) (a, b *side, l *rdma.Listener) {
	t.Helper()
	a, b = newSide(t, cfg), newSide(t, cfg)
	l = must(b.rdma.Listen(port()))(t)
	conns := make(chan *rdma.Conn, 1)
	go func() {
		c, err := l.Accept(context.Background())
		assert.NoError(t, err)
		conns <- c
	}()
	a.conn = must(a.rdma.Dial(soonish(t), b.addr(t, l.Port())))(t)
	b.conn = <-conns
	return a, b, l
}

// addr returns an address of the side's device.
func (s *side) addr(t testing.TB, port uint16) rdma.Addr {
	t.Helper()
	gids := must(rdma.GIDs(s.dev.Info()))(t)
	return rdma.Addr{Type: rdma.AddrGID, Address: gids[len(gids)-1].String(), Port: port}
}

func TestDial(t *testing.T) {
	a, b, l := dialed(t, rdma.Config{})
	assert.Equal(t, rdma.ConnConnected, a.conn.State())
	assert.Equal(t, rdma.ConnConnected, b.conn.State())
	a.peer = must(doca.ImportMemory(a.dev, b.exported(t)))(t)
	want := a.fill(0, 100, 1)
	require.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 100))
	assert.Equal(t, want, b.mem.Bytes()[:100])
	check(t, l.Close())
	check(t, l.Close())
	require.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 100), "a connection outlives its listener")
	done := b.conn.Done()
	check(t, a.conn.Close())
	<-done
	wantErr(t, b.conn.Err(), rdma.ErrPeerGone)
	check(t, b.conn.Close())
	_, err := a.rdma.Dial(soonish(t), b.addr(t, l.Port()))
	assert.Error(t, err, "nobody listens any more")
}

// Close of a listener refuses the requests that the program has taken and not answered, so that their places are free.
func TestCloseRefusesTakenRequests(t *testing.T) {
	a, b := newSide(t, rdma.Config{MaxConnections: 2}), newSide(t, rdma.Config{MaxConnections: 1})
	l := must(b.rdma.Listen(port()))(t)
	dialed := make(chan error, 1)
	go func() {
		_, err := a.rdma.Dial(soonish(t), b.addr(t, l.Port()))
		dialed <- err
	}()
	q := must(l.Request(soonish(t)))(t)
	check(t, l.Close())
	_, err := q.Accept(soonish(t), nil)
	wantErr(t, err, doca.ErrBadState)
	wantErr(t, q.Reject(), doca.ErrBadState)
	wantErr(t, <-dialed, rdma.ErrRejected)
	l = must(b.rdma.Listen(port()))(t)
	go func() {
		c, err := a.rdma.Dial(soonish(t), b.addr(t, l.Port()))
		a.conn = c
		dialed <- err
	}()
	b.conn = must(l.Accept(soonish(t)))(t)
	require.NoError(t, <-dialed)
}

func TestDialAddresses(t *testing.T) {
	b := newSide(t, rdma.Config{MaxConnections: 8})
	l := must(b.rdma.Listen(port()))(t)
	go func() {
		for {
			if _, err := l.Accept(context.Background()); err != nil {
				return
			}
		}
	}()
	a := newSide(t, rdma.Config{MaxConnections: 8})
	for _, addr := range append([]rdma.Addr{b.addr(t, l.Port())}, addresses(b.dev, l.Port())...) {
		t.Run(addr.String(), func(t *testing.T) {
			c, err := a.rdma.Dial(soonish(t), addr)
			require.NoError(t, err)
			assert.NoError(t, c.Close())
		})
	}
	check(t, l.Close())
}

// addresses returns the IP addresses of a device.
func addresses(dev *doca.Device, port uint16) []rdma.Addr {
	info := dev.Info()
	return []rdma.Addr{
		{Type: rdma.AddrIPv4, Address: info.IPv4.String(), Port: port},
		{Type: rdma.AddrIPv6, Address: info.IPv6.String(), Port: port},
	}
}

func TestReject(t *testing.T) {
	a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
	_, err := b.rdma.Listen(0)
	wantErr(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, "there is no port 0: give one of 1 to 65535")
	l := must(b.rdma.Listen(port()))(t)
	_, err = b.rdma.Listen(port())
	wantErr(t, err, doca.ErrAlreadyExist)
	rejected := make(chan error, 1)
	go func() {
		q, err := l.Request(context.Background())
		if err == nil {
			err = q.Reject()
			assert.ErrorIs(t, q.Reject(), doca.ErrBadState)
			_, again := q.Accept(context.Background(), nil)
			assert.ErrorIs(t, again, doca.ErrBadState)
		}
		rejected <- err
	}()
	_, err = a.rdma.Dial(soonish(t), b.addr(t, l.Port()))
	wantErr(t, err, rdma.ErrRejected, "MaxConnections")
	require.NoError(t, <-rejected)

	// The next one is accepted, with private data.
	accepted := make(chan error, 1)
	go func() {
		q, err := l.Request(context.Background())
		if err == nil {
			_, long := q.Accept(context.Background(), make([]byte, 256))
			assert.ErrorIs(t, long, doca.ErrTooBig)
			b.conn, err = q.Accept(context.Background(), []byte("hello"))
		}
		accepted <- err
	}()
	a.conn = must(a.rdma.Dial(soonish(t), b.addr(t, l.Port())))(t)
	require.NoError(t, <-accepted)
}

// Accept with a ctx that has ended accepts nobody. A listener leaves the request to the next call; a request is refused.
func TestAcceptAfterTheEndOfContext(t *testing.T) {
	t.Parallel()
	a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
	l := must(b.rdma.Listen(port()))(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	dialed := make(chan error, 1)
	go func() {
		_, err := a.rdma.Dial(soonish(t), b.addr(t, l.Port()))
		dialed <- err
	}()
	first := must(l.Request(soonish(t)))(t)
	_, err := first.Accept(ended, nil)
	wantErr(t, err, context.Canceled)
	wantErr(t, <-dialed, rdma.ErrRejected)
	_, err = first.Accept(soonish(t), nil)
	wantErr(t, err, doca.ErrBadState)

	go func() {
		c, err := a.rdma.Dial(soonish(t), b.addr(t, l.Port()))
		a.conn = c
		dialed <- err
	}()
	for range 20 { // the request comes meanwhile, or has come
		_, err = l.Accept(ended)
		wantErr(t, err, context.Canceled)
		time.Sleep(time.Millisecond)
	}
	b.conn = must(l.Accept(soonish(t)))(t)
	require.NoError(t, <-dialed)
}

func TestDialGivesUp(t *testing.T) {
	a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
	l := must(b.rdma.Listen(port()))(t)
	_, err := l.Accept(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
	_, err = a.rdma.Dial(soon(t), b.addr(t, l.Port())) // nobody answers
	wantErr(t, err, context.DeadlineExceeded)
	_, err = a.rdma.Dial(soonish(t), rdma.Addr{Type: rdma.AddrIPv4, Address: "nonsense", Port: 1})
	wantErr(t, err, doca.ErrInvalidValue)
	waits := make(chan error, 1)
	go func() { waits <- second(l.Accept(context.Background())) }()
	check(t, l.Close())
	<-waits // it may have got the request that was given up
	check(t, b.rdma.Stop(soonish(t)))
	_, err = l.Accept(soonish(t))
	wantErr(t, err, doca.ErrBadState)
	_, err = b.rdma.Listen(port())
	wantErr(t, err, doca.ErrBadState)
}

func TestParseAddr(t *testing.T) {
	for s, want := range map[string]rdma.Addr{
		"192.0.2.1:13579":     {Type: rdma.AddrIPv4, Address: "192.0.2.1", Port: 13579},
		"[2001:db8::1]:13579": {Type: rdma.AddrIPv6, Address: "2001:db8::1", Port: 13579},
	} {
		got := must(rdma.ParseAddr(s))(t)
		assert.Equal(t, want, got)
		assert.Equal(t, s, got.String())
	}
	for _, s := range []string{"", "192.0.2.1", "example.com:1"} {
		_, err := rdma.ParseAddr(s)
		wantErr(t, err, doca.ErrInvalidValue)
	}
}

// A message may come before Accept has returned the connection, and has it nevertheless; an answer can be sent.
func TestMessageBeforeAccept(t *testing.T) {
	a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{MaxConnections: 2})
	l := must(b.rdma.Listen(port()))(t)
	accepted := make(chan *rdma.Conn)
	go func() {
		for {
			c, err := l.Accept(context.Background())
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	for range 100 {
		must(b.rdma.Post(nil))(t)
		got := make(chan rdma.Received)
		go func() {
			msg, err := b.rdma.Recv(soonish(t))
			if assert.NoError(t, err) {
				assert.NoError(t, msg.Conn.SendImm(soonish(t), 2, nil, 0, 0))
			}
			got <- msg
		}()
		a.conn = must(a.rdma.Dial(soonish(t), b.addr(t, l.Port())))(t)
		must(a.rdma.Post(nil))(t)
		require.NoError(t, a.conn.SendImm(soonish(t), 1, nil, 0, 0))
		assert.Equal(t, uint32(2), must(a.rdma.Recv(soonish(t)))(t).Imm)
		msg := <-got
		conn := <-accepted
		require.Same(t, conn, msg.Conn)
		check(t, a.conn.Close())
		check(t, conn.Close())
	}
	check(t, l.Close())
}

// A connection that was closed leaves its place to the next one, also on the side that is dialed.
func TestDialAgain(t *testing.T) {
	a, b := newSide(t, rdma.Config{MaxConnections: 1}), newSide(t, rdma.Config{MaxConnections: 1})
	l := must(b.rdma.Listen(port()))(t)
	for range 50 {
		conns := make(chan *rdma.Conn, 1)
		go func() { conns <- must(l.Accept(soonish(t)))(t) }()
		a.conn = must(a.rdma.Dial(soonish(t), b.addr(t, l.Port())))(t)
		b.conn = <-conns
		check(t, b.conn.Close()) // nobody drives b's engine afterwards, until Accept
		check(t, a.conn.Close())
	}
}

// The request of a peer that has given up is not mistaken for that of the next peer, for which DOCA uses the same connection.
func TestRequestWithdrawn(t *testing.T) {
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprintf("taken %t", taken), func(t *testing.T) {
			a, b, early := newSide(t, rdma.Config{}), newSide(t, rdma.Config{MaxConnections: 2}), newSide(t, rdma.Config{})
			l := must(b.rdma.Listen(port()))(t)
			drive := func() { b.rdma.Recv(soon(t)) }
			gaveUp := make(chan error, 1)
			go func() { gaveUp <- second(early.rdma.Dial(soonish(t), b.addr(t, l.Port()))) }()
			var q *rdma.Request
			if taken {
				q = must(l.Request(soonish(t)))(t)
			} else {
				drive()
			}
			check(t, early.rdma.Stop(soonish(t)))
			wantErr(t, <-gaveUp, doca.ErrBadState)
			drive()
			dialed := make(chan *rdma.Conn, 1)
			go func() { dialed <- must(a.rdma.Dial(soonish(t), b.addr(t, l.Port())))(t) }()
			conn := must(l.Accept(soonish(t)))(t)
			a.conn = <-dialed
			if taken {
				_, err := q.Accept(soonish(t), nil)
				wantErr(t, err, doca.ErrBadState, "given up")
				wantErr(t, q.Reject(), doca.ErrBadState, "given up")
			}
			_, err := l.Accept(soon(t))
			wantErr(t, err, context.DeadlineExceeded)
			must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
			require.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 8))
			assert.Same(t, conn, must(b.rdma.Recv(soonish(t)))(t).Conn)
			check(t, a.conn.Close())
			<-conn.Done()
			check(t, conn.Close())
		})
	}
}
