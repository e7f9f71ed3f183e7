package rdma_test

import (
	"context"
	"testing"
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
