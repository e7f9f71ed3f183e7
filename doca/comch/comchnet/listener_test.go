package comchnet_test

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/require"
)

// Streams outlive the listener, and the server goes with the last of them.
func TestListenerClose(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	client := l.dial(t)
	server, err := li.Accept()
	require.NoError(t, err)
	unaccepted := l.dial(t)
	limit(t, client, server, unaccepted)
	_, err = unaccepted.Write([]byte("x")) // so it has arrived
	require.NoError(t, err)

	var wg sync.WaitGroup
	for range 2 {
		require.NoError(t, li.Close())
		wg.Go(func() {
			_, err := li.Accept()
			want(t, err, net.ErrClosed)
		})
	}
	wg.Wait()
	_, err = unaccepted.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	require.NoError(t, unaccepted.Close())

	_, err = client.Write([]byte("still here"))
	require.NoError(t, err)
	_, err = io.ReadFull(server, make([]byte, 10))
	require.NoError(t, err)
	if late, err := comchnet.Dial(t.Context(), l.host, l.name, comch.Config{}); err == nil { // it is turned away at once or soon
		limit(t, late)
		_, err = late.Read(make([]byte, 1))
		require.Error(t, err)
		_ = late.Close()
	} else {
		want(t, err, doca.ErrNotConnected)
	}
	require.Equal(t, doca.StateRunning, li.Server().State())
	require.NoError(t, client.Close())
	require.NoError(t, server.Close())
	require.Equal(t, doca.StateClosed, li.Server().State())

	again := l.listen(t)
	require.Equal(t, comchnet.Addr{Name: l.name, PCIAddr: "0000:03:00.0"}, again.Addr())
	require.NoError(t, again.Close())
}

func TestAcceptEnds(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	ended := make(chan error)
	go func() {
		_, err := li.Accept()
		ended <- err
	}()
	time.Sleep(soon)
	require.NoError(t, li.Close())
	want(t, <-ended, net.ErrClosed)
}

func TestNoSuchThing(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	_, err := comchnet.Listen(t.Context(), l.host, l.rep, l.name, comch.Config{})
	want(t, err, doca.ErrNotSupported)
	_, err = comchnet.Dial(t.Context(), l.dpu, l.name, comch.Config{})
	want(t, err, doca.ErrNotSupported)
	li := l.listen(t)
	defer li.Close()
	_, err = comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	want(t, err, doca.ErrAlreadyExist)
	_, err = comchnet.Dial(t.Context(), l.host, l.name, comch.Config{MaxMessageSize: 100})
	want(t, err, doca.ErrTooBig)
}

// Clients that come all at once wait until they are accepted.
func TestBurst(t *testing.T) {
	t.Parallel()
	const n = 200
	l := newLink(t)
	li := l.listen(t)
	clients := make([]*comchnet.Conn, n)
	for i := range clients {
		clients[i] = l.dial(t)
		limit(t, clients[i])
		_, err := clients[i].Write([]byte("x")) // the server's side exists
		require.NoError(t, err)
	}
	for range clients {
		c, err := li.Accept()
		require.NoError(t, err)
		limit(t, c)
		_, err = io.ReadFull(c, make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
	for _, c := range clients {
		_, err := c.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		require.NoError(t, c.Close())
	}
	require.NoError(t, li.Close())
}

// Clients beyond MaxClients are told so, and there is room again when one has left.
func TestMaxClients(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li, err := comchnet.ListenConfig{MaxClients: 2}.Listen(t.Context(), l.dpu, l.rep, l.name)
	require.NoError(t, err)
	defer li.Close()
	first, waiting := l.dial(t), l.dial(t)
	defer waiting.Close()
	server, err := li.Accept()
	require.NoError(t, err)
	refused := func() {
		t.Helper()
		late := l.dial(t)
		defer late.Close()
		limit(t, late)
		_, err := late.Read(make([]byte, 1))
		want(t, err, doca.ErrFull, comch.ErrPeerGone)
		require.ErrorContains(t, err, "as many clients as it accepts")
		_, err = late.Write([]byte("x"))
		want(t, err, doca.ErrFull, comch.ErrPeerGone)
	}
	refused() // although one is not accepted yet
	_, err = li.Accept()
	require.NoError(t, err)
	refused()
	require.NoError(t, first.Close())
	require.NoError(t, server.Close())
	next := l.dial(t)
	defer next.Close()
	server, err = li.Accept()
	require.NoError(t, err)
	limit(t, next, server)
	_, err = next.Write([]byte("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(server, make([]byte, 1))
	require.NoError(t, err)

	_, err = comchnet.ListenConfig{MaxClients: -1}.Listen(t.Context(), l.dpu, l.rep, l.name+"-2")
	want(t, err, doca.ErrInvalidValue)
}
