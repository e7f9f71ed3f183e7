package rdma_test

import (
	"context"
	"fmt"
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

// The receives of a context are for all its connections, and each message says which it came on.
func TestRecvOfSeveralConnections(t *testing.T) {
	hub := newSide(t, rdma.Config{MaxConnections: 3})
	sides := []*side{newSide(t, rdma.Config{}), newSide(t, rdma.Config{}), newSide(t, rdma.Config{})}
	var conns []*rdma.Conn
	for i, s := range sides {
		connect(t, s, hub)
		hub.conn.SetUserData(i)
		conns = append(conns, hub.conn)
	}
	for i := range 9 {
		must(hub.rdma.Post(hub.buffer(t, 64*i, 64)))(t)
	}
	for i := range 9 {
		s := sides[i%3]
		s.mem.Bytes()[0] = byte(i)
		require.NoError(t, s.conn.Send(soonish(t), s.mem, 0, 1))
	}
	counts := map[any]int{}
	for range 9 {
		got := must(hub.rdma.Recv(soonish(t)))(t)
		who := got.Conn.UserData().(int)
		assert.Same(t, conns[who], got.Conn)
		assert.Equal(t, who, int(got.Data[0])%3)
		assert.Equal(t, counts[who], int(got.Data[0])/3, "in order on each connection")
		counts[who]++
	}
	assert.Equal(t, map[any]int{0: 3, 1: 3, 2: 3}, counts)
}

func TestRecvBatch(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxReceives: 4})
	var bufs []*doca.Buffer
	for i := range 5 {
		bufs = append(bufs, b.buffer(t, 64*i, 64))
	}
	n, err := b.rdma.Post(bufs...)
	assert.Equal(t, 4, n)
	wantErr(t, err, doca.ErrFull, "MaxReceives")
	for range 4 {
		require.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 8))
	}
	var out [8]rdma.Received
	total := 0
	for total < 4 {
		total += must(b.rdma.RecvBatch(soonish(t), out[total:]))(t)
	}
	for i := range 4 {
		assert.Same(t, bufs[i], out[i].Buffer)
	}
	n, err = b.rdma.RecvBatch(soonish(t), nil)
	assert.Zero(t, n)
	assert.NoError(t, err)
}

func TestRecvWaits(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	_, err := b.rdma.Recv(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
	must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
	done := make(chan error, 1)
	go func() {
		_, err := b.rdma.Recv(context.Background())
		done <- err
	}()
	require.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 8))
	assert.NoError(t, <-done)
	go func() {
		_, err := b.rdma.Recv(context.Background())
		done <- err
	}()
	check(t, b.rdma.Stop(soonish(t)))
	wantErr(t, <-done, doca.ErrBadState)
}

// Each buffer is posted once, and comes back when the context stops.
func TestPost(t *testing.T) {
	_, b := newPair(t, rdma.Config{})
	one, two := b.buffer(t, 0, 64), b.buffer(t, 64, 64)
	must(b.rdma.Post(one))(t)
	_, err := b.rdma.Post(one)
	wantErr(t, err, doca.ErrInUse, "posted")
	n, err := b.rdma.Post(b.filled(t, 128, 8), two, two)
	assert.Equal(t, 2, n)
	wantErr(t, err, doca.ErrInUse)
	wantErr(t, two.SetData(0, 0), doca.ErrInUse)
	fixed := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{b.dev}, Access: doca.AccessLocalReadOnly}))(t)
	_, err = b.rdma.Post(must(b.inv.Buffer(fixed, 0, 64))(t))
	wantErr(t, err, doca.ErrNotPermitted)
	list, tail := b.buffer(t, 512, 8), b.buffer(t, 600, 8)
	check(t, list.Chain(tail))
	_, err = b.rdma.Post(list)
	wantErr(t, err, doca.ErrNotPermitted, "list")
	check(t, b.rdma.Stop(soonish(t)))
	_, err = b.rdma.Post(two)
	wantErr(t, err, doca.ErrBadState)
	check(t, two.SetData(0, 0))
	check(t, b.rdma.Start(soonish(t)))
	must(b.rdma.Post(one))(t)
}

