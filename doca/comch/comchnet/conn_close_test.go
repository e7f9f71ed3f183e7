package comchnet_test

import (
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// both runs a test with the client in the first place, and with the server.
func both(t *testing.T, f func(t *testing.T, c1, c2 *comchnet.Conn)) {
	t.Parallel()
	t.Run("client", func(t *testing.T) {
		t.Parallel()
		client, server := pipe(t)
		limit(t, client, server)
		f(t, client, server)
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		client, server := pipe(t)
		limit(t, client, server)
		f(t, server, client)
	})
}

func TestCloseDelivers(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		data := random(200_000)
		_, err := c1.Write(data)
		require.NoError(t, err)
		require.NoError(t, c1.Close())
		got, err := io.ReadAll(c2)
		require.NoError(t, err)
		require.Equal(t, data, got)
		for err = nil; err == nil; {
			_, err = c2.Write(data)
		}
		want(t, err, comch.ErrPeerGone, doca.ErrConnectionReset)
		require.NotErrorIs(t, err, io.EOF, "what was written is not there")
	})
}

func TestCloseEndsCalls(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		var wg sync.WaitGroup
		for range 2 { // one of them waits for the other
			wg.Go(func() {
				_, err := c1.Read(make([]byte, 1))
				want(t, err, net.ErrClosed)
			})
			wg.Go(func() {
				_, err := c1.Write(make([]byte, 1<<20))
				want(t, err, net.ErrClosed)
			})
		}
		time.Sleep(soon)
		for range 3 {
			wg.Go(func() { assert.NoError(t, c1.Close()) })
		}
		wg.Wait()
		_, err := c1.Read(make([]byte, 1))
		want(t, err, net.ErrClosed)
		_, err = c1.Write([]byte("x"))
		want(t, err, net.ErrClosed)
		_, err = c1.Write(nil)
		want(t, err, net.ErrClosed)
		want(t, c1.CloseWrite(), net.ErrClosed)
		require.ErrorIs(t, c1.SetDeadline(time.Time{}), net.ErrClosed)
		want(t, c1.Err(), net.ErrClosed)
		require.NoError(t, c1.Close())
	})
}

// Closing an owner is as good as closing the stream.
func TestDeviceClose(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	client := l.dial(t)
	server, err := li.Accept()
	require.NoError(t, err)
	limit(t, client, server)
	accepted := make(chan error)
	go func() {
		_, err := li.Accept()
		accepted <- err
	}()
	require.NoError(t, l.close())
	want(t, <-accepted, net.ErrClosed)
	for _, c := range []net.Conn{client, server} {
		_, err := c.Read(make([]byte, 1))
		require.Error(t, err)
		_, err = c.Write(make([]byte, 10))
		require.Error(t, err)
		require.NoError(t, c.Close())
	}
	require.NoError(t, li.Close())
}

// A connection that ends without the words for it is not an end of the data.
func TestCutOff(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	raw := l.dialRaw(t)
	server, err := li.Accept()
	require.NoError(t, err)
	defer server.Close()
	limit(t, server)
	require.NoError(t, raw.Send(t.Context(), hello(1)))
	require.NoError(t, raw.Send(t.Context(), []byte("some data")))
	require.NoError(t, raw.Close())
	got, err := io.ReadAll(server)
	require.Equal(t, "some data", string(got))
	want(t, err, io.ErrUnexpectedEOF, comch.ErrPeerGone, doca.ErrConnectionReset)
	require.NotErrorIs(t, err, io.EOF)
	_, err = server.Write([]byte("x"))
	want(t, err, comch.ErrPeerGone, doca.ErrConnectionReset)
}

// A process that is killed has closed nothing, on either side: its peer never reads io.EOF.
func TestKilledPeer(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			cmd := selfexec.Command(t)
			cmd.Env = append(os.Environ(), "COMCHNET_TEST_PEER="+side+" "+l.name, "DOCA_PROVIDER=emulator")
			cmd.Stderr = os.Stderr
			var c net.Conn
			if side == "client" {
				li := l.listen(t)
				defer li.Close()
				require.NoError(t, cmd.Start())
				var err error
				c, err = li.Accept()
				require.NoError(t, err)
			} else {
				require.NoError(t, cmd.Start())
				c = l.dial(t)
			}
			defer c.Close()
			limit(t, c)
			_, err := io.ReadFull(c, make([]byte, 4))
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Kill())
			cmd.Wait()
			_, err = c.Read(make([]byte, 1))
			want(t, err, io.ErrUnexpectedEOF, comch.ErrPeerGone, doca.ErrConnectionReset)
			require.NotErrorIs(t, err, io.EOF)
			_, err = c.Write([]byte("x"))
			want(t, err, comch.ErrPeerGone)
			require.NotErrorIs(t, err, io.EOF)
		})
	}
}

func TestHalfClose(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	_, err := client.Write([]byte("question"))
	require.NoError(t, err)
	require.NoError(t, client.CloseWrite())
	require.NoError(t, client.CloseWrite(), "again")
	_, err = client.Write([]byte("more"))
	want(t, err, io.ErrClosedPipe)

	got, err := io.ReadAll(server)
	require.NoError(t, err)
	require.Equal(t, "question", string(got))
	_, err = server.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err, "as it is, for those who compare")

	_, err = server.Write([]byte("answer"))
	require.NoError(t, err)
	require.NoError(t, server.CloseWrite())
	got, err = io.ReadAll(client)
	require.NoError(t, err)
	require.Equal(t, "answer", string(got))
}

// A CloseWrite that its deadline has ended takes nothing from the stream: it can be called again.
func TestCloseWriteDeadline(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	raw := l.dialRaw(t)
	accepted, err := li.Accept()
	require.NoError(t, err)
	server := accepted.(*comchnet.Conn)
	defer server.Close()
	require.NoError(t, raw.Send(t.Context(), hello(1)))
	data := random(256 << 10) // more than DOCA keeps for a peer that receives nothing
	sent := 0
	for idle := 0; idle < 3 && sent < len(data); idle++ { // Writes of which no byte was sent have found no room, or no time
		require.NoError(t, server.SetWriteDeadline(time.Now().Add(20*soon)))
		n, err := server.Write(data[sent:])
		if sent += n; n > 0 {
			idle = 0
		}
		if err != nil {
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		}
	}
	require.NoError(t, server.SetWriteDeadline(time.Now().Add(soon)))
	want(t, server.CloseWrite(), os.ErrDeadlineExceeded)

	got := make(chan []byte)
	go func() {
		var data []byte
		for {
			msg, err := raw.Recv(t.Context())
			if !assert.NoError(t, err) || len(msg) == 1 && msg[0] == 3 { // END
				got <- data
				return
			}
			switch {
			case len(msg) > 6:
				data = append(data, msg...)
			case msg[0] == 0: // DATA
				data = append(data, msg[1:]...)
			}
		}
	}()
	require.NoError(t, server.SetWriteDeadline(time.Time{}))
	if sent < len(data) {
		_, err = server.Write(data[sent:])
		require.NoError(t, err)
	}
	require.NoError(t, server.CloseWrite())
	require.Equal(t, data, <-got)
	require.NoError(t, raw.Close())
}
