package comchnet_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-doca/go-doca/doca"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// io.Copy takes the ways without a buffer of its own, and fills the messages.
func TestCopy(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	data := random(8 * 4080) // not so much that buffers carry it
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
	require.EqualValues(t, 16+2, stats.RecvMessages, "the data, HELLO and END")
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

type wrongWriter int

func (w wrongWriter) Write(p []byte) (int, error) { return len(p) * int(w), nil }

type wrongReader int

func (r wrongReader) Read(p []byte) (int, error) { return len(p) * int(r), nil }

// Readers and writers that count wrongly get an error. They take nothing from the stream, and add nothing to it.
func TestWrongCounts(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	for _, inBuffers := range []bool{false, true} {
		if inBuffers {
			warm(t, client, server)
		}
		for _, times := range []int{2, -1} {
			n, err := client.ReadFrom(wrongReader(times))
			want(t, err, doca.ErrInvalidValue)
			require.Zero(t, n)
			data := random(100)
			if inBuffers {
				data = random(20_000)
			}
			_, err = client.Write(data)
			require.NoError(t, err)
			n, err = server.WriteTo(wrongWriter(times))
			want(t, err, doca.ErrInvalidValue)
			require.Zero(t, n)
			got := make([]byte, len(data))
			_, err = io.ReadFull(server, got)
			require.NoError(t, err)
			require.Equal(t, data, got)
		}
	}
}
