package comchnet_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plain checks that the text of an error says what has happened to the connection, and not to what is beneath it.
func plain(t testing.TB, err error) {
	t.Helper()
	assert.LessOrEqual(t, strings.Count(err.Error(), "DOCA_ERROR"), 1, "%v", err)
	for _, word := range []string{"producer", "consumer", "buffer", "doca:", "Farewell"} {
		assert.NotContains(t, err.Error(), word)
	}
}

// wantEnd checks what a call returns after the peer has ended the connection.
func wantEnd(t testing.TB, err error, end comch.End) {
	t.Helper()
	want(t, err, comch.ErrPeerGone, doca.ErrConnectionReset)
	plain(t, err)
	var peer *comch.PeerError
	require.ErrorAs(t, err, &peer)
	require.Equal(t, end, peer.End, "%v", err)
	require.Equal(t, end == comch.EndBroken, errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
	require.NotErrorIs(t, err, io.EOF)
}

// However the peer's process ends a connection, and whatever this side is doing: all calls know how it has ended.
func TestEnd(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		for _, c := range []struct {
			how []string
			eof bool      // Read returns io.EOF
			end comch.End // what Write says, and Read if it does not return io.EOF
		}{
			{[]string{"kill"}, false, comch.EndBroken},
			{[]string{"exit"}, false, comch.EndBroken},
			{[]string{"Close"}, true, comch.EndOrderly},
			{[]string{"CloseWrite", "kill"}, true, comch.EndBroken},
			{[]string{"CloseWrite", "Close"}, true, comch.EndOrderly},
			{[]string{"close beneath"}, false, comch.EndBroken},
			{[]string{"CloseWrite", "close beneath"}, true, comch.EndBroken},
		} {
			for _, during := range []string{"Read", "Write", "bulk Write", "nothing"} {
				t.Run(fmt.Sprintf("%s/%s/%s", side, strings.Join(c.how, ","), during), func(t *testing.T) {
					t.Parallel()
					conn, do := commanded(t, side)
					ended := make(chan error, 1)
					p := make([]byte, 100_000)
					if during == "Write" {
						p = p[:5000] // too little for buffers
					}
					write := func() (err error) {
						for err == nil {
							_, err = conn.Write(p)
						}
						return err
					}
					read := func() error {
						_, err := conn.Read(p)
						return err
					}
					switch during {
					case "Read":
						go func() { ended <- read() }()
					case "Write", "bulk Write":
						go func() { ended <- write() }()
					}
					time.Sleep(soon)
					require.NoError(t, conn.Err())
					for _, how := range c.how {
						do(how)
					}
					check := func(t *testing.T, reads bool, err error) {
						t.Helper()
						if reads && c.eof {
							require.Equal(t, io.EOF, err)
						} else {
							wantEnd(t, err, c.end)
						}
					}
					if during != "nothing" {
						check(t, during == "Read", <-ended)
					}
					require.Eventually(t, func() bool { return conn.Err() != nil }, 20*time.Second, time.Millisecond)
					p = p[:100]
					check(t, false, conn.Err())
					check(t, false, write())
					check(t, true, read())
					check(t, false, conn.CloseWrite())
					_, err := conn.Write(nil)
					check(t, false, err)
					require.NoError(t, conn.Close())
					check(t, false, conn.Err())
				})
			}
		}
	}
}

// commanded starts a peer in a process of its own, and returns this side of the stream and a function that makes the peer
// do something.
func commanded(t *testing.T, side string) (c *comchnet.Conn, do func(what string)) {
	t.Helper()
	cmd := selfexec.Command(t)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	conn, kill := startProcess(t, cmd, side+"-end")
	_, err = io.ReadFull(conn, make([]byte, 4))
	require.NoError(t, err)
	answers := bufio.NewScanner(out)
	return conn.(*comchnet.Conn), func(what string) {
		if what == "kill" {
			kill()
			return
		}
		_, err := fmt.Fprintln(in, what)
		require.NoError(t, err)
		if what != "exit" {
			require.True(t, answers.Scan())
			require.Equal(t, "<nil>", answers.Text())
		}
	}
}

