package rdma_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Close tells the peer, whose calls then say that it is gone.
func TestConnClose(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	shake(t, a, b)
	done := b.conn.Done()
	check(t, a.conn.Close())
	check(t, a.conn.Close())
	assert.Equal(t, rdma.ConnClosed, a.conn.State())
	wantErr(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8), doca.ErrClosed)
	wantErr(t, a.conn.Err(), doca.ErrClosed)
	<-a.conn.Done()
	select {
	case <-done:
	case <-soonish(t).Done():
		require.Fail(t, "Done is not closed")
	}
	assert.Equal(t, rdma.ConnEnded, b.conn.State())
	for name, err := range map[string]error{
		"err": b.conn.Err(), "write": b.conn.Write(soonish(t), b.peer, 0, b.mem, 0, 8), "send": b.conn.Send(soonish(t), b.mem, 0, 8),
		"connect": b.conn.Connect([]byte("x")), "handshake": b.conn.Handshake(soonish(t)), "receive": second(b.rdma.Recv(soonish(t))),
	} {
		t.Run(name, func(t *testing.T) {
			wantErr(t, err, rdma.ErrPeerGone)
			assert.ErrorIs(t, err, doca.ErrNotConnected)
		})
	}
	assert.Equal(t, doca.StateRunning, b.rdma.State(), "the context still runs")
	check(t, b.conn.Close())
	connect(t, a, b)
	assert.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8), "and connects again")
}

func second[T any](_ T, err error) error { return err }

// A Close that waits for operations in flight does not keep what closes the connection as well, and ends what is in flight.
func TestConnCloseDuringClose(t *testing.T) {
	for name, closes := range map[string]func(*side) error{
		"context": func(s *side) error { return s.rdma.Close() },
		"device":  func(s *side) error { return s.dev.Close() },
		"engine":  func(s *side) error { return s.pe.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := newPair(t, rdma.Config{})
			f := must(a.conn.SendAsync(soonish(t), a.mem, 0, 8))(t) // the peer has no receive
			closed := make(chan error, 1)
			go func() { closed <- a.conn.Shutdown(doctest.Deadline(t, time.Minute)) }()
			for a.conn.State() != rdma.ConnClosed {
				time.Sleep(time.Millisecond)
			}
			began := time.Now()
			check(t, closes(a))
			assert.NoError(t, <-closed)
			assert.Less(t, time.Since(began), 20*time.Second)
			wantErr(t, f.Err(), doca.ErrClosed)
		})
	}
}

// Close waits for operations in flight.
func TestConnCloseWaits(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	f := must(a.conn.SendAsync(soonish(t), a.mem, 0, 8))(t)
	wantErr(t, a.conn.Shutdown(soon(t)), context.DeadlineExceeded, "1 operations")
	wantErr(t, a.conn.Send(soonish(t), a.mem, 0, 8), doca.ErrClosed)
	closed := make(chan error, 1)
	go func() { closed <- a.conn.Close() }()
	must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
	assert.NoError(t, <-closed)
	assert.NoError(t, f.Wait(soonish(t)))
	assert.NoError(t, second(b.rdma.Recv(soonish(t))))
}

// A stop of the context ends its connections and what is in flight.
func TestStop(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 1})
	f := must(a.conn.SendAsync(soonish(t), a.mem, 0, 8))(t)
	waits := make(chan error, 1)
	go func() { waits <- a.conn.Send(context.Background(), a.mem, 0, 8) }()
	wantErr(t, f.Wait(soon(t)), context.DeadlineExceeded)
	check(t, a.rdma.Stop(soonish(t)))
	wantErr(t, f.Wait(soonish(t)), doca.ErrBadState)
	wantErr(t, <-waits, doca.ErrBadState)
	assert.Equal(t, rdma.ConnEnded, a.conn.State())
	wantErr(t, a.conn.Err(), doca.ErrBadState)
	<-a.conn.Done()
	check(t, a.conn.Close())
	<-b.conn.Done()
	wantErr(t, b.conn.Err(), rdma.ErrPeerGone)
	check(t, b.conn.Close())
	check(t, a.rdma.Start(soonish(t)))
	connect(t, a, b)
	assert.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8))
}

