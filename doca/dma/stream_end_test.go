package dma_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
)

// drip gives, or takes, as good as nothing each millisecond, and ends before a test does.
type drip struct {
	t     *testing.T
	inUse atomic.Bool
	until time.Time
}

func newDrip(t *testing.T) *drip { return &drip{t: t, until: time.Now().Add(5 * time.Second)} }

func (d *drip) pass() {
	if d.inUse.Swap(true) {
		d.t.Error("two calls at once")
	}
	time.Sleep(time.Millisecond)
	d.inUse.Store(false)
}

func (d *drip) Read(b []byte) (int, error) {
	if d.pass(); time.Now().After(d.until) {
		d.t.Error("Read was still called")
		return 0, io.EOF
	}
	b[0] = 1
	return 1, nil
}

// over checks that nobody uses it any more.
func (d *drip) over() {
	if d.inUse.Swap(true) {
		d.t.Error("it returned while Read was running")
	}
}

// A reader that is slow does not keep a call that has ended from returning.
func TestStreamSlowReader(t *testing.T) {
	b := newBench(t, 4)
	s := must(b.dma.NewStream(dma.StreamConfig{}))(t)
	boom := errors.New("boom")

	r := newDrip(t)
	_, err := s.CopyIn(soon(t), s.Destinations(b.mem, 0, b.mem.Len()), r)
	wantErr(t, err, context.DeadlineExceeded)
	r.over()

	r = newDrip(t)
	_, err = s.CopyIn(t.Context(), func(yield func(*doca.Buffer, error) bool) {
		time.Sleep(5 * time.Millisecond)
		yield(nil, boom)
	}, r)
	wantErr(t, err, boom)
	r.over()

	r = newDrip(t)
	_, err = b.dma.CopyThrough(soon(t), io.Discard, b.mem, r)
	wantErr(t, err, context.DeadlineExceeded)
	r.over()

	// With a context that has ended beforehand nothing begins.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	full := bytes.NewReader(content(10))
	_, err = s.CopyIn(ctx, s.Destinations(b.mem, 0, 10), full)
	if wantErr(t, err, context.Canceled); full.Len() != 10 {
		t.Error("something was read")
	}
	_, err = s.CopyOut(ctx, io.Discard, func(func(*doca.Buffer, error) bool) { t.Error("the sequence was asked") })
	wantErr(t, err, context.Canceled)
	check(t, s.Close())
}

// writerFunc is a function as a writer, readerFunc one as a reader.
type (
	writerFunc func([]byte) (int, error)
	readerFunc func([]byte) (int, error)
)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
func (f readerFunc) Read(b []byte) (int, error)  { return f(b) }

// When the context ends no Write begins, not even of what has been copied.
func TestStreamSlowWriter(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	writes := 0
	n, err := s.CopyOut(ctx, writerFunc(func(p []byte) (int, error) {
		if writes++; writes == 1 {
			<-asked // all buffers are full, or about to be
			cancel()
		}
		return len(p), nil
	}), func(yield func(*doca.Buffer, error) bool) {
		pieces := 0
		s.Sources(b.mem, 0, 300)(func(buf *doca.Buffer, err error) bool {
			if pieces++; pieces == 3 {
				defer close(asked)
			}
			return yield(buf, err)
		})
	})
	if wantErr(t, err, context.Canceled); n != 100 || writes != 1 {
		t.Errorf("%d bytes were written with %d calls", n, writes)
	}
}

// Readers and writers that do not keep to the rules are errors, not panics and endless loops.
func TestStreamBadReaders(t *testing.T) {
	b := newBench(t, 4)
	s := b.stream(t)
	in := func(r io.Reader) (int64, error) { return s.CopyIn(t.Context(), s.Destinations(b.mem, 0, 1000), r) }
	idle, data := 0, bytes.NewReader(content(7))
	n, err := in(readerFunc(func(p []byte) (int, error) {
		if idle++; idle%100 != 0 && idle < 1e6 {
			return 0, nil
		}
		return data.Read(p[:1])
	}))
	if check(t, err); n != 7 {
		t.Errorf("with pauses: %d bytes", n)
	}
	idle = 0
	n, err = in(readerFunc(func(p []byte) (int, error) {
		switch idle++; {
		case idle == 1:
			return len(p) / 2, nil
		case idle < 1e6:
			return 0, nil
		}
		return 0, io.EOF
	}))
	if wantErr(t, err, io.ErrNoProgress, "100 Reads in a row"); n != 50 || idle != 101 {
		t.Errorf("CopyIn = %d, after %d Reads", n, idle)
	}
	for _, wrong := range []int{-1, 101} {
		_, err = in(readerFunc(func([]byte) (int, error) { return wrong, nil }))
		wantErr(t, err, doca.ErrUnexpected, "for a slice of 100")
		n, err = s.CopyOut(t.Context(), writerFunc(func([]byte) (int, error) { return wrong, nil }), s.Sources(b.mem, 0, 1000))
		if wantErr(t, err, doca.ErrUnexpected, "of 100 bytes"); n != 0 {
			t.Errorf("CopyOut = %d", n)
		}
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
	wantErr(t, err, doca.ErrInvalidValue, "a destination that is nil")
	_, err = s.CopyOut(t.Context(), io.Discard, nil)
	wantErr(t, err, doca.ErrInvalidValue, "is nil")
	_, err = s.CopyOut(t.Context(), nil, one(nil))
	wantErr(t, err, doca.ErrInvalidValue, "is nil")
	_, err = s.CopyOut(t.Context(), io.Discard, one(nil))
	wantErr(t, err, doca.ErrInvalidValue, "a source that is nil")
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
	}
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
		_, err = b.dma.NewStream(c.cfg)
		if wantErr(t, err, c.want); strings.Contains(err.Error(), "\n") {
			t.Errorf("the error has lines: %q", err)
		}
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

// holding keeps a Read from returning, and then writes to the slice that it got.
type holding struct{ has, goes chan struct{} }

func (h holding) Read(b []byte) (int, error) {
	close(h.has)
	<-h.goes
	for i := range b {
		b[i] = 1
	}
	return len(b), io.EOF
}

// The device may be closed while a Read has a slice of the stream.
func TestStreamWithoutDevice(t *testing.T) {
	b := newBench(t, 4)
	s := must(b.dma.NewStream(dma.StreamConfig{}))(t)
	h := holding{make(chan struct{}), make(chan struct{})}
	ended := make(chan error)
	go func() {
		_, err := s.CopyIn(context.Background(), s.Destinations(b.mem, 0, 1000), h)
		ended <- err
	}()
	<-h.has
	check(t, b.dev.Close())
	wantErr(t, s.Close(), doca.ErrInUse)
	close(h.goes)
	wantErr(t, <-ended, doca.ErrClosed)
	check(t, s.Close())
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
	for range 4 { // more often than there are buffers
		clear(b.mem.Bytes())
		faults(t, "delay=500ms")
		_, err := s.CopyIn(soon(t), one(first), bytes.NewReader(old))
		wantErr(t, err, context.DeadlineExceeded)
		wantErr(t, first.SetData(0, 0), doca.ErrInUse) // it is in flight

		_, err = s.CopyOut(soon(t), io.Discard, s.Sources(b.mem, 1000, 100))
		wantErr(t, err, context.DeadlineExceeded)
		wantErr(t, first.SetData(0, 0), doca.ErrInUse) // it still is

		emulator.ClearFaults()
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
	faults(t, "delay=50ms")
	_, err := other.CopyIn(soon(t), one(first), bytes.NewReader(old))
	wantErr(t, err, context.DeadlineExceeded)
	check(t, other.Close())
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
