package dma_test

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// stream makes a stream of 3 buffers of 100 bytes.
func (b *bench) stream(t *testing.T) *dma.Stream {
	t.Helper()
	s := must(b.dma.NewStream(dma.StreamConfig{BufferSize: 100, Buffers: 3}))(t)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

// content is n bytes that do not repeat early.
func content(n int) []byte {
	c := make([]byte, n)
	for i := range c {
		c[i] = byte(i) ^ byte(i>>8)*7
	}
	return c
}

// What goes into the memory and out of it again is what it was, whatever the reader's way.
func TestStream(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	for _, n := range []int{0, 1, 99, 100, 101, 300, 12345} {
		want := content(n)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(want), "by byte": iotest.OneByteReader(bytes.NewReader(want)),
			"data with the end": iotest.DataErrReader(bytes.NewReader(want)), "halves": iotest.HalfReader(bytes.NewReader(want)),
		} {
			got, err := s.CopyIn(t.Context(), s.Destinations(b.mem, 7, n), r)
			if err != nil || got != int64(n) {
				t.Fatalf("%d bytes, %s: CopyIn = %d, %v", n, name, got, err)
			}
			if !bytes.Equal(b.mem.Bytes()[7:][:n], want) {
				t.Fatalf("%d bytes, %s: the memory differs", n, name)
			}
			var out bytes.Buffer
			if got, err = s.CopyOut(t.Context(), &out, s.Sources(b.mem, 7, n)); err != nil || got != int64(n) || !bytes.Equal(out.Bytes(), want) {
				t.Fatalf("%d bytes: CopyOut = %d, %v", n, got, err)
			}
			clear(b.mem.Bytes())
		}
	}
}

// sequence gives buffers of the sizes, and tells what they have got.
func (b *bench) sequence(t *testing.T, got *[]int, sizes ...int) iter.Seq2[*doca.Buffer, error] {
	return func(yield func(*doca.Buffer, error) bool) {
		for off := 0; len(sizes) > 0; sizes = sizes[1:] {
			buf := must(b.inv.Buffer(b.mem, off, sizes[0]))(t)
			more := yield(buf, nil)
			*got = append(*got, buf.DataLen())
			off += buf.DataLen()
			check(t, buf.Close())
			if !more {
				return
			}
		}
	}
}

// Destinations have sizes of their own, and learn what they have got.
func TestStreamDestinations(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	var got []int
	n, err := s.CopyIn(t.Context(), b.sequence(t, &got, 30, 500, 60, 1, 200, 200, 200), bytes.NewReader(content(230)))
	check(t, err)
	// What is read is 100 bytes at a time; the last one was asked for in vain.
	if want := []int{30, 70, 60, 1, 39, 30, 0}; n != 230 || !slices.Equal(got, want) {
		t.Errorf("CopyIn = %d, with %v, not %v", n, got, want)
	}
	if !bytes.Equal(b.mem.Bytes()[:230], content(230)) {
		t.Error("the memory differs")
	}
}