// A message that is longer than its buffer fails on both sides.
func TestRecvTooShort(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	buf := b.buffer(t, 0, 8)
	must(b.rdma.Post(buf))(t)
	wantErr(t, a.conn.Send(soonish(t), a.mem, 0, 9), doca.ErrIOFailed, "Start")
	got, err := b.rdma.Recv(soonish(t))
	wantErr(t, err, doca.ErrIOFailed, "longer")
	assert.Same(t, buf, got.Buffer)
	_, err = b.rdma.Recv(soonish(t))
	wantErr(t, err, doca.ErrBadState)
}

// A program that drives its engines itself sends and receives without waiting.
func TestPolling(t *testing.T) {
	t.Parallel()
	const n = 8
	a, b := newPair(t, rdma.Config{})
	for i := range n {
		must(b.rdma.Post(b.buffer(t, 64*i, 64)))(t)
	}
	out := make([]rdma.Received, n)
	k, err := b.rdma.TryRecvBatch(out)
	assert.Zero(t, k)
	check(t, err)
	batch := must(a.conn.NewBatch(n))(t)
	assert.False(t, batch.Ended())
	round := func() {
		check(t, batch.Reset())
		for i := range n {
			check(t, batch.Send(a.mem, 64*i, 64))
		}
		check(t, batch.Submit(t.Context()))
		for got := 0; got < n || !batch.Ended(); {
			must(a.pe.Progress())(t)
			must(b.pe.Progress())(t)
			k, err := b.rdma.TryRecvBatch(out)
			check(t, err)
			for i := range k {
				_, err := b.rdma.Post(out[i].Buffer)
				check(t, err)
			}
			got += k
		}
	}
	a.fill(0, 64*n, 3)
	round()
	assert.Equal(t, a.mem.Bytes()[:64*n], b.mem.Bytes()[:64*n])
	check(t, batch.Err(n-1))
	round()
	check(t, a.conn.Close())
	for err == nil {
		require.NoError(t, t.Context().Err())
		_, e := b.pe.Progress()
		check(t, e)
		_, err = b.rdma.TryRecvBatch(out)
	}
	wantErr(t, err, rdma.ErrPeerGone)
}

// What has arrived comes before the end of ctx.
func TestRecvWithContextThatHasEnded(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	for i := range 3 {
		must(b.rdma.Post(b.buffer(t, 64*i, 64)))(t)
	}
	for i := range 3 {
		require.NoError(t, a.conn.SendImm(soonish(t), uint32(i), nil, 0, 0))
	}
	ended, limit := doneContext(), soonish(t)
	var out [1]rdma.Received
	for i := range 3 {
		n, err := b.rdma.RecvBatch(ended, out[:])
		for err == context.Canceled && limit.Err() == nil { // it is on its way
			n, err = b.rdma.RecvBatch(ended, out[:])
		}
		check(t, err)
		assert.Equal(t, 1, n)
		assert.Equal(t, uint32(i), out[0].Imm)
	}
	_, err := b.rdma.Recv(ended)
	wantErr(t, err, context.Canceled)
	assert.ErrorIs(t, a.conn.SendImm(ended, 9, nil, 0, 0), context.Canceled)
}

// Receives that were posted during a fault which delays tasks stay before those that were posted after it.
func TestReceivesStayInOrderAfterAFault(t *testing.T) {
	for name, fault := range map[string]emulator.Faults{
		"hold":  {HoldTasks: true},
		"delay": {Delay: 20 * time.Millisecond},
		"over":  {Delay: time.Nanosecond},
	} {
		for during := 1; during <= 4; during++ {
			t.Run(fmt.Sprintf("%s, %d", name, during), func(t *testing.T) {
				a, b := newPair(t, rdma.Config{})
				fault.On = emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(b.rdma.Context))(t))}
				end := must(fault.Add())(t)
				for range during {
					must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
				}
				end()
				must(b.rdma.Post(b.buffer(t, 64, 64), b.buffer(t, 128, 64)))(t)
				for i := range during + 2 {
					require.NoError(t, a.conn.SendImm(soonish(t), uint32(i), nil, 0, 0))
				}
				for i := range during + 2 {
					assert.Equal(t, uint32(i), must(b.rdma.Recv(soonish(t)))(t).Imm)
				}
			})
		}
	}
}

