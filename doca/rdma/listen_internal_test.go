package rdma

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A peer that dials, sends and leaves before anybody here has looked is not lost.
func TestAcceptOfShortConnection(t *testing.T) {
	ctx := context.Background()
	side := func() (*RDMA, *doca.Memory) {
		dev, err := doca.OpenDevice(doctest.DPU0)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, dev.Close()) })
		pe, err := doca.NewProgressEngine(doca.EngineConfig{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, pe.Close()) })
		r, err := New(dev, pe, Config{})
		require.NoError(t, err)
		mem, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}})
		require.NoError(t, err)
		return r, mem
	}
	server, to := side()
	client, from := side()
	inv, err := doca.NewInventory(1)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, inv.Close()) })
	buf, err := inv.Buffer(to, 0, 64)
	require.NoError(t, err)
	_, err = server.Post(buf)
	require.NoError(t, err)
	l, err := server.Listen(19999)
	require.NoError(t, err)

	left := make(chan error, 1)
	go func() {
		left <- func() error {
			conn, err := client.Dial(ctx, Addr{Type: AddrIPv4, Address: "127.0.0.1", Port: 19999})
			if err != nil {
				return err
			}
			if err := conn.Send(ctx, from, 0, copy(from.Bytes(), "hello")); err != nil {
				return err
			}
			return conn.Close()
		}()
	}()
	q, err := l.Request(ctx)
	require.NoError(t, err)
	conn, err := server.newConn(t.Context(), "accept") // the first half of q.Accept
	require.NoError(t, err)
	require.NoError(t, q.accept(conn.c, nil))
	require.NoError(t, <-left)
	server.c.link.LockAlways()
	server.c.link.Step() // all of it comes at once
	server.c.link.Unlock()
	require.NoError(t, conn.established(ctx, "accept")) // the second half
	require.NoError(t, l.Close())
	msg, err := server.Recv(ctx)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(msg.Data))
	assert.Same(t, conn, msg.Conn)
	_, err = server.Recv(ctx)
	assert.ErrorIs(t, err, ErrPeerGone)
	<-conn.Done()
	assert.ErrorIs(t, conn.Err(), ErrPeerGone)
	assert.Equal(t, ConnEnded, conn.State())
	assert.NoError(t, conn.Close())
}
