package dma_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

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

// drip gives, or takes, as good as nothing each millisecond, and ends before a test does.
type drip struct {
	t     *testing.T
	inUse atomic.Bool
	until time.Time
}

func newDrip(t *testing.T) *drip { return &drip{t: t, until: time.Now().Add(30 * time.Second)} }

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
		t.Run(fmt.Sprintf("%d bytes", wrong), func(t *testing.T) {
			_, err = in(readerFunc(func([]byte) (int, error) { return wrong, nil }))
			wantErr(t, err, doca.ErrUnexpected, "for a slice of 100")
			n, err = s.CopyOut(t.Context(), writerFunc(func([]byte) (int, error) { return wrong, nil }), s.Sources(b.mem, 0, 1000))
			if wantErr(t, err, doca.ErrUnexpected, "100 bytes"); n != 0 {
				t.Errorf("CopyOut = %d", n)
			}
		})
	}
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