// So they do if a message for a later one comes before the engine reports them.
func TestOverdueReceivesComeFirst(t *testing.T) {
	for idle := range 4 { // steps of the engine, of which each begins with another kind of work
		a, b := newPair(t, rdma.Config{})
		end := must(emulator.Faults{Delay: time.Nanosecond, On: emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(b.rdma.Context))(t))}}.Add())(t)
		must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
		end()
		must(b.rdma.Post(b.buffer(t, 64, 64)))(t)
		for range idle {
			must(b.pe.Progress())(t)
		}
		for i := range 2 {
			require.NoError(t, a.conn.SendImm(soonish(t), uint32(i), nil, 0, 0))
			must(b.pe.Progress())(t)
		}
		for i := range 2 {
			assert.Equal(t, uint32(i), must(b.rdma.Recv(soonish(t)))(t).Imm, "after %d steps", idle)
		}
	}
}

// A message is from the connection on which it came, also if that was closed before somebody has taken the message, and DOCA has made
// another one in its place.
func TestRecvFromClosedConnection(t *testing.T) {
	for name, restart := range map[string]bool{"context runs": false, "context starts again": true} {
		t.Run(name, func(t *testing.T) {
			a, b := newPair(t, rdma.Config{})
			must(a.rdma.Post(a.buffer(t, 0, 64)))(t)
			require.NoError(t, b.conn.Send(soonish(t), b.mem, 0, 8))
			must(a.pe.Progress())(t)
			before := a.conn
			if restart {
				check(t, a.rdma.Stop(soonish(t)))
			}
			check(t, a.conn.Close())
			check(t, b.conn.Close())
			if restart {
				check(t, a.rdma.Start(soonish(t)))
			}
			connect(t, a, b)
			got := must(a.rdma.Recv(soonish(t)))(t)
			assert.Same(t, before, got.Conn)
		})
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A connection that is established when its Dial has given up is nobody's. The next one does not take over what has come on it, and nobody
// has read, although DOCA makes it in its place.
func TestRecvFromLateConnection(t *testing.T) {
	for range 20 {
		a, b := newSide(t, rdma.Config{MaxConnections: 1}), newSide(t, rdma.Config{})
		l := must(b.rdma.Listen(port()))(t)
		for range 2 {
			must(a.rdma.Post(a.buffer(t, 0, 64)))(t)
		}
		_, err := a.rdma.Dial(soon(t), b.addr(t, l.Port()))
		wantErr(t, err, context.DeadlineExceeded)
		late := must(l.Accept(soonish(t)))(t) // the device has confirmed it, and a's program does not know
		require.NoError(t, late.SendImm(soonish(t), 1, nil, 0, 0))
		for ended := late.Done(); !closed(ended); { // a's engine finds the connection, and that nobody wants it
			must(a.pe.Progress())(t)
		}
		check(t, late.Close())
		accepted := make(chan *rdma.Conn, 1)
		go func() { accepted <- must(l.Accept(soonish(t)))(t) }()
		a.conn = must(a.rdma.Dial(soonish(t), b.addr(t, l.Port())))(t)
		b.conn = <-accepted
		require.NoError(t, b.conn.SendImm(soonish(t), 2, nil, 0, 0))
		first := must(a.rdma.Recv(soonish(t)))(t)
		assert.Equal(t, uint32(1), first.Imm)
		assert.Nil(t, first.Conn)
		second := must(a.rdma.Recv(soonish(t)))(t)
		assert.Equal(t, uint32(2), second.Imm)
		assert.Same(t, a.conn, second.Conn)
		check(t, l.Close())
	}
}
