package rdma_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/stretchr/testify/require"
)

// While a call of DOCA takes long, its engine is not free. Who waits for it heeds its context.
func TestWaitForABusyEngineEnds(t *testing.T) {
	t.Parallel()
	a, b := newPair(t, rdma.Config{MaxConnections: 4})
	r, conn := a.rdma, a.conn
	addr := b.addr(t, port())
	listener := must(r.Listen(port()))(t)
	dialed := make(chan error)
	go func() {
		_, err := b.rdma.Dial(soonish(t), a.addr(t, listener.Port()))
		dialed <- err
	}()
	request := must(listener.Request(soonish(t)))(t)
	closing, _ := a.export(t)
	other := must(rdma.New(a.dev, a.pe, rdma.Config{}))(t)
	closingListener := must(other.Listen(port()))(t)
	closingContext := must(rdma.New(a.dev, a.pe, rdma.Config{}))(t)
	batch := must(conn.NewBatch(1))(t)
	require.NoError(t, batch.Write(a.peer, 0, a.mem, 0, 8))
	event := must(syncevent.New(b.dev, syncevent.Config{Publishers: syncevent.RemoteNet}))(t)
	remote := must(syncevent.ImportNet(a.dev, must(event.ExportNet())(t)))(t)
	buf := a.buffer(t, 64, 64)
	require.NoError(t, buf.SetData(0, 8))
	future := must(conn.WriteAsync(t.Context(), a.peer, 0, a.mem, 0, 8))(t)
	async := func(_ *rdma.Future, err error) error { return err }
	valued := func(_ uint64, err error) error { return err }
	calls := map[string]func(context.Context) error{
		"Dial":               func(ctx context.Context) error { _, err := r.Dial(ctx, addr); return err },
		"Recv":               func(ctx context.Context) error { _, err := r.Recv(ctx); return err },
		"RecvBatch":          func(ctx context.Context) error { _, err := r.RecvBatch(ctx, make([]rdma.Received, 2)); return err },
		"Listener.Request":   func(ctx context.Context) error { _, err := listener.Request(ctx); return err },
		"Listener.Accept":    func(ctx context.Context) error { _, err := listener.Accept(ctx); return err },
		"Request.Accept":     func(ctx context.Context) error { _, err := request.Accept(ctx, nil); return err },
		"Listener.Shutdown":  closingListener.Shutdown,
		"Conn.Shutdown":      closing.Shutdown,
		"Shutdown":           closingContext.Shutdown,
		"Start":              r.Start,
		"Stop":               r.Stop,
		"WaitIdle":           r.WaitIdle,
		"WaitRunning":        r.WaitRunning,
		"Handshake":          conn.Handshake,
		"Write":              func(ctx context.Context) error { return conn.Write(ctx, a.peer, 0, a.mem, 0, 8) },
		"WriteAsync":         func(ctx context.Context) error { return async(conn.WriteAsync(ctx, a.peer, 0, a.mem, 0, 8)) },
		"WriteImm":           func(ctx context.Context) error { return conn.WriteImm(ctx, 1, a.peer, 0, a.mem, 0, 8) },
		"WriteBuffer":        func(ctx context.Context) error { return conn.WriteBuffer(ctx, a.peer, 0, buf) },
		"Read":               func(ctx context.Context) error { return conn.Read(ctx, a.mem, 0, a.peer, 0, 8) },
		"ReadAsync":          func(ctx context.Context) error { return async(conn.ReadAsync(ctx, a.mem, 0, a.peer, 0, 8)) },
		"Send":               func(ctx context.Context) error { return conn.Send(ctx, a.mem, 0, 8) },
		"SendAsync":          func(ctx context.Context) error { return async(conn.SendAsync(ctx, a.mem, 0, 8)) },
		"SendImm":            func(ctx context.Context) error { return conn.SendImm(ctx, 1, a.mem, 0, 8) },
		"CompareAndSwap":     func(ctx context.Context) error { return valued(conn.CompareAndSwap(ctx, a.peer, 0, a.mem, 0, 0, 1)) },
		"FetchAdd":           func(ctx context.Context) error { return valued(conn.FetchAdd(ctx, a.peer, 0, a.mem, 0, 1)) },
		"EventGet":           func(ctx context.Context) error { return valued(conn.EventGet(ctx, remote, a.mem, 0)) },
		"EventSet":           func(ctx context.Context) error { return conn.EventSet(ctx, remote, a.mem, 0, 1) },
		"Batch.Run":          batch.Run,
		"Future.Wait":        future.Wait,
		"Future.Wait, again": future.Wait,
	}
	doctest.EndWhileBusy(t, calls, rdma.Hold(r))
	wantErr(t, <-dialed, rdma.ErrRejected)
	require.NoError(t, future.Wait(soonish(t)))
	require.Equal(t, doca.StateRunning, r.State())
	require.NoError(t, conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8))
	require.Eventually(t, func() bool { return closing.State() == rdma.ConnClosed }, 20*time.Second, time.Millisecond, "it accepts nothing more")
	for _, c := range []interface{ Close() error }{closing, closingListener, closingContext, remote, event} {
		require.NoError(t, c.Close())
	}
	_, err := r.Dial(soonish(t), addr)
	wantErr(t, err, rdma.ErrRejected)
}
