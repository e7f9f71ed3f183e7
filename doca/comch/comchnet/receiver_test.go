package comchnet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
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
