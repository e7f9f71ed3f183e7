package rdma_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// networked is the configuration of an event that peers change.
var networked = syncevent.Config{Publishers: syncevent.CPU | syncevent.RemoteNet}

// remoteEvent makes an event of b, and the remote one of it for a.
func remoteEvent(t testing.TB, a, b *side) (*syncevent.Event, *syncevent.Remote) {
	t.Helper()
	ev := must(syncevent.New(b.dev, networked))(t)
	return ev, must(syncevent.ImportNet(a.dev, must(ev.ExportNet())(t)))(t)
}

func TestEvent(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	ev, remote := remoteEvent(t, a, b)
	ctx := soonish(t)
	assert.Equal(t, uint64(0), must(a.conn.EventGet(ctx, remote, a.mem, 8))(t))
	require.NoError(t, a.conn.EventSet(ctx, remote, a.mem, 16, 1<<63+5))
	assert.Equal(t, uint64(1<<63+5), must(ev.Get(ctx))(t))
	assert.Equal(t, uint64(1<<63+5), a.word(16), "DOCA takes it from there")
	assert.Equal(t, uint64(1<<63+5), must(a.conn.EventAdd(ctx, remote, a.mem, 24, 1<<63))(t), "the value before")
	assert.Equal(t, uint64(5), must(ev.Get(ctx))(t), "the sum wraps around")
	require.NoError(t, ev.Set(ctx, 77))
	assert.Equal(t, uint64(77), must(a.conn.EventGet(ctx, remote, a.mem, 8))(t))

	t.Run("futures", func(t *testing.T) {
		f := must(a.conn.EventSetAsync(ctx, remote, a.mem, 0, 8))(t)
		require.NoError(t, f.Wait(ctx))
		assert.Zero(t, f.Value(), "a set has none")
		f = must(a.conn.EventAddAsync(ctx, remote, a.mem, 8, 3))(t)
		g := must(a.conn.EventGetAsync(ctx, remote, a.mem, 16))(t)
		require.NoError(t, f.Wait(ctx))
		assert.Equal(t, uint64(8), f.Value())
		require.NoError(t, g.Wait(ctx))
		assert.Contains(t, []uint64{8, 11}, g.Value(), "different kinds, in any order")
	})
	t.Run("a wait of the peer", func(t *testing.T) {
		require.NoError(t, ev.Set(ctx, 0))
		want := a.fill(4096, 4096, 9)
		seen := make(chan error, 1)
		go func() {
			_, err := ev.WaitGreater(ctx, 0, syncevent.AllBits)
			seen <- err
		}()
		require.NoError(t, a.conn.Write(ctx, a.peer, 0, a.mem, 4096, 4096))
		require.NoError(t, a.conn.EventSet(ctx, remote, a.mem, 0, 1))
		require.NoError(t, <-seen)
		assert.Equal(t, want, b.mem.Bytes()[:4096])
	})
	t.Run("many goroutines", func(t *testing.T) {
		require.NoError(t, ev.Set(ctx, 0))
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for range 50 {
					_, err := a.conn.EventAdd(ctx, remote, a.mem, 8*g, 3)
					assert.NoError(t, err)
				}
			})
		}
		all.Wait()
		assert.Equal(t, uint64(8*50*3), must(ev.Get(ctx))(t))
	})
}

func TestEventBatch(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 4})
	ev, remote := remoteEvent(t, a, b)
	ctx := soonish(t)
	batch := must(a.conn.NewBatch(10))(t)
	for i := range 10 {
		require.NoError(t, batch.EventAdd(remote, a.mem, 8*i, 2))
	}
	wantErr(t, batch.EventAdd(remote, a.mem, 0, 2), doca.ErrFull)
	require.NoError(t, batch.Run(ctx))
	for i := range 10 {
		assert.Equal(t, uint64(2*i), a.word(8*i))
	}
	require.NoError(t, batch.Run(ctx), "again, as it is")
	assert.Equal(t, uint64(40), must(ev.Get(ctx))(t))

	require.NoError(t, batch.Reset())
	for i := range 10 {
		require.NoError(t, batch.EventSet(remote, a.mem, 8*i, uint64(100+i)))
	}
	assert.Equal(t, uint64(20), a.word(0), "nothing is written before it runs")
	wantErr(t, batch.EventGet(remote, a.mem, 0), doca.ErrFull)
	require.NoError(t, batch.Run(ctx))
	assert.Equal(t, uint64(109), must(ev.Get(ctx))(t))
	assert.Equal(t, uint64(103), a.word(24))

	require.NoError(t, batch.Reset())
	require.NoError(t, batch.EventGet(remote, a.mem, 512))
	wantErr(t, batch.EventAdd(remote, a.mem, 0, 1), doca.ErrInvalidValue, "one kind")
	require.NoError(t, batch.EventGet(remote, a.mem, 520))
	require.NoError(t, batch.Run(ctx))
	assert.Equal(t, uint64(109), a.word(520))
	require.NoError(t, remote.Shutdown(ctx), "a batch that does not run does not hold it")
	wantErr(t, batch.Run(ctx), doca.ErrClosed, "operation 0 of the batch")
}

func TestEventAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	a, b := newPair(t, rdma.Config{})
	_, remote := remoteEvent(t, a, b)
	ctx := context.Background() // a wait that sleeps allocates for a ctx that can end
	batch := must(a.conn.NewBatch(64))(t)
	k := 0
	for name, add := range map[string]func() error{
		"get": func() error { return batch.EventGet(remote, a.mem, k%1000*8) },
		"set": func() error { return batch.EventSet(remote, a.mem, k%1000*8, uint64(k)) },
		"add": func() error { return batch.EventAdd(remote, a.mem, k%1000*8, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			run := func() {
				check(t, batch.Reset())
				for range 64 {
					k++
					check(t, add())
				}
				check(t, batch.Run(ctx))
			}
			run()
			assert.Zero(t, testing.AllocsPerRun(50, run))
		})
	}
	one := func() { check(t, a.conn.EventSet(ctx, remote, a.mem, 0, 1)) }
	one()
	assert.Zero(t, testing.AllocsPerRun(50, one), "a blocking set")
}

func TestEventRefused(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	ev, remote := remoteEvent(t, a, b)
	ctx := soonish(t)
	get := func(ev *syncevent.Remote, mem *doca.Memory, off int) error {
		return second(a.conn.EventGet(ctx, ev, mem, off))
	}
	wantErr(t, get(nil, a.mem, 0), doca.ErrInvalidValue, "ImportNet")
	wantErr(t, get(new(syncevent.Remote), a.mem, 0), doca.ErrInvalidValue, "ImportNet")
	wantErr(t, get(remote, nil, 0), doca.ErrInvalidValue)
	wantErr(t, get(remote, a.mem, memSize-7), doca.ErrInvalidValue)
	wantErr(t, get(remote, a.mem, -8), doca.ErrInvalidValue)
	wantErr(t, get(remote, a.peer, 0), doca.ErrInvalidValue, "memory of this process")
	wantErr(t, a.conn.EventSet(ctx, remote, a.peer, 0, 1), doca.ErrInvalidValue, "memory of this process")
	wantErr(t, second(a.conn.EventAddAsync(ctx, nil, a.mem, 0, 1)), doca.ErrInvalidValue)
	var none context.Context
	wantErr(t, second(a.conn.EventAdd(none, remote, a.mem, 0, 1)), doca.ErrInvalidValue)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	wantErr(t, a.conn.EventSet(ended, remote, a.mem, 0, 1), context.Canceled)
	assert.Zero(t, a.word(0), "nothing has begun")

	readOnly := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{a.dev}, Access: doca.AccessLocalReadOnly}))(t)
	wantErr(t, get(remote, readOnly, 0), doca.ErrNotPermitted)
	require.NoError(t, a.conn.EventSet(ctx, remote, readOnly, 0, 4), "the device only reads it")
	assert.Equal(t, uint64(4), must(ev.Get(ctx))(t))

	unconnected := newSide(t, rdma.Config{})
	conn, _ := unconnected.export(t)
	other := must(syncevent.ImportNet(unconnected.dev, must(ev.ExportNet())(t)))(t)
	wantErr(t, second(conn.EventGet(ctx, other, unconnected.mem, 0)), doca.ErrBadState, "Connect")

	private := must(syncevent.New(b.dev, syncevent.Config{}))(t)
	_, err := private.ExportNet()
	assert.Error(t, err, "peers may not change it")

	require.NoError(t, remote.Close())
	wantErr(t, get(remote, a.mem, 0), doca.ErrClosed)
	require.NoError(t, a.conn.Close())
	wantErr(t, get(remote, a.mem, 0), doca.ErrClosed)
}

// An event that its exporter has closed fails the operation, and with it the context, which connects again.
func TestEventEnded(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	ev, remote := remoteEvent(t, a, b)
	ctx := soonish(t)
	require.NoError(t, ev.Close())
	wantErr(t, a.conn.EventSet(ctx, remote, a.mem, 0, 1), doca.ErrIOFailed, "Start")
	wantErr(t, second(a.conn.EventGet(ctx, remote, a.mem, 0)), doca.ErrIOFailed)
	require.NoError(t, remote.Shutdown(ctx))
	require.NoError(t, a.conn.Close())
	require.NoError(t, a.rdma.Start(ctx))
	<-b.conn.Done()
	require.NoError(t, b.conn.Close())
	connect(t, a, b)
	ev, remote = remoteEvent(t, a, b)
	require.NoError(t, a.conn.EventSet(ctx, remote, a.mem, 0, 2))
	assert.Equal(t, uint64(2), must(ev.Get(ctx))(t))
}

