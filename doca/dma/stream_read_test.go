package dma_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// A line of a slow reader arrives although its buffer is not full, one after the other.
func TestStreamFlushAfter(t *testing.T) {
	b := newBench(t, 4)
	for name, after := range map[string]time.Duration{"by default": 0, "at once": 1} {
		t.Run(name, func(t *testing.T) {
			s := must(b.dma.NewStream(dma.StreamConfig{BufferSize: 100, Buffers: 2, FlushAfter: after}))(t)
			defer func() { check(t, s.Close()) }()
			r, w := io.Pipe()
			lines := make(chan string)
			ended := make(chan error)
			go func() {
				n, err := s.CopyIn(soonish(t), func(yield func(*doca.Buffer, error) bool) {
					s.Destinations(b.mem, 0, 200)(func(buf *doca.Buffer, err error) bool {
						more := yield(buf, err)
						if len(buf.Data()) > 0 {
							lines <- string(buf.Data())
						}
						return more
					})
				}, r)
				assert.EqualValues(t, 20*len("line 0\n"), n)
				ended <- err
			}()
			for i := range 20 { // more than a buffer
				line := "line " + string('a'+rune(i)) + "\n"
				_, err := w.Write([]byte(line))
				require.NoError(t, err)
				for got := ""; got != line; {
					got += <-lines
					require.Equal(t, line[:len(got)], got)
				}
			}
			w.Close()
			assert.NoError(t, <-ended)
		})
	}
}

// Flush sends what has been read, and nothing else does if there is no FlushAfter.
func TestStreamFlush(t *testing.T) {
	b := newBench(t, 4)
	s := must(b.dma.NewStream(dma.StreamConfig{BufferSize: 100, Buffers: 2, FlushAfter: -1}))(t)
	defer func() { check(t, s.Close()) }()
	check(t, s.Flush()) // nothing runs: no effect
	copied := make(chan int, 10)
	sizes := []int{10, 20, 30, 50, 90, 5}
	var at []int // what was copied when the Read began
	reads := 0
	r := readerFunc(func(p []byte) (int, error) {
		switch reads++; reads {
		case 3, 6: // 30, and 50 that are read as 40 and 10
			check(t, s.Flush())
			at = append(at, <-copied)
		case 8:
			return 0, io.EOF
		}
		n := min(sizes[0], len(p))
		copy(p, bytes.Repeat([]byte{byte(reads)}, n))
		if sizes[0] -= n; sizes[0] == 0 {
			sizes = sizes[1:]
		}
		return n, nil
	})
	var got []int
	n, err := s.CopyIn(soonish(t), func(yield func(*doca.Buffer, error) bool) {
		s.Destinations(b.mem, 0, 1000)(func(buf *doca.Buffer, err error) bool {
			more := yield(buf, err)
			got = append(got, buf.DataLen())
			if n := buf.DataLen(); n == 30 || n == 10 {
				copied <- n
			}
			return more
		})
	}, r)
	check(t, err)
	assert.EqualValues(t, 205, n)
	assert.Equal(t, []int{30, 10}, at)
	assert.Equal(t, []int{30, 70, 10, 90, 5, 0}, got)
	want := slices.Concat(bytes.Repeat([]byte{1}, 10), bytes.Repeat([]byte{2}, 20), bytes.Repeat([]byte{3}, 30), bytes.Repeat([]byte{4}, 40),
		bytes.Repeat([]byte{5}, 10), bytes.Repeat([]byte{6}, 90), bytes.Repeat([]byte{7}, 5))
	assert.Equal(t, want, b.mem.Bytes()[:205])
	var none *dma.Stream
	wantErr(t, none.Flush(), doca.ErrInvalidValue)
}

// blocking is a reader and writer that blocks in its first call until it is told to go on.
type blocking struct{ begun, goes, gone chan struct{} }

func newBlocking() *blocking {
	return &blocking{make(chan struct{}), make(chan struct{}), make(chan struct{})}
}

func (b *blocking) Read(p []byte) (int, error) {
	b.block()
	for i := range p {
		p[i] = 'x' // the memory is still there
	}
	defer close(b.gone)
	return len(p), nil
}

