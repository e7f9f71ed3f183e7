// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/emulator"
)

// An interrupt ends a measurement that waits for its serving side, and the error is the interrupt.
func TestInterruptWhileThePeerIsSilent(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		conn, err := l.Accept()
		if !assert.NoError(t, err) {
			return
		}
		_, err = conn.Read(make([]byte, 1)) // it asks
		assert.NoError(t, err)
		interrupt()
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}()
	var out, said bytes.Buffer
	assert.NotZero(t, run(ctx, []string{"bench", "rdma", "--peer", l.Addr().String()}, strings.NewReader(""), &out, &said))
	assert.Equal(t, "doca: interrupted\n", said.String())
}
