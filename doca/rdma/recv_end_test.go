package rdma_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/require"
)

// Who waits for messages hears that the last peer has gone, whatever became of connections that were never established.
func TestRecvEndsWithTheLastPeer(t *testing.T) {
	t.Parallel()
	a, b := newPair(t, rdma.Config{MaxConnections: 3})
	other := newSide(t, rdma.Config{})
	l := must(other.rdma.Listen(port()))(t)
	gone := func() {
		t.Helper()
		_, err := a.rdma.Recv(soonish(t))
		require.ErrorIs(t, err, rdma.ErrPeerGone)
	}

	// The peer goes while a request for another connection waits, and while somebody waits for messages.
	dialed := make(chan error, 1)
	go func() {
		_, err := a.rdma.Dial(soonish(t), other.addr(t, l.Port()))
		dialed <- err
	}()
	q := must(l.Request(soonish(t)))(t)
	received := make(chan error, 1)
	go func() {
		_, err := a.rdma.Recv(soonish(t))
		received <- err
	}()
	check(t, b.conn.Close())
	<-a.conn.Done()
	doctest.Stays(t, received, "a connection may be established")
	check(t, q.Reject())
	wantErr(t, <-dialed, rdma.ErrRejected)
	require.ErrorIs(t, <-received, rdma.ErrPeerGone)

	// One that begins afterwards.
	check(t, l.Close())
	_, err := a.rdma.Dial(soonish(t), other.addr(t, l.Port()))
	wantErr(t, err, rdma.ErrRejected)
	gone()
	c, _, err := a.rdma.Export()
	check(t, err)
	_, err = a.rdma.Recv(soon(t))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	check(t, c.Close())
	gone()

	// After a connection that this side has ended, it waits.
	connect(t, a, b)
	check(t, a.conn.Close())
	_, err = a.rdma.Recv(soon(t))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	check(t, a.rdma.Stop(soonish(t)))
	_, err = a.rdma.Recv(soonish(t))
	wantErr(t, err, doca.ErrBadState)
}

// While the context listens, another peer may come. Who waits for messages hears of the end with that of the listener.
func TestRecvEndsWithTheListener(t *testing.T) {
	t.Parallel()
	a, b, l := dialed(t, rdma.Config{})
	received := make(chan error, 1)
	go func() {
		_, err := b.rdma.Recv(soonish(t))
		received <- err
	}()
	check(t, a.conn.Close())
	<-b.conn.Done()
	doctest.Stays(t, received, "it listens")
	check(t, l.Close())
	require.ErrorIs(t, <-received, rdma.ErrPeerGone)
}

// The peer of one connection goes, and an operation that fails with it stops the context. Nobody says then that the peers of the others have gone.
func TestPeerOfAnotherConnection(t *testing.T) {
	t.Parallel()
	a, b := newPair(t, rdma.Config{MaxConnections: 2})
	gone := a.conn
	connect(t, a, newSide(t, rdma.Config{}))
	f := must(gone.SendAsync(soonish(t), a.mem, 0, 8))(t)
	check(t, b.conn.Close())
	require.ErrorIs(t, f.Wait(soonish(t)), rdma.ErrPeerGone)
	check(t, a.rdma.WaitIdle(soonish(t)))
	peer, state := new(rdma.PeerError), new(doca.StateError)
	require.ErrorAs(t, gone.Send(soonish(t), a.mem, 0, 8), &peer)
	require.Equal(t, gone.String(), peer.Object)
	for _, next := range []func(context.Context) error{a.rdma.Start, a.rdma.Stop} {
		err := a.conn.Send(soonish(t), a.mem, 0, 8)
		require.ErrorAs(t, err, &state)
		require.ErrorAs(t, err, &peer)
		require.Equal(t, gone.String(), peer.Object)
		require.NotEqual(t, err, error(peer), "it is the cause")
		check(t, next(soonish(t)))
	}
}
