package comchnet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
)

func random(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(p)
	return p
}

// Every length around those that the protocol treats in their own way arrives.
func TestLengths(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	for _, n := range []int{0, 1, 2, 4, 5, 6, 7, 8, 11, 12, 4079, 4080, 4081, 4084, 4085, 4086, 4087, 8160, 8166, 100_000} {
		p := random(n)
		k, err := client.Write(p)
		require.NoError(t, err)
		require.Equal(t, n, k)
		got := make([]byte, n)
		_, err = io.ReadFull(server, got)
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	n, err := server.Read(nil)
	require.NoError(t, err)
	require.Zero(t, n)
}

// Both directions at once, written and read in pieces of all sizes.
func TestPieces(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	data := random(2 << 20)
	write := func(c *comchnet.Conn) {
		rng := rand.New(rand.NewPCG(1, 2))
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(1<<rng.IntN(16)))
			if _, err := c.Write(rest[:n]); !assert.NoError(t, err) {
				return
			}
			rest = rest[n:]
		}
		assert.NoError(t, c.CloseWrite())
	}
	go write(client)
	go write(server)
	back := make(chan []byte)
	go func() {
		got, err := io.ReadAll(server)
		assert.NoError(t, err)
		back <- got
	}()
	got := make([]byte, 0, len(data))
	for rng := rand.New(rand.NewPCG(3, 4)); ; {
		n, err := client.Read(got[len(got):min(cap(got), len(got)+1+rng.IntN(1<<rng.IntN(16)))])
		got = got[:len(got)+n]
		if err == io.EOF || len(got) == cap(got) {
			break
		}
		require.NoError(t, err)
	}
	require.True(t, bytes.Equal(data, got))
	require.True(t, bytes.Equal(data, <-back))
}

// io.Copy takes the ways without a buffer of its own, and fills the messages.
func TestCopy(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	data := random(100 * 4080)
	go func() {
		n, err := io.Copy(client, bytes.NewReader(data)) // bytes.Reader writes all at once
		assert.NoError(t, err)
		assert.EqualValues(t, len(data), n)
		n, err = io.Copy(client, struct{ io.Reader }{bytes.NewReader(data)})
		assert.NoError(t, err)
		assert.EqualValues(t, len(data), n)
		assert.NoError(t, client.CloseWrite())
	}()
	var got bytes.Buffer
	n, err := io.Copy(&got, server)
	require.NoError(t, err)
	require.EqualValues(t, 2*len(data), n)
	require.True(t, bytes.Equal(append(data, data...), got.Bytes()))
	stats, err := server.Raw().Stats()
	require.NoError(t, err)
	require.EqualValues(t, 200+2, stats.RecvMessages, "the data, HELLO and END")
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
	data := random(2 * window)
	require.NoError(t, clients[0].SetWriteDeadline(time.Now().Add(time.Second/4)))
	n, err := clients[0].Write(data)
	want(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, window-window%4080, n, "messages that fit into the window")

	limit(t, clients[0], clients[1], servers[0], servers[1])
	go func() {
		_, err := clients[1].Write(data)
		assert.NoError(t, err)
	}()
	got := make([]byte, len(data))
	_, err = io.ReadFull(servers[1], got)
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

func TestDeadlines(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	for range 3 { // a deadline that has passed can be moved again
		require.NoError(t, client.SetReadDeadline(time.Now().Add(soon)))
		_, err := client.Read(make([]byte, 1))
		want(t, err, os.ErrDeadlineExceeded)
	}
	_, err := server.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, client.SetReadDeadline(time.Unix(1, 0)))
	_, err = client.Read(make([]byte, 1))
	want(t, err, os.ErrDeadlineExceeded)

	// Moving it while a Read waits: out of the way, then to the past.
	require.NoError(t, client.SetReadDeadline(time.Time{}))
	_, err = io.ReadFull(client, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, client.SetReadDeadline(time.Now().Add(time.Hour)))
	ended := make(chan error)
	go func() {
		_, err := client.Read(make([]byte, 1))
		ended <- err
	}()
	time.Sleep(soon)
	require.NoError(t, client.SetReadDeadline(time.Time{}))
	select {
	case err := <-ended:
		t.Fatalf("Read without a deadline: %v", err)
	case <-time.After(soon):
	}
	require.NoError(t, client.SetReadDeadline(time.Now()))
	want(t, <-ended, os.ErrDeadlineExceeded)
	_, err = client.WriteTo(io.Discard)
	want(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, client.Close())
	_, err = client.Read(make([]byte, 1))
	want(t, err, net.ErrClosed)
}

type errWriter struct {
	n   int
	err error
}

func (w errWriter) Write([]byte) (int, error) { return w.n, w.err }

// The errors of the other side of io.Copy come through, and what it has not taken stays.
func TestCopyErrors(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	failed := errors.New("failed")
	n, err := io.Copy(client, io.MultiReader(strings.NewReader("0123456789"), iotest.ErrReader(failed)))
	require.Equal(t, failed, err)
	require.EqualValues(t, 10, n)
	n, err = io.Copy(errWriter{3, failed}, server)
	require.Equal(t, failed, err)
	require.EqualValues(t, 3, n)
	n, err = io.Copy(errWriter{2, nil}, server)
	require.Equal(t, io.ErrShortWrite, err)
	require.EqualValues(t, 2, n)
	require.NoError(t, client.Close())
	got, err := io.ReadAll(server)
	require.NoError(t, err)
	require.Equal(t, "56789", string(got))
	n, err = io.Copy(client, strings.NewReader("x"))
	want(t, err, net.ErrClosed)
	require.Zero(t, n)
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
	require.NoError(t, server.SetWriteDeadline(time.Now().Add(20*soon)))
	written, err := server.Write(make([]byte, 50*4080))
	want(t, err, os.ErrDeadlineExceeded)
	require.Less(t, written, 50*4080)

	_, err = io.ReadFull(server, make([]byte, 32*4080))
	require.NoError(t, err)
	require.NoError(t, server.SetReadDeadline(time.Now().Add(20*soon)))
	n, err := server.Read(message)
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
		if !bytes.Equal(msg, hello(1)) {
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

func TestAddrs(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	name := client.Raw().Name()
	require.Equal(t, comchnet.Addr{Name: name, PCIAddr: "0000:b1:00.0"}, client.LocalAddr())
	require.Equal(t, comchnet.Addr{Name: name}, client.RemoteAddr())
	require.Equal(t, comchnet.Addr{Name: name, PCIAddr: "0000:03:00.0"}, server.LocalAddr())
	require.Equal(t, comchnet.Addr{Name: name, PCIAddr: "0000:b1:00.0"}, server.RemoteAddr())
	require.Equal(t, "comch", client.LocalAddr().Network())
	require.Equal(t, name, client.RemoteAddr().String())
	require.Equal(t, name+"@0000:b1:00.0", client.LocalAddr().String())
}

// A smaller message size, which both sides have.
func TestMessageSize(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	cfg := comch.Config{MaxMessageSize: 100}
	li, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, cfg)
	require.NoError(t, err)
	defer li.Close()
	client, err := comchnet.Dial(t.Context(), l.host, l.name, cfg)
	require.NoError(t, err)
	defer client.Close()
	server, err := li.Accept()
	require.NoError(t, err)
	defer server.Close()
	limit(t, client, server)
	data := random(100_006)
	go func() {
		_, err := client.Write(data)
		assert.NoError(t, err)
	}()
	got := make([]byte, len(data))
	_, err = io.ReadFull(server, got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
}
