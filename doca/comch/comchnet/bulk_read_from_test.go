package comchnet_test

import (
	"bytes"
	"hash/crc32"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pieces is a reader that gives p in pieces of these lengths, in turn, and says how much room it has got.
type pieces struct {
	p       []byte
	lengths []int
	room    []int
}

func (r *pieces) Read(p []byte) (int, error) {
	if len(r.p) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.lengths[len(r.room)%len(r.lengths)])], r.p)
	r.p, r.room = r.p[n:], append(r.room, len(p))
	return n, nil
}

// ReadFrom reads into the buffers that are sent, whatever the reader gives at a time, and other writes go on.
func TestBulkReadFrom(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	warm(t, client, server)
	sent := random(4 << 20)
	got := make(chan []byte)
	go func() {
		all, err := io.ReadAll(server)
		assert.NoError(t, err)
		got <- all
	}()
	r := &pieces{p: sent, lengths: []int{1 << 20, 5, 8<<10 - 1, 0, 8 << 10, 1 << 20, 40_000}}
	n, err := client.ReadFrom(r)
	require.NoError(t, err)
	assert.Equal(t, int64(len(sent)), n)
	assert.Contains(t, r.room, 64<<10, "the room of a buffer")
	require.NoError(t, client.CloseWrite())
	assert.Equal(t, crc32.ChecksumIEEE(sent), crc32.ChecksumIEEE(<-got))
	_, err = client.ReadFrom(bytes.NewReader(sent))
	want(t, err, io.ErrClosedPipe)
}

// blocked is a reader that gives nothing before it is told to.
type blocked chan []byte

func (r blocked) Read(p []byte) (int, error) {
	data, ok := <-r
	if !ok {
		return 0, io.EOF
	}
	return copy(p, data), nil
}

// Readers that wait keep neither writes nor Close, not even if they have all buffers.
func TestBulkReadFromWaits(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	warm(t, client, server)
	const readers, size = 9, 20_000
	r := make(blocked)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			n, err := client.ReadFrom(r)
			assert.LessOrEqual(t, n, int64(size))
			assert.Error(t, err)
		})
	}
	for range 3 {
		data := random(3 << 20)
		go client.Write(data)
		got := make([]byte, len(data))
		_, err := io.ReadFull(server, got)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(data, got))
	}
	data := random(size)
	r <- data
	got := make([]byte, size)
	_, err := io.ReadFull(server, got)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, got))
	require.NoError(t, client.Close())
	for range readers {
		r <- data
	}
	wg.Wait()
}

// A reader that panics keeps no buffer.
func TestBulkReadFromPanic(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	warm(t, client, server)
	for range 20 {
		assert.Panics(t, func() { client.ReadFrom(readerFunc(func([]byte) (int, error) { panic("test") })) })
	}
	r := &pieces{p: random(1 << 20), lengths: []int{1 << 20}}
	done := make(chan error, 1)
	go func() { _, err := client.ReadFrom(r); done <- err }()
	_, err := io.CopyN(io.Discard, server, 1<<20)
	require.NoError(t, err)
	require.NoError(t, <-done)
	assert.Contains(t, r.room, 64<<10)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Nothing else uses the buffer that a reader has, and is about to fill.
func TestBulkReadFromAlone(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	limit(t, client, server)
	warm(t, client, server)
	first, second := random(2<<20), random(60_000)
	calls := 0
	done := make(chan error, 1)
	go func() {
		_, err := client.ReadFrom(readerFunc(func(p []byte) (int, error) {
			if calls++; calls > 1 {
				return 0, io.EOF
			}
			n := copy(p, second)
			if _, err := client.Write(first); err != nil {
				return 0, err
			}
			return n, nil
		}))
		done <- err
	}()
	got := make([]byte, len(first)+len(second))
	_, err := io.ReadFull(server, got)
	require.NoError(t, err)
	require.NoError(t, <-done)
	assert.True(t, bytes.Equal(first, got[:len(first)]))
	assert.True(t, bytes.Equal(second, got[len(first):]))
}