func (b *blocking) Write(p []byte) (int, error) {
	b.block()
	defer close(b.gone)
	return len(bytes.Clone(p)), nil // it reads p
}

func (b *blocking) block() {
	close(b.begun)
	<-b.goes
}

// The end of ctx ends a call although a Read blocks. The stream waits for that Read, and memory
// stays for it even after Close.
func TestStreamLeavesRead(t *testing.T) {
	b := newBench(t, 4)
	s := must(b.dma.NewStream(dma.StreamConfig{BufferSize: 100, Buffers: 2}))(t)
	leave := func() *blocking {
		r := newBlocking()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-r.begun; cancel() }()
		_, err := s.CopyIn(ctx, s.Destinations(b.mem, 0, 1000), r)
		wantErr(t, err, context.Canceled, "close what it waits for")
		assert.ErrorIs(t, err, doca.ErrInUse)
		return r
	}
	r := leave()
	_, err := s.CopyOut(soon(t), io.Discard, s.Sources(b.mem, 0, 10))
	wantErr(t, err, context.DeadlineExceeded, "of an earlier call has not returned")
	close(r.goes)
	n, err := s.CopyIn(soonish(t), s.Destinations(b.mem, 0, 1000), bytes.NewReader(content(500)))
	check(t, err)
	assert.EqualValues(t, 500, n)
	assert.Equal(t, content(500), b.mem.Bytes()[:500])

	r = leave()
	check(t, s.Close())
	check(t, s.Close())
	close(r.goes)
	<-r.gone
}

// So it is with a Write.
func TestStreamLeavesWrite(t *testing.T) {
	b := newBench(t, 4)
	s := must(b.dma.NewStream(dma.StreamConfig{BufferSize: 100, Buffers: 2}))(t)
	copy(b.mem.Bytes(), content(1000))
	w := newBlocking()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-w.begun; cancel() }()
	n, err := s.CopyOut(ctx, w, s.Sources(b.mem, 0, 1000))
	wantErr(t, err, context.Canceled, "a Write has not returned")
	assert.ErrorIs(t, err, doca.ErrInUse)
	assert.Zero(t, n)
	close(w.goes)
	var out bytes.Buffer
	_, err = s.CopyOut(soonish(t), &out, s.Sources(b.mem, 0, 1000))
	check(t, err)
	assert.Equal(t, content(1000), out.Bytes())
	check(t, s.Close())
}

// CopyThrough passes lines on, and ends with its ctx although both sides block.
func TestCopyThroughEnds(t *testing.T) {
	b := newBench(t, 8)
	t.Run("lines", func(t *testing.T) {
		in, lines := io.Pipe()
		out, to := io.Pipe()
		ended := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := b.dma.CopyThrough(ctx, to, b.mem, in)
			ended <- err
		}()
		for range 3 {
			_, err := lines.Write([]byte("a line\n"))
			require.NoError(t, err)
			got := make([]byte, 7)
			_, err = io.ReadFull(out, got)
			require.NoError(t, err)
			assert.Equal(t, "a line\n", string(got))
		}
		cancel()
		err := <-ended
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, doca.ErrInUse, "the Read goes on")
		lines.Close()
	})
	t.Run("a Write that blocks", func(t *testing.T) {
		w := newBlocking()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-w.begun; cancel() }()
		_, err := b.dma.CopyThrough(ctx, w, b.mem, bytes.NewReader(content(100)))
		wantErr(t, err, context.Canceled, "a Write has not returned")
		assert.ErrorIs(t, err, doca.ErrInUse)
		close(w.goes)
		<-w.gone
	})
	t.Run("a Write that fails", func(t *testing.T) {
		boom := errors.New("boom")
		r := newBlocking()
		_, err := b.dma.CopyThrough(soonish(t), &limited{err: boom}, b.mem, io.MultiReader(bytes.NewReader(content(100)), r))
		wantErr(t, err, boom, "a Read has not returned")
		assert.ErrorIs(t, err, doca.ErrInUse)
		close(r.goes)
		<-r.gone
	})
	t.Run("afterwards", func(t *testing.T) {
		n, err := b.dma.CopyThrough(soonish(t), io.Discard, b.mem, bytes.NewReader(content(100)))
		check(t, err)
		assert.EqualValues(t, 100, n)
	})
}