// unanswered starts an addition that does not end, because the peer has not connected.
func unanswered(t *testing.T) (*side, *syncevent.Remote, *rdma.Future) {
	a, b := newSide(t, rdma.Config{}), newSide(t, rdma.Config{})
	var details []byte
	a.conn, _ = a.export(t)
	b.conn, details = b.export(t)
	require.NoError(t, a.conn.Connect(details))
	_, remote := remoteEvent(t, a, b)
	f := must(a.conn.EventAddAsync(soonish(t), remote, a.mem, 0, 1))(t)
	wantErr(t, f.Wait(soon(t)), context.DeadlineExceeded)
	return a, remote, f
}

// Close of an event waits for the operations that use it, no longer than its ctx, and nothing new begins.
func TestEventCloseWaits(t *testing.T) {
	a, remote, f := unanswered(t)
	wantErr(t, remote.Shutdown(soon(t)), context.DeadlineExceeded, "still uses it")
	wantErr(t, second(a.conn.EventAddAsync(soonish(t), remote, a.mem, 0, 1)), doca.ErrClosed)
	closed := make(chan error, 1)
	go func() { closed <- remote.Close() }()
	wantErr(t, f.Wait(soon(t)), context.DeadlineExceeded) // the engine is not blocked
	require.NoError(t, a.rdma.Stop(soonish(t)))
	require.NoError(t, <-closed)
	assert.Error(t, f.Wait(soonish(t)))
}

// The device closes the context first, whose tasks use the event.
func TestEventDeviceCloses(t *testing.T) {
	a, remote, f := unanswered(t)
	require.NoError(t, a.dev.Shutdown(soonish(t)))
	assert.Error(t, f.Wait(soonish(t)))
	require.NoError(t, remote.Close())
}

// Between two processes, with a peer that waits, is stopped, or is killed.
func TestEventProcess(t *testing.T) {
	s, p := withProcess(t, "events")
	ctx := soonish(t)
	require.NoError(t, s.conn.Handshake(ctx))
	buf := s.buffer(t, 4096, 4096)
	must(s.rdma.Post(buf))(t)
	require.NoError(t, s.conn.SendImm(ctx, 1, nil, 0, 0))
	msg := must(s.rdma.Recv(ctx))(t)
	remote := must(syncevent.ImportNet(s.dev, msg.Data))(t)
	for i := range uint64(300) {
		must(s.rdma.Post(buf))(t)
		if i%2 == 0 {
			require.NoError(t, s.conn.EventSet(ctx, remote, s.mem, 0, i+1))
		} else {
			require.Equal(t, i, must(s.conn.EventAdd(ctx, remote, s.mem, 0, 1))(t))
		}
		require.Equal(t, uint32(i+1), must(s.rdma.Recv(ctx))(t).Imm, "the peer has seen it")
		require.Equal(t, i+1, must(s.conn.EventGet(ctx, remote, s.mem, 0))(t))
	}
	batch := must(s.conn.NewBatch(16))(t)
	for i := range 16 {
		check(t, batch.EventAdd(remote, s.mem, 8*i, 1))
	}
	time.AfterFunc(10*time.Millisecond, func() { p.Process.Kill() })
	for {
		if err := batch.Run(ctx); err != nil {
			wantErr(t, err, rdma.ErrPeerGone)
			break
		}
	}
	require.NoError(t, remote.Shutdown(ctx))
	require.NoError(t, s.conn.Close())
}

// serveEvents sends the descriptor of an event, and tells the peer each value that it sees.
func serveEvents(r *role) error {
	ctx := context.Background()
	ev, err := syncevent.New(r.dev, networked)
	if err != nil {
		return err
	}
	desc, err := ev.ExportNet()
	if err != nil {
		return err
	}
	if _, err := r.rdma.Post(nil); err != nil {
		return err
	}
	if err := r.conn.Handshake(ctx); err != nil {
		return err
	}
	if _, err := r.rdma.Recv(ctx); err != nil {
		return err
	}
	if err := r.conn.Send(ctx, r.mem, 0, copy(r.mem.Bytes(), desc)); err != nil {
		return err
	}
	for seen := uint64(0); ; {
		if seen, err = ev.WaitGreater(ctx, seen, syncevent.AllBits); err != nil {
			return err
		}
		if err := r.conn.SendImm(ctx, uint32(seen), nil, 0, 0); err != nil {
			return err
		}
	}
}
