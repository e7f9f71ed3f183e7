package dma_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
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
	if got := s.BufferSize(); got != 100 {
		t.Fatalf("BufferSize = %d", got)
	}
	for _, n := range []int{0, 1, 99, 100, 101, 300, 12345} {
		want := content(n)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(want), "by byte": iotest.OneByteReader(bytes.NewReader(want)),
			"data with the end": iotest.DataErrReader(bytes.NewReader(want)), "halves": iotest.HalfReader(bytes.NewReader(want)),
		} {
			t.Run(fmt.Sprintf("%d bytes, %s", n, name), func(t *testing.T) {
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
			})
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

func TestStreamErrors(t *testing.T) {
	b := newBench(t, 4)
	for _, cfg := range []dma.StreamConfig{{BufferSize: -1}, {Buffers: 1}} {
		t.Run(fmt.Sprintf("%+v", cfg), func(t *testing.T) {
			_, err := b.dma.NewStream(cfg)
			wantErr(t, err, doca.ErrInvalidValue, "at least 2 buffers of 1 byte")
		})
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
	wantErr(t, err, doca.ErrTooBig, "the source has 101 bytes")
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

// A source or destination that is a list counts with all of its buffers.
func TestStreamOfLists(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	s := b.stream(t)
	list := func(sizes ...int) *doca.Buffer {
		var ranges []doca.Range
		for i, n := range sizes {
			ranges = append(ranges, doca.Range{Memory: b.mem, Offset: 1000 * i, Len: n})
		}
		return must(b.inv.List(ranges...))(t)
	}
	dst := list(60, 30)
	n, err := s.CopyIn(t.Context(), one(dst), bytes.NewReader(content(80)))
	check(t, err)
	assert.EqualValues(t, 80, n)
	assert.Equal(t, []int{60, 20}, []int{dst.DataLen(), dst.Elements()[1].DataLen()})
	var out bytes.Buffer
	n, err = s.CopyOut(t.Context(), &out, one(dst))
	check(t, err)
	assert.EqualValues(t, 80, n)
	assert.Equal(t, content(80), out.Bytes())
	n, err = s.CopyIn(t.Context(), one(dst), bytes.NewReader(content(91)))
	wantErr(t, err, doca.ErrFull, "the destinations have taken 90 bytes")
	assert.EqualValues(t, 90, n)
	_, err = s.CopyOut(t.Context(), io.Discard, one(list(60, 41)))
	wantErr(t, err, doca.ErrTooBig, "the source has 101 bytes")
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

// one is a sequence of a buffer.
func one(buf *doca.Buffer) iter.Seq2[*doca.Buffer, error] {
	return func(yield func(*doca.Buffer, error) bool) { yield(buf, nil) }
}

func TestStreamNil(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	r := func() io.Reader { return bytes.NewReader(content(10)) }
	_, err := s.CopyIn(t.Context(), nil, r())
	wantErr(t, err, doca.ErrInvalidValue, "is nil")
	_, err = s.CopyIn(t.Context(), one(nil), nil)
	wantErr(t, err, doca.ErrInvalidValue, "is nil")
	_, err = s.CopyIn(t.Context(), one(nil), r())
	wantErr(t, err, doca.ErrInvalidValue, "nil destination")
	_, err = s.CopyOut(t.Context(), io.Discard, nil)
	wantErr(t, err, doca.ErrInvalidValue, "is nil")
	_, err = s.CopyOut(t.Context(), nil, one(nil))
	wantErr(t, err, doca.ErrInvalidValue, "is nil")
	_, err = s.CopyOut(t.Context(), io.Discard, one(nil))
	wantErr(t, err, doca.ErrInvalidValue, "nil source")
	_, err = s.CopyOut(t.Context(), io.Discard, s.Sources(nil, 0, 10))
	wantErr(t, err, doca.ErrInvalidValue, "the memory is nil")
	_, err = s.CopyOut(t.Context(), io.Discard, s.Sources(b.mem, 0, -1))
	wantErr(t, err, doca.ErrInvalidValue, "a range of -1 bytes")
}

// A sequence that panics, or ends its goroutine, leaves nothing behind: no goroutine, no piece,
// and no stream that is busy.
func TestStreamPanic(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	for name, leave := range map[string]func(){"panic": func() { panic("boom") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			failing := func(pieces iter.Seq2[*doca.Buffer, error]) iter.Seq2[*doca.Buffer, error] {
				return func(yield func(*doca.Buffer, error) bool) {
					for buf, err := range pieces {
						yield(buf, err)
						leave()
					}
				}
			}
			for _, call := range []func(){
				func() { s.CopyIn(t.Context(), failing(s.Destinations(b.mem, 0, 1000)), bytes.NewReader(content(1000))) },
				func() { s.CopyOut(t.Context(), io.Discard, failing(s.Sources(b.mem, 0, 1000))) },
			} {
				left := make(chan any)
				go func() {
					defer func() { left <- recover() }()
					call()
					t.Errorf("%s: the call returned", name)
				}()
				if got := <-left; got != nil && got != "boom" {
					t.Errorf("%s: panic %v", name, got)
				}
				n, err := s.CopyIn(t.Context(), s.Destinations(b.mem, 0, 1000), bytes.NewReader(content(1000)))
				if err != nil || n != 1000 {
					t.Errorf("%s: afterwards CopyIn = %d, %v", name, n, err)
				}
			}
		})
	}
}

// A Read or Write that ends its goroutine, as t.FailNow does, is an error of the call, and neither the end of the data nor a hang. What
// came before is copied and written.
func TestStreamGoexit(t *testing.T) {
	t.Parallel()
	b := newBench(t, 8)
	s := b.stream(t)
	reads := 0
	r := readerFunc(func(p []byte) (int, error) {
		if reads++; reads%2 == 0 {
			runtime.Goexit()
		}
		return copy(p, content(40)), nil
	})
	writes := 0
	w := writerFunc(func(p []byte) (int, error) {
		if writes++; writes%2 == 0 {
			runtime.Goexit()
		}
		return len(p), nil
	})
	for range 2 { // nothing is left behind
		n, err := s.CopyIn(soonish(t), s.Destinations(b.mem, 0, 1000), r)
		wantErr(t, err, doca.ErrUnexpected, "Read has ended its goroutine")
		assert.EqualValues(t, 40, n)
		assert.Equal(t, content(40), b.mem.Bytes()[:40])
		n, err = s.CopyOut(soonish(t), w, s.Sources(b.mem, 0, 1000))
		wantErr(t, err, doca.ErrUnexpected, "Write has ended its goroutine")
		assert.EqualValues(t, 100, n)
		var out bytes.Buffer
		_, err = b.dma.CopyThrough(soonish(t), &out, b.mem, r)
		wantErr(t, err, doca.ErrUnexpected, "Read has ended its goroutine")
		assert.Equal(t, content(40), out.Bytes())
		_, err = b.dma.CopyThrough(soonish(t), w, b.mem, bytes.NewReader(content(3<<20)))
		wantErr(t, err, doca.ErrUnexpected, "Write has ended its goroutine")
	}
}

// What NewStream cannot free after an error, closing the DMA frees.
func TestStreamThatCannotClose(t *testing.T) {
	const get, size = "fail-call=doca_buf_inventory_buf_get_by_args:2", 1 << 30
	for _, spec := range []string{
		get + ",fail-call=doca_buf_dec_refcount:1",
		get + ",fail-call=doca_buf_inventory_destroy:1",
		get + ",fail-call=doca_mmap_destroy:1",
		"fail-call=doca_buf_inventory_create:1,fail-call=doca_mmap_destroy:1",
	} {
		t.Run(strings.ReplaceAll(spec, "=", " "), func(t *testing.T) {
			b := newBench(t, 4)
			before := mapped(t)
			faults(t, spec)
			_, err := b.dma.NewStream(dma.StreamConfig{BufferSize: size / 2, Buffers: 2})
			wantErr(t, err, doca.ErrDriver)
			faults(t, "")
			assert.Greater(t, mapped(t), before+size/2)
			check(t, b.dma.Close())
			assert.Less(t, mapped(t), before+size/2)
		})
	}
}

// mapped returns how many bytes of memory the process has mapped.
func mapped(t *testing.T) (pages int) {
	t.Helper()
	_, err := fmt.Sscan(string(must(os.ReadFile("/proc/self/statm"))(t)), &pages)
	check(t, err)
	return pages * os.Getpagesize()
}

// What was closed, or is too large to be, is an error of one line.
func TestStreamClosed(t *testing.T) {
	b := newBench(t, 4)
	s := must(b.dma.NewStream(dma.StreamConfig{BufferSize: 100}))(t)
	_, err := s.CopyIn(t.Context(), func(yield func(*doca.Buffer, error) bool) {
		wantErr(t, s.Close(), doca.ErrInUse, "the stream is busy")
	}, bytes.NewReader(nil))
	check(t, err)
	check(t, s.Close())
	check(t, s.Close())
	_, err = s.CopyIn(t.Context(), s.Destinations(b.mem, 0, 10), bytes.NewReader(content(10)))
	wantErr(t, err, doca.ErrClosed, "copy on stream of dma#")
	_, err = s.CopyOut(t.Context(), io.Discard, s.Sources(b.mem, 0, 10))
	wantErr(t, err, doca.ErrClosed, "copy on stream of dma#")

	for _, c := range []struct {
		cfg  dma.StreamConfig
		want error
	}{
		{dma.StreamConfig{Buffers: math.MaxInt/2 + 2, BufferSize: 2}, doca.ErrTooBig},
		{dma.StreamConfig{Buffers: math.MaxInt, BufferSize: math.MaxInt}, doca.ErrTooBig},
		{dma.StreamConfig{Buffers: math.MaxInt, BufferSize: 1}, doca.ErrNoMemory},
		{dma.StreamConfig{Buffers: 2, BufferSize: 1 << 55}, doca.ErrNoMemory},
		{dma.StreamConfig{Buffers: 2, BufferSize: 1 << 55}, syscall.ENOMEM},
	} {
		t.Run(fmt.Sprintf("%+v, %v", c.cfg, c.want), func(t *testing.T) {
			_, err = b.dma.NewStream(c.cfg)
			if wantErr(t, err, c.want); strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has lines: %q", err)
			}
		})
	}

	check(t, b.dma.Stop(t.Context()))
	s = must(b.dma.NewStream(dma.StreamConfig{}))(t) // for later
	check(t, b.dma.Close())
	_, err = b.dma.NewStream(dma.StreamConfig{})
	wantErr(t, err, doca.ErrClosed, "create stream on dma#")
	_, err = s.CopyOut(t.Context(), io.Discard, s.Sources(b.mem, 0, 10))
	wantErr(t, err, doca.ErrClosed)
	check(t, s.Close())
}

// A call that its context has ended leaves a copy in flight, which the next one waits for
// before it touches the buffer.
func TestStreamAfterCancel(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	dst := func(off int) *doca.Buffer { return must(b.inv.Buffer(b.mem, off, 100))(t) }
	old, fresh := bytes.Repeat([]byte("o"), 100), bytes.Repeat([]byte("f"), 1000)
	first := dst(0)
	inFlight := func() bool { return errors.Is(first.SetData(0, 0), doca.ErrInUse) }
	for range 4 { // more often than there are buffers
		clear(b.mem.Bytes())
		release := hold(t)
		wantErr(t, doctest.During(func(ctx context.Context) error {
			_, err := s.CopyIn(ctx, one(first), bytes.NewReader(old))
			return err
		}, inFlight), context.Canceled)
		wantErr(t, first.SetData(0, 0), doca.ErrInUse) // it is in flight

		_, err := s.CopyOut(soon(t), io.Discard, s.Sources(b.mem, 1000, 100))
		wantErr(t, err, context.DeadlineExceeded)
		wantErr(t, first.SetData(0, 0), doca.ErrInUse) // it still is

		release()
		n, err := s.CopyIn(soonish(t), s.Destinations(b.mem, 1000, 1000), bytes.NewReader(fresh))
		if err != nil || n != 1000 || !bytes.Equal(b.mem.Bytes()[1000:2000], fresh) {
			t.Fatalf("CopyIn = %d, %v", n, err)
		}
		check(t, first.SetData(0, 0))
		if !bytes.Equal(b.mem.Bytes()[:100], old) {
			t.Errorf("the copy before has %q", b.mem.Bytes()[:100])
		}
	}
	// Close waits for it too.
	other := must(b.dma.NewStream(dma.StreamConfig{}))(t)
	release := hold(t)
	wantErr(t, doctest.During(func(ctx context.Context) error {
		_, err := other.CopyIn(ctx, one(first), bytes.NewReader(old))
		return err
	}, inFlight), context.Canceled)
	closed := make(chan error, 1)
	go func() { closed <- other.Close() }()
	doctest.Stays(t, closed, "the stream was closed while a copy of it was in flight")
	release()
	check(t, <-closed)
	check(t, first.SetData(0, 0))
}

// A part of a stream allocates nothing.
func TestStreamAllocations(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	buf := must(b.inv.Buffer(b.mem, 0, 100))(t)
	check(t, buf.SetData(0, 100))
	data := bytes.NewReader(content(100000))
	allocations := func(parts int) float64 {
		again := func(yield func(*doca.Buffer, error) bool) {
			for i := 0; i < parts && yield(buf, nil); i++ {
			}
		}
		return testing.AllocsPerRun(10, func() {
			data.Seek(-int64(100*parts), io.SeekEnd)
			if n, err := s.CopyIn(t.Context(), again, data); err != nil || n != int64(100*parts) {
				t.Errorf("CopyIn = %d, %v", n, err)
			}
			if n, err := s.CopyOut(t.Context(), io.Discard, again); err != nil || n != int64(100*parts) {
				t.Errorf("CopyOut = %d, %v", n, err)
			}
		})
	}
	if few, many := allocations(10), allocations(1000); many > few+20 && !raceEnabled {
		t.Errorf("%v allocations for 10 parts, %v for 1000", few, many)
	}
}

// writerFunc is a function as a writer, readerFunc one as a reader.
type (
	writerFunc func([]byte) (int, error)
	readerFunc func([]byte) (int, error)
)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// The pieces of a range are one buffer. If a copy still uses it, the sequence waits for that.
func TestStreamPieces(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	copy(b.mem.Bytes(), content(1000))
	seen := map[*doca.Buffer]bool{}
	for piece, err := range s.Sources(b.mem, 0, 1000) {
		check(t, err)
		seen[piece] = true
	}
	if len(seen) != 1 {
		t.Errorf("10 pieces of %d buffers", len(seen))
	}
	before := len(doca.OpenObjects())
	to := 1000
	var copies []*dma.Future
	for piece, err := range s.Sources(b.mem, 0, 1000) {
		check(t, err)
		dst := must(b.inv.Buffer(b.mem, to, 100))(t)
		copies = append(copies, must(b.dma.CopyAsync(t.Context(), dst, piece))(t))
		to += 100
	}
	for _, f := range copies {
		if n, err := f.Wait(t.Context()); n != 100 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if !bytes.Equal(b.mem.Bytes()[1000:2000], content(1000)) {
		t.Error("the copies took other bytes")
	}
	if n := len(doca.OpenObjects()) - before; n != len(copies) { // the destinations
		t.Errorf("%d objects are left", n)
	}
}