// After a failed operation the context is idle; Start and a new connection make it work again.
func TestReconnectAfterError(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	for range 3 {
		must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
		posted := a.buffer(t, 0, 64)
		must(a.rdma.Post(posted))(t)
		small := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{b.dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMARead}))(t)
		fixed := must(doca.ImportMemory(a.dev, must(small.ExportRDMA(b.dev))(t)))(t)
		err := a.conn.Write(soonish(t), fixed, 0, a.mem, 0, 8)
		wantErr(t, err, doca.ErrIOFailed, "Start")
		require.Equal(t, doca.StateIdle, a.rdma.State(), "Write waits for it")
		stopped := func() {
			t.Helper()
			err := a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8)
			wantErr(t, err, doca.ErrIOFailed)
			require.ErrorAs(t, err, new(*doca.StateError))
		}
		stopped()
		wantErr(t, a.conn.Err(), doca.ErrIOFailed)
		_, err = a.rdma.Recv(soonish(t))
		wantErr(t, err, doca.ErrIOFailed)
		check(t, posted.SetData(0, 0)) // it came back
		check(t, a.rdma.Start(soonish(t)))
		stopped() // the connection has ended for good
		check(t, a.conn.Close())
		<-b.conn.Done()
		check(t, b.conn.Close())
		if b.rdma.State() != doca.StateRunning {
			check(t, b.rdma.WaitIdle(soonish(t)))
			check(t, b.rdma.Start(soonish(t)))
		}
		connect(t, a, b)
		require.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8))
		check(t, b.rdma.Stop(soonish(t)))
		check(t, b.conn.Close())
		check(t, b.rdma.Start(soonish(t)))
		check(t, a.conn.Close())
		connect(t, a, b)
	}
}

// Many connections, one after another, leave nothing behind.
func TestManyConnections(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	for range 100 {
		require.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8))
		check(t, a.conn.Close())
		check(t, b.conn.Close())
		connect(t, a, b)
	}
}

// The device closes all in any order.
func TestCloseAll(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
	f := must(a.conn.SendAsync(soonish(t), a.mem, 0, 8))(t)
	g := must(a.conn.SendAsync(soonish(t), a.mem, 0, 8))(t)
	check(t, f.Wait(soonish(t)))
	check(t, a.dev.Close())
	assert.Error(t, g.Wait(soonish(t)))
	wantErr(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8), doca.ErrClosed)
	check(t, b.rdma.Close())
	check(t, b.conn.Close())
}

func TestConnStateString(t *testing.T) {
	for state, want := range map[rdma.ConnState]string{rdma.ConnClosed: "closed", rdma.ConnExported: "exported",
		rdma.ConnConnecting: "connecting", rdma.ConnConnected: "connected", rdma.ConnEnded: "ended"} {
		assert.Equal(t, want, state.String())
	}
}

// A connection that is closed makes room for another one, however many messages nobody has seen yet. They are still received.
func TestConnCloseBehindManyMessages(t *testing.T) {
	const n = 900
	a, b := newPair(t, rdma.Config{MaxReceives: n, MaxTasks: n})
	inv := must(doca.NewInventory(n))(t)
	var bufs []*doca.Buffer
	for i := range n {
		bufs = append(bufs, must(inv.Buffer(a.mem, 8*i, 8))(t))
	}
	must(a.rdma.Post(bufs...))(t)
	batch := must(b.conn.NewBatch(n))(t)
	for range n {
		check(t, batch.Send(b.mem, 0, 8))
	}
	require.NoError(t, batch.Run(soonish(t)))
	before := a.conn
	check(t, before.Close())
	check(t, b.conn.Close())
	connect(t, a, b)
	for i := range n {
		got := must(a.rdma.Recv(soonish(t)))(t)
		assert.Same(t, bufs[i], got.Buffer)
		assert.Same(t, before, got.Conn)
	}
}
