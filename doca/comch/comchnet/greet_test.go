package comchnet_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A listener whose only send task is busy, because one client does not read, accepts others all the same, and greets them when the task
// is free again.
func TestGreetLater(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	cfg := comch.Config{MaxSendTasks: 1}
	li, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, cfg)
	require.NoError(t, err)
	slow, err := comch.Dial(t.Context(), l.host, l.name, comch.Config{RecvQueueSize: 1, Backlog: 1})
	require.NoError(t, err)
	require.NoError(t, slow.Send(t.Context(), []byte{1, 1, 0x40, 0, 0, 0})) // HELLO, with a large window
	busy, err := li.Accept()
	require.NoError(t, err)
	limit(t, busy)
	written := make(chan error)
	go func() {
		_, err := busy.Write(make([]byte, 1<<20)) // more than the client and the socket take
		written <- err
	}()
	time.Sleep(soon)

	var clients, servers []*comchnet.Conn
	for range 3 {
		clients = append(clients, l.dial(t))
		c, err := li.Accept()
		require.NoError(t, err)
		servers = append(servers, c.(*comchnet.Conn))
		limit(t, clients[len(clients)-1], c)
	}
	require.NoError(t, slow.Close())
	assert.ErrorIs(t, <-written, comch.ErrPeerGone)
	for i, c := range clients {
		_, err := c.Write([]byte("hello"))
		require.NoError(t, err)
		p := make([]byte, 5)
		_, err = io.ReadFull(servers[i], p)
		require.NoError(t, err)
		assert.Equal(t, "hello", string(p))
	}
	for i := range clients {
		require.NoError(t, clients[i].Close())
		require.NoError(t, servers[i].Close())
	}
	require.NoError(t, busy.Close())
	require.NoError(t, li.Close())
}

// HELLO is sent, and the peer's received, although the program neither reads nor writes at first.
func TestGreetIdle(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	for _, c := range []*comchnet.Conn{client, server} {
		assert.Eventually(t, c.Greeted, 20*time.Second, time.Millisecond)
	}
	for c, other := range map[*comchnet.Conn]*comchnet.Conn{client: server, server: client} {
		_, err := c.Write([]byte("x"))
		require.NoError(t, err)
		_, err = io.ReadFull(other, make([]byte, 1))
		require.NoError(t, err)
	}
}

// While HELLO waits for a task, so do writes, and their deadline holds.
func TestGreetLaterDeadline(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{MaxSendTasks: 1})
	require.NoError(t, err)
	defer srv.Close()
	accept := func() *comch.Conn {
		c, err := srv.Accept(t.Context())
		require.NoError(t, err)
		return c
	}
	type dialed struct {
		c   *comch.Conn
		err error
	}
	dial := func(cfg comch.Config) (client, server *comch.Conn) {
		done := make(chan dialed)
		go func() {
			c, err := comch.Dial(t.Context(), l.host, l.name, cfg)
			done <- dialed{c, err}
		}()
		server = accept()
		d := <-done
		require.NoError(t, d.err)
		return d.c, server
	}
	slow, busy := dial(comch.Config{RecvQueueSize: 1, Backlog: 1})
	for err == nil { // until the task is busy
		err = busy.Send(doctest.Soon(t, soon), []byte("to a client that does not read"))
	}
	require.ErrorIs(t, err, context.DeadlineExceeded)
	client, raw := dial(comch.Config{})
	server, err := comchnet.NewConn(raw)
	require.NoError(t, err)
	for name, call := range map[string]func() error{
		"Write":      func() error { _, err := server.Write([]byte("x")); return err },
		"ReadFrom":   func() error { _, err := server.ReadFrom(strings.NewReader("x")); return err },
		"CloseWrite": server.CloseWrite,
	} {
		require.NoError(t, server.SetWriteDeadline(time.Now().Add(soon)))
		done := make(chan error, 1)
		go func() { done <- call() }()
		select {
		case err := <-done:
			want(t, err, os.ErrDeadlineExceeded)
		case <-time.After(20 * time.Second):
			require.Fail(t, "the deadline does not hold", name)
		}
	}
	require.NoError(t, server.SetWriteDeadline(time.Time{}))
	require.NoError(t, slow.Close())
	go client.Send(t.Context(), hello(1))
	_, err = server.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, server.Close())
	require.NoError(t, client.Close())
	require.NoError(t, busy.Close())
}