func TestStreamErrors(t *testing.T) {
	b := newBench(t, 4)
	for _, cfg := range []dma.StreamConfig{{BufferSize: -1}, {Buffers: 1}} {
		_, err := b.dma.NewStream(cfg)
		wantErr(t, err, doca.ErrInvalidValue, "two of one byte are the least")
	}
	s := b.stream(t)
	boom := errors.New("boom")
	data := content(1000)

	n, err := s.CopyIn(t.Context(), s.Destinations(b.mem, 0, 450), bytes.NewReader(data))
	wantErr(t, err, doca.ErrFull, "the destinations have taken 450 bytes")
	if n != 450 {
		t.Errorf("CopyIn = %d", n)
	}
	n, err = s.CopyIn(t.Context(), s.Destinations(b.mem, 0, 1000), io.MultiReader(bytes.NewReader(data[:250]), iotest.ErrReader(boom)))
	if n != 250 || !errors.Is(err, boom) {
		t.Errorf("a reader that fails: %d, %v", n, err)
	}
	_, err = s.CopyIn(t.Context(), s.Destinations(b.mem, 0, 1000), iotest.ErrReader(io.ErrUnexpectedEOF))
	wantErr(t, err, io.ErrUnexpectedEOF)
	failing := func(yield func(*doca.Buffer, error) bool) { yield(nil, boom) }
	_, err = s.CopyIn(t.Context(), failing, bytes.NewReader(data))
	wantErr(t, err, boom)
	_, err = s.CopyOut(t.Context(), io.Discard, failing)
	wantErr(t, err, boom)

	n, err = s.CopyOut(t.Context(), &limited{left: 150, err: boom}, s.Sources(b.mem, 0, 100000))
	if n != 150 || !errors.Is(err, boom) {
		t.Errorf("a writer that fails: %d, %v", n, err)
	}
	n, err = s.CopyOut(t.Context(), &limited{left: 150}, s.Sources(b.mem, 0, 1000))
	if n != 150 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a short write: %d, %v", n, err)
	}
	_, err = s.CopyOut(t.Context(), io.Discard, func(yield func(*doca.Buffer, error) bool) {
		big := must(b.inv.Buffer(b.mem, 0, 101))(t)
		check(t, big.SetData(0, 101))
		yield(big, nil)
		check(t, big.Close())
	})
	wantErr(t, err, doca.ErrTooBig, "a source of 101 bytes")
	_, err = s.CopyOut(t.Context(), io.Discard, s.Sources(b.mem, b.mem.Len()-50, 200))
	wantErr(t, err, doca.ErrInvalidValue, "are not within")
	_, err = s.CopyOut(t.Context(), io.Discard, func(yield func(*doca.Buffer, error) bool) {
		_, err := s.CopyOut(t.Context(), io.Discard, s.Sources(b.mem, 0, 1))
		wantErr(t, err, doca.ErrInUse, "the stream is busy")
		yield(nil, boom)
	})
	wantErr(t, err, boom)

	// None of this has left anything behind.
	n, err = s.CopyIn(t.Context(), s.Destinations(b.mem, 0, 1000), bytes.NewReader(data))
	if n != 1000 || err != nil {
		t.Errorf("CopyIn = %d, %v", n, err)
	}
}

// limited takes so many bytes.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	if l.left -= n; n < len(b) {
		return n, l.err
	}
	return n, nil
}

// A copy that fails ends the stream's call; what was copied before it is written, in order.
func TestStreamFaults(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	data := content(1000)
	copy(b.mem.Bytes(), data)
	for _, spec := range []string{"fail-task=4", "fail-task=1,delay=1ms", "fail-task=10:DRIVER", "lose-device=5"} {
		t.Run(strings.ReplaceAll(spec, "=", " "), func(t *testing.T) {
			faults(t, spec)
			var out bytes.Buffer
			n, err := s.CopyOut(soonish(t), &out, s.Sources(b.mem, 0, 1000))
			if err == nil || n != int64(out.Len()) || n%100 != 0 || n >= 1000 || !bytes.Equal(out.Bytes(), data[:n]) {
				t.Errorf("CopyOut = %d, %v; %d bytes written", n, err, out.Len())
			}
		})
		check(t, b.dma.Start(t.Context()))
		t.Run(strings.ReplaceAll(spec, "=", " ")+" in", func(t *testing.T) {
			faults(t, spec)
			n, err := s.CopyIn(soonish(t), s.Destinations(b.mem, 2000, 1000), bytes.NewReader(data))
			if err == nil || n%100 != 0 || n >= 1000 || !bytes.Equal(b.mem.Bytes()[2000:][:n], data[:n]) {
				t.Errorf("CopyIn = %d, %v", n, err)
			}
		})
		check(t, b.dma.Start(t.Context()))
	}
	n, err := s.CopyOut(t.Context(), io.Discard, s.Sources(b.mem, 0, 1000))
	if n != 1000 || err != nil {
		t.Errorf("afterwards CopyOut = %d, %v", n, err)
	}
}
