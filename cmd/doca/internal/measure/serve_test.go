// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A connection that asks for nothing does not keep others from being served.
func TestListenLeavesTheSilent(t *testing.T) {
	patience = 50 * time.Millisecond
	defer func() { patience = 10 * time.Second }()
	ctx, cancel := context.WithCancel(t.Context())
	addr := make(chan net.Addr, 1)
	var listen sync.WaitGroup
	var reported []error
	listen.Go(func() {
		assert.NoError(t, Listen(ctx, "127.0.0.1:0", "", func(a net.Addr) { addr <- a }, func(err error) { reported = append(reported, err) }))
	})
	at := (<-addr).String()
	silent, err := net.Dial("tcp", at)
	require.NoError(t, err)
	defer silent.Close()
	link, err := Dial(t.Context(), at)
	require.NoError(t, err)
	for range 2 { // it may take longer than that between two requests
		_, err = link.ask(request{Library: "none", Bytes: 1, Size: 1, Window: 1})
		assert.EqualError(t, err, `the serving side: there is no library "none"`)
		time.Sleep(2 * patience)
	}
	require.NoError(t, link.Close())
	_, err = silent.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
	cancel()
	listen.Wait()
	require.Len(t, reported, 1)
	assert.ErrorContains(t, reported[0], silent.LocalAddr().String()+": the measuring side has asked for nothing in 50ms")
}
