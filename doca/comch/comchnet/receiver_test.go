package comchnet_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// A side that cannot send HELLO ends the connection: without it the peer's Write waits for ever.
func TestHelloFails(t *testing.T) {
	l := newLink(t)
	listener := l.listen(t)
	doctest.Faults(t, "fail-call=doca_comch_server_task_send_alloc_init:1:NO_MEMORY")
	client := l.dial(t)
	accepted, err := listener.Accept()
	require.NoError(t, err)
	limit(t, client, accepted)
	_, err = client.Write(random(100))
	want(t, err, comch.ErrPeerGone)
	_, err = accepted.Read(make([]byte, 1))
	want(t, err, doca.ErrNoMemory)
	assert.NoError(t, accepted.Close())
}

// greeted returns a pipe on which HELLO has gone both ways.
func greeted(t *testing.T) (client, server *comchnet.Conn) {
	client, server = pipe(t)
	limit(t, client, server)
	for _, c := range [][2]*comchnet.Conn{{client, server}, {server, client}} {
		_, err := c[0].Write([]byte("x"))
		require.NoError(t, err)
		_, err = c[1].Read(make([]byte, 1))
		require.NoError(t, err)
	}
	return client, server
}

// A stream that has lost a message ends on both sides, and its end is not orderly.
func TestMessageLost(t *testing.T) {
	client, server := greeted(t)
	loseSend(t, client)
	_, err := client.Write([]byte("this message is lost"))
	require.NoError(t, err)
	_, err = client.Read(make([]byte, 1))
	want(t, err, doca.ErrIOFailed)
	_, err = server.Read(make([]byte, 1))
	want(t, err, comch.ErrPeerGone)
	assert.NotErrorIs(t, err, io.EOF)
}

// Nor is it if the writer closes the stream at once.
func TestMessageLostBeforeClose(t *testing.T) {
	client, server := greeted(t)
	loseSend(t, client)
	_, err := client.Write([]byte("this message is lost"))
	require.NoError(t, err)
	assert.NoError(t, client.Close())
	_, err = server.Read(make([]byte, 1))
	want(t, err, comch.ErrPeerGone)
	assert.NotErrorIs(t, err, io.EOF)
}
