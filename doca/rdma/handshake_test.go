package rdma_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shake makes the handshake of both sides.
func shake(t testing.TB, a, b *side) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- a.conn.Handshake(soonish(t)) }()
	require.NoError(t, b.conn.Handshake(soonish(t)))
	require.NoError(t, <-done)
}

func TestHandshake(t *testing.T) {
	for _, c := range []struct {
		name   string
		before int // receives that are posted before
	}{{"without receives", 0}, {"with receives", 2}} {
		t.Run(c.name, func(t *testing.T) {
			a, b := newPair(t, rdma.Config{MaxReceives: 3})
			for i := range c.before {
				must(b.rdma.Post(b.buffer(t, 64*i, 64)))(t)
			}
			shake(t, a, b)
			for range 2 - c.before {
				must(b.rdma.Post(b.buffer(t, 512, 64)))(t)
			}
			for range 2 {
				require.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 8))
			}
			for range 2 {
				got := must(b.rdma.Recv(soonish(t)))(t)
				assert.NotNil(t, got.Buffer)
				assert.Len(t, got.Data, 8)
			}
			shake(t, a, b) // nothing is left of the first one that would not do
		})
	}
}

// A receive without a buffer, which is for an empty message, stays posted, too.
func TestHandshakeKeepsEmptyReceives(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	must(b.rdma.Post(nil))(t)
	for i := range uint32(3) {
		shake(t, a, b)
		require.NoError(t, a.conn.SendImm(soonish(t), i, nil, 0, 0))
		assert.Equal(t, i, must(b.rdma.Recv(soonish(t)))(t).Imm)
		must(b.rdma.Post(nil))(t)
	}
}

// A handshake waits for the peer.
func TestHandshakeWaits(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	wantErr(t, a.conn.Handshake(soon(t)), context.DeadlineExceeded)
	done := make(chan error, 1)
	go func() { done <- a.conn.Handshake(context.Background()) }()
	check(t, b.conn.Close())
	wantErr(t, <-done, rdma.ErrPeerGone)
}

// A process may be at Recv already when the handshake comes.
func TestHandshakeBesideRecv(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
	got := make(chan error, 1)
	go func() { got <- second(b.rdma.Recv(context.Background())) }()
	shake(t, a, b)
	require.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 8))
	assert.NoError(t, <-got)
}

// A receive that a handshake has used and that DOCA does not take again is not lost in silence: Recv returns its buffer with the
// error.
func TestHandshakeCannotPostAgain(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxReceives: 3})
	on := emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(b.rdma.Context))(t))}
	defer must(emulator.Faults{On: on, RefuseTasks: []emulator.TaskFault{{Kind: "receive", N: 2}}}.Add())(t)()
	buf := b.buffer(t, 0, 64)
	must(b.rdma.Post(buf))(t)
	shake(t, a, b)
	got, err := b.rdma.Recv(soonish(t))
	wantErr(t, err, doca.ErrAgain, "handshake", "post the buffer again")
	assert.Same(t, buf, got.Buffer)
	must(b.rdma.Post(buf))(t)
	require.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 8))
	assert.Len(t, must(b.rdma.Recv(soonish(t)))(t).Data, 8)
}

// The peer's part of a handshake may come in the same step of the engine as the connection, behind messages of another connection.
func TestHandshakeOfDialedConnections(t *testing.T) {
	const inFlight = 64
	hub, busy, other := newSide(t, rdma.Config{MaxConnections: 2, MaxReceives: 4 * inFlight}), newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
	connect(t, hub, busy)
	for range 4 * inFlight {
		must(hub.rdma.Post(hub.buffer(t, 0, 64)))(t)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	var received atomic.Int64
	go func() {
		for {
			got, err := hub.rdma.Recv(ctx)
			if ctx.Err() != nil {
				ended <- nil
				return
			}
			if err == nil {
				_, err = hub.rdma.Post(got.Buffer)
			}
			if received.Add(1); err != nil {
				ended <- err
				return
			}
		}
	}()
	go func() {
		for sent := int64(0); ctx.Err() == nil; sent++ {
			for sent-received.Load() > inFlight && ctx.Err() == nil {
				runtime.Gosched()
			}
			if _, err := busy.conn.SendAsync(context.Background(), busy.mem, 0, 8); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	l := must(other.rdma.Listen(port()))(t)
	for start := time.Now(); time.Since(start) < 2*time.Second && !t.Failed(); {
		accepted := make(chan *rdma.Conn)
		go func() {
			c, err := l.Accept(soonish(t))
			if assert.NoError(t, err) {
				assert.NoError(t, c.Handshake(soonish(t)))
			}
			accepted <- c
		}()
		c := must(hub.rdma.Dial(soonish(t), other.addr(t, l.Port())))(t)
		assert.NoError(t, c.Handshake(soonish(t)))
		check(t, (<-accepted).Close())
		<-c.Done()
		check(t, c.Close())
	}
	cancel()
	assert.NoError(t, <-ended)
	assert.NoError(t, <-ended)
}