// What goes wrong beneath a stream is told in terms of the stream.
func TestFailureBeneath(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(t *testing.T, l *link, conn net.Conn)
		write error
		read  error
	}{
		"the connection is closed": {func(t *testing.T, _ *link, conn net.Conn) {
			require.NoError(t, conn.(*comchnet.Conn).Raw().Close())
		}, net.ErrClosed, net.ErrClosed},
		"the device is closed": {func(t *testing.T, l *link, _ net.Conn) { require.NoError(t, l.host.Close()) }, net.ErrClosed, net.ErrClosed},
		"buffers fail": {func(t *testing.T, _ *link, conn net.Conn) {
			loseSend(t, conn.(*comchnet.Conn))
		}, doca.ErrIOFailed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			li := l.listen(t)
			client := l.dial(t)
			server, err := li.Accept()
			require.NoError(t, err)
			t.Cleanup(func() { client.Close(); server.Close(); li.Close() })
			limit(t, client, server)
			go io.Copy(io.Discard, server)
			big := make([]byte, 100_000)
			for range 8 {
				_, err := client.Write(big)
				require.NoError(t, err)
			}
			ended := make(chan error)
			go func() {
				var err error
				for err == nil {
					_, err = client.Write(big)
				}
				ended <- err
			}()
			time.Sleep(soon)
			c.do(t, l, client)
			err = <-ended
			want(t, err, c.write)
			plain(t, err)
			_, err = client.Write(big)
			want(t, err, c.write)
			plain(t, err)
			if c.read != nil {
				_, err = client.Read(big)
				want(t, err, c.read)
				plain(t, err)
			}
		})
	}
}

// A server that is closed beneath its listener is closed for the listener.
func TestServerClosedBeneath(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	require.NoError(t, li.Server().Close())
	_, err := li.Accept()
	want(t, err, net.ErrClosed, doca.ErrClosed)
	plain(t, err)
	require.ErrorContains(t, err, "the program has closed the Comch server or the device beneath it")
	require.NoError(t, li.Close())
}

// Farewells and names of package comch make no difference to a stream, whichever side has them.
func TestComchConfig(t *testing.T) {
	t.Parallel()
	with := comch.Config{Farewell: true, Names: true}
	for name, cfg := range map[string][2]comch.Config{"both": {with, with}, "client": {with, {}}, "server": {{}, with}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, first := range []string{"client", "server"} {
				l := newLink(t)
				li, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, cfg[1])
				require.NoError(t, err)
				defer li.Close()
				client, err := comchnet.Dial(t.Context(), l.host, l.name, cfg[0])
				require.NoError(t, err)
				server, err := li.Accept()
				require.NoError(t, err)
				c1, c2 := net.Conn(client), server
				if first == "server" {
					c1, c2 = c2, c1
				}
				limit(t, c1, c2)
				_, err = c1.Write([]byte("before the end"))
				require.NoError(t, err)
				require.NoError(t, c1.Close())
				got, err := io.ReadAll(c2)
				require.NoError(t, err)
				require.Equal(t, "before the end", string(got))
				for err = nil; err == nil; {
					_, err = c2.Write([]byte("x"))
				}
				wantEnd(t, err, comch.EndOrderly)
				require.NoError(t, c2.Close())
			}
		})
	}
}

// If DOCA refuses to send as if there were no connection, and never says that it has ended, nobody knows how it has. It is
// the end for reads, too.
func TestEndUnknown(t *testing.T) {
	client, server := pipe(t)
	limit(t, client, server)
	_, err := client.Write([]byte("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(server, make([]byte, 1))
	require.NoError(t, err)
	_, err = server.Write([]byte("before the end"))
	require.NoError(t, err)
	read := make(chan error, 1)
	go func() {
		got, err := io.ReadAll(client)
		assert.Equal(t, "before the end", string(got))
		read <- err
	}()
	end, err := emulator.Faults{FailCalls: []emulator.CallFault{{Func: "doca_comch_client_task_send_alloc_init", N: 1, Code: doca.ErrNotConnected}}}.Apply()
	require.NoError(t, err)
	defer end()
	_, err = client.Write([]byte("x"))
	wantEnd(t, err, comch.EndUnknown)
	wantEnd(t, client.Err(), comch.EndUnknown)
	wantEnd(t, <-read, comch.EndUnknown)
}

// CLOSE ends writes that wait, even if the peer does not disconnect yet, and what comes after it is ignored.
func TestCloseFrame(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	raw := l.dialRaw(t)
	defer raw.Close()
	server, err := li.Accept()
	require.NoError(t, err)
	defer server.Close()
	limit(t, server)
	require.NoError(t, raw.Send(t.Context(), hello(1)))
	ended := make(chan error)
	go func() {
		_, err := server.Write(make([]byte, 1<<20)) // more than the window
		ended <- err
	}()
	for _, f := range frames([]byte("before the end"), []byte{8}, []byte("after the end"), []byte{8}) {
		require.NoError(t, raw.Send(t.Context(), f))
	}
	wantEnd(t, <-ended, comch.EndOrderly)
	got, err := io.ReadAll(server)
	require.NoError(t, err)
	require.Equal(t, "before the end", string(got))
	wantEnd(t, server.(*comchnet.Conn).Err(), comch.EndOrderly)
	wantEnd(t, server.(*comchnet.Conn).CloseWrite(), comch.EndOrderly)
}
