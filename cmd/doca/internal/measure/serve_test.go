// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A connection that asks for nothing, or does not come to the end of its request, does not keep others from being served.
func TestListenLeavesTheSilent(t *testing.T) {
	defer func() { patience = 10 * time.Second }()
	const soon, late = 50 * time.Millisecond, time.Minute
	for name, c := range map[string]struct {
		patience  time.Duration
		says, why string
	}{
		"silent":  {soon, "", "the measuring side has asked for nothing in 50ms"},
		"slow":    {soon, `{"library": "dma", `, "the measuring side has asked for nothing in 50ms"},
		"endless": {late, `"` + strings.Repeat("x", maxMessage-1), "the measuring side: a message of 65536 bytes and more"},
	} {
		t.Run(name, func(t *testing.T) {
			patience = c.patience
			ctx, cancel := context.WithCancel(t.Context())
			addr := make(chan net.Addr, 1)
			var listen sync.WaitGroup
			var reported []error
			listen.Go(func() {
				assert.NoError(t, Listen(ctx, "127.0.0.1:0", "", func(a net.Addr) { addr <- a }, func(err error) { reported = append(reported, err) }))
			})
			at := (<-addr).String()
			first, err := net.Dial("tcp", at)
			require.NoError(t, err)
			defer first.Close()
			_, err = io.WriteString(first, c.says)
			require.NoError(t, err)
			link, err := Dial(t.Context(), at)
			require.NoError(t, err)
			for range 2 { // it may take longer than that between two requests
				_, err = link.ask(request{Library: "none", Bytes: 1, Size: 1, Window: 1})
				assert.EqualError(t, err, `the serving side: there is no library "none"`)
				time.Sleep(2 * soon)
			}
			require.NoError(t, link.Close())
			_, err = io.Copy(io.Discard, first)
			assert.NoError(t, err)
			cancel()
			listen.Wait()
			require.Len(t, reported, 1)
			assert.ErrorContains(t, reported[0], first.LocalAddr().String()+": "+c.why)
		})
	}
}
