package comchnet_test

import (
	"io"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/require"
)

// hello is the first frame, with a window of 256 KiB.
func hello(version byte) []byte { return []byte{1, version, 0, 4, 0, 0} }

// ourHello is what this side sends: it can also receive bulk data.
var ourHello = []byte{1, 1, 0, 4, 0, 1}

func frames(f ...[]byte) [][]byte { return f }

// A peer that breaks the rules is told so and disconnected, whatever it does then.
func TestBadPeer(t *testing.T) {
	t.Parallel()
	full := make([]byte, 4080)
	overrun := frames(hello(1))
	for range 256<<10/4080 + 1 {
		overrun = append(overrun, full)
	}
	for name, c := range map[string]struct {
		sent [][]byte
		want doca.Error
	}{
		"no HELLO":           {frames([]byte("GET / HTTP/1.1")), doca.ErrUnexpected},
		"short data first":   {frames([]byte{0, 'x'}), doca.ErrUnexpected},
		"HELLO twice":        {frames(hello(1), hello(1)), doca.ErrUnexpected},
		"later version":      {frames(hello(2)), doca.ErrUnsupportedVersion},
		"no window":          {frames([]byte{1, 1, 0, 0, 0x1f, 0xdf}), doca.ErrUnexpected},
		"huge window":        {frames([]byte{1, 1, 0xff, 0xff, 0xff, 0xff}), doca.ErrUnexpected},
		"window overflow":    {frames(hello(1), []byte{2, 0x7f, 0xff, 0xff, 0xff}), doca.ErrUnexpected},
		"WINDOW of 0":        {frames(hello(1), []byte{2, 0, 0, 0, 0}), doca.ErrUnexpected},
		"empty DATA":         {frames(hello(1), []byte{0}), doca.ErrUnexpected},
		"long END":           {frames(hello(1), []byte{3, 0}), doca.ErrUnexpected},
		"END twice":          {frames(hello(1), []byte{3}, []byte{3}), doca.ErrUnexpected},
		"data after END":     {frames(hello(1), []byte{3}, []byte("more data")), doca.ErrUnexpected},
		"unknown frame":      {frames(hello(1), []byte{9}), doca.ErrUnexpected},
		"long OPEN":          {frames(hello(1), []byte{5, 0}), doca.ErrUnexpected},
		"short CONSUMER":     {frames(hello(1), []byte{6, 0, 0, 0, 1}), doca.ErrUnexpected},
		"CONSUMER twice":     {frames(hello(1), []byte{6, 0, 0, 0, 0, 0}, []byte{6, 0, 0, 0, 0, 0}), doca.ErrUnexpected},
		"small buffers":      {frames(hello(1), []byte{6, 0, 0, 0, 1, 12}), doca.ErrUnexpected},
		"huge buffers":       {frames(hello(1), []byte{6, 0, 0, 0, 1, 31}), doca.ErrUnexpected},
		"AFTER, no OPEN":     {frames(hello(1), []byte{7, 0, 0, 0, 1}), doca.ErrUnexpected},
		"more than the size": {overrun, doca.ErrUnexpected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			li := l.listen(t)
			defer li.Close()
			raw := l.dialRaw(t)
			server, err := li.Accept()
			require.NoError(t, err)
			defer server.Close()
			limit(t, server)
			for _, f := range c.sent {
				require.NoError(t, raw.Send(t.Context(), f))
			}
			msg, err := raw.Recv(t.Context())
			require.NoError(t, err)
			require.Equal(t, ourHello, msg)
			msg, err = raw.Recv(t.Context())
			require.NoError(t, err)
			require.Equal(t, []byte{4, byte(c.want)}, msg)
			_, err = raw.Recv(t.Context())
			require.ErrorIs(t, err, comch.ErrPeerGone)

			for err = nil; err == nil; {
				_, err = server.Write(full)
			}
			want(t, err, c.want)
		})
	}
}

// What arrives and what is sent, byte for byte.
func TestFrames(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	raw := l.dialRaw(t)
	server, err := li.Accept()
	require.NoError(t, err)
	defer server.Close()
	limit(t, server)

	// Without a window there is no writing.
	require.NoError(t, server.SetWriteDeadline(time.Now().Add(soon)))
	n, err := server.Write([]byte("x"))
	require.Error(t, err)
	require.Zero(t, n)
	limit(t, server)
	require.NoError(t, raw.Send(t.Context(), hello(1)))
	_, err = server.Write([]byte("12345"))
	require.NoError(t, err)
	_, err = server.Write([]byte("123456"))
	require.NoError(t, err)
	_, err = server.Write([]byte("1234567"))
	require.NoError(t, err)
	require.NoError(t, server.(*comchnet.Conn).CloseWrite())

	require.NoError(t, raw.Send(t.Context(), []byte{0, 'a', 'b', 'c', 'd', 'e'}))
	for range 32 { // 130560 bytes: with the five, not yet half of the window
		require.NoError(t, raw.Send(t.Context(), make([]byte, 4080)))
	}
	_, err = io.ReadFull(server, make([]byte, 32*4080+5))
	require.NoError(t, err)
	require.NoError(t, raw.Send(t.Context(), make([]byte, 507)))
	_, err = io.ReadFull(server, make([]byte, 507))
	require.NoError(t, err)
	for _, f := range frames(ourHello, []byte("\x0012345"), []byte("\x0012345"), []byte("\x006"), []byte("1234567"),
		[]byte{3}, []byte{2, 0, 2, 0, 0}) {
		msg, err := raw.Recv(t.Context())
		require.NoError(t, err)
		require.Equal(t, f, msg)
	}
	require.NoError(t, raw.Close())
}

// A server that cannot talk to the client says why.
func TestReset(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	require.NoError(t, err)
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		if raw, err := srv.Accept(t.Context()); err == nil {
			raw.Send(t.Context(), []byte{4, byte(doca.ErrUnsupportedVersion)})
			_ = raw.Close()
		}
	}()
	client := l.dial(t)
	defer client.Close()
	<-accepted
	limit(t, client)
	_, err = client.Read(make([]byte, 1))
	want(t, err, doca.ErrConnectionReset, doca.ErrUnsupportedVersion)
	require.ErrorContains(t, err, "the peer has ended the connection because of an error: DOCA_ERROR_UNSUPPORTED_VERSION")
}
