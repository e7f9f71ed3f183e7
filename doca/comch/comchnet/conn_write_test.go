package comchnet_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A peer that does not read stops the writer, and nobody else.
func TestWindow(t *testing.T) {
	t.Parallel()
	const window = 256 << 10
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	clients, servers := make([]*comchnet.Conn, 2), make([]*comchnet.Conn, 2)
	for i := range clients {
		clients[i] = l.dial(t)
		c, err := li.Accept()
		require.NoError(t, err)
		servers[i] = c.(*comchnet.Conn)
		defer clients[i].Close()
		defer servers[i].Close()
	}
	data, fits, n := random(2*window), window-window%4080, 0
	for full := false; !full; { // a deadline may pass before all is written that fits
		full = n >= fits
		require.NoError(t, clients[0].SetWriteDeadline(time.Now().Add(5*soon)))
		written, err := clients[0].Write(data[n:])
		want(t, err, os.ErrDeadlineExceeded)
		n += written
	}
	require.Equal(t, fits, n, "messages that fit into the window")

	limit(t, clients[0], clients[1], servers[0], servers[1])
	go func() {
		_, err := clients[1].Write(data)
		assert.NoError(t, err)
	}()
	got := make([]byte, len(data))
	_, err := io.ReadFull(servers[1], got)
	require.NoError(t, err, "the other connection goes on")
	require.True(t, bytes.Equal(data, got))

	go func() {
		_, err := clients[0].Write(data[n:])
		assert.NoError(t, err)
	}()
	clear(got)
	_, err = io.ReadFull(servers[0], got)
	require.NoError(t, err, "what was written is there, and reading lets the writer go on")
	require.True(t, bytes.Equal(data, got))
}

// A peer that takes no messages: deadlines hold, and what could not be granted in time is
// granted later.
func TestStuckPeer(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{MaxSendTasks: 2})
	require.NoError(t, err)
	defer li.Close()
	raw, err := comch.Dial(t.Context(), l.host, l.name, comch.Config{Backlog: 2, RecvQueueSize: 1})
	require.NoError(t, err)
	defer raw.Close()
	server, err := li.Accept()
	require.NoError(t, err)
	defer server.Close()
	limit(t, server)
	message := make([]byte, 4080)
	require.NoError(t, raw.Send(t.Context(), hello(1)))
	for range 33 { // the last one completes half of the window
		require.NoError(t, raw.Send(t.Context(), message))
	}
	require.NoError(t, raw.Flush(t.Context()))
	written := 0
	for in, idle := make([]byte, 4080), 0; idle < 3; idle++ { // until the peer has no room
		require.NoError(t, server.SetWriteDeadline(time.Now().Add(5*soon)))
		n, err := server.Write(in)
		if written += n; n > 0 {
			idle = 0
		}
		if n < len(in) {
			want(t, err, os.ErrDeadlineExceeded)
		}
	}
	require.Less(t, written, 50*4080)

	_, err = io.ReadFull(server, make([]byte, 32*4080))
	require.NoError(t, err)
	n := 0
	for range 3 { // at most: the deadline may pass before Read begins
		require.NoError(t, server.SetReadDeadline(time.Now().Add(20*soon)))
		if n, err = server.Read(message); n > 0 {
			break
		}
	}
	require.NoError(t, err, "what has come is read though it could not be granted again")
	require.Equal(t, len(message), n)

	limit(t, server)
	read := make(chan error)
	go func() {
		_, err := server.Read(message)
		read <- err
	}()
	for sum := 0; sum < written; {
		msg, err := raw.Recv(t.Context())
		require.NoError(t, err)
		if !bytes.Equal(msg, ourHello) {
			sum += len(msg)
		}
	}
	msg, err := raw.Recv(t.Context())
	require.NoError(t, err)
	require.Equal(t, binary.BigEndian.AppendUint32([]byte{2}, 33*4080), msg)
	require.NoError(t, raw.Send(t.Context(), message))
	require.NoError(t, <-read)
	n, err = server.Write(message)
	require.NoError(t, err, "the window has not lost what could not be sent")
	require.Equal(t, len(message), n)
}
