package comchnet_test

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// received returns how many messages have come to a stream.
func received(t *testing.T, c *comchnet.Conn) uint64 {
	t.Helper()
	stats, err := c.Raw().Stats()
	require.NoError(t, err)
	return stats.RecvMessages
}

// A short write that follows data in a buffer goes through one, too, however it is written.
func TestBulkShort(t *testing.T) {
	for name, write := range map[string]func(c *comchnet.Conn, p []byte) error{
		"Write":    func(c *comchnet.Conn, p []byte) error { _, err := c.Write(p); return err },
		"ReadFrom": func(c *comchnet.Conn, p []byte) error { _, err := c.ReadFrom(bytes.NewReader(p)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
				warm(t, c1, c2)
				carry(t, c1, c2)
				before := received(t, c2)
				for n := range 200 {
					data, got := random(1+40*n), make([]byte, 1+40*n)
					require.NoError(t, write(c1, data))
					_, err := io.ReadFull(c2, got)
					require.NoError(t, err)
					require.True(t, bytes.Equal(data, got))
				}
				require.Equal(t, before, received(t, c2))
			})
		})
	}
}

// Both sides may write many short pieces before they read, as without buffers: what finds none free goes as messages, and
// stays in order.
func TestBulkShortUnread(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		warm(t, c1, c2)
		warm(t, c2, c1)
		for range 3 {
			data := random(100_000) // half of the window is free when all was read
			for _, c := range []*comchnet.Conn{c1, c2} {
				for rest := data; len(rest) > 0; rest = rest[min(len(rest), 1000):] {
					require.NoError(t, c.SetWriteDeadline(time.Now().Add(time.Minute)))
					_, err := c.Write(rest[:min(len(rest), 1000)])
					require.NoError(t, err)
				}
			}
			for _, c := range []*comchnet.Conn{c1, c2} {
				got := make([]byte, len(data))
				_, err := io.ReadFull(c, got)
				require.NoError(t, err)
				require.True(t, bytes.Equal(data, got))
			}
			carry(t, c1, c2) // short writes may use buffers again
			carry(t, c2, c1)
		}
	})
}

// Writes whose deadline ends now and then lose no order: AFTER may have been sent in vain. What was written, and nothing else, arrives.
func TestBulkShortDeadlines(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		warm(t, c1, c2)
		limit(t, c2)
		var sent, got bytes.Buffer
		var read sync.WaitGroup
		read.Go(func() {
			_, err := io.Copy(&got, struct{ io.Reader }{c2})
			assert.NoError(t, err)
		})
		for n := range 3000 {
			p := random(1 + n%5000)
			if n%50 == 0 {
				p = random(50_000)
			}
			require.NoError(t, c1.SetWriteDeadline(time.Now().Add(time.Duration(n%7)*10*time.Microsecond)))
			k, err := c1.Write(p)
			if err != nil {
				require.True(t, strings.HasSuffix(err.Error(), "i/o timeout"), err)
			}
			sent.Write(p[:k])
		}
		require.NoError(t, c1.SetWriteDeadline(time.Now().Add(time.Minute)))
		require.NoError(t, c1.CloseWrite())
		read.Wait()
		require.True(t, bytes.Equal(sent.Bytes(), got.Bytes()))
	})
}
