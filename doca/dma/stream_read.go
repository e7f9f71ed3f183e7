package dma

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
)

// chunk is data in a buffer that was read and not copied yet.
type chunk struct {
	buf    *doca.Buffer
	off, n int
	last   bool // no more data comes into the buffer
}

// reading is the goroutine of CopyIn that reads.
type reading struct {
	s     *Stream
	r     io.Reader
	full  chan chunk        // from the reader
	free  chan *doca.Buffer // to the reader
	stop  chan struct{}     // closed when the reader is to stop
	ended chan struct{}     // closed after full, when the reader has stopped
	err   error             // valid when full is closed
	some  chan struct{}     // holds a token after part has got data

	mu    sync.Mutex
	part  chunk     // the data of a buffer that is being filled
	since time.Time // when part.n became more than 0
}

func newReading(s *Stream, r io.Reader, free chan *doca.Buffer) *reading {
	return &reading{s: s, r: r, free: free, full: make(chan chunk, len(s.bufs)),
		stop: make(chan struct{}), ended: make(chan struct{}), some: make(chan struct{}, 1)}
}

// next returns the next chunk. It is empty at the end of the reader and with an error.
func (i *reading) next(ctx context.Context) (chunk, error) {
	select {
	case c, more := <-i.full:
		if more && ctx.Err() == nil {
			return c, nil
		}
	default:
	}
	var timer *time.Timer
	var due <-chan time.Time
	for {
		if since := i.waitsSince(); timer == nil && !since.IsZero() && i.s.flushAfter > 0 {
			timer = time.NewTimer(time.Until(since.Add(i.s.flushAfter)))
			defer timer.Stop()
			due = timer.C
		}
		var c chunk
		select {
		case <-ctx.Done():
			return chunk{}, ctx.Err()
		case c, more := <-i.full:
			if !more {
				return chunk{}, i.err
			}
			return c, nil
		case <-i.some:
		case <-due:
			timer, c = nil, i.takePart()
		case <-i.s.flush:
			if c = i.takePart(); c.last {
				i.s.askFlush() // for the data behind this chunk
			}
		}
		if c.n > 0 {
			return c, nil
		}
	}
}

// waitsSince returns since when there has been data in a buffer that is being filled, or the zero time.
func (i *reading) waitsSince() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.since
}

// takePart returns the data of the buffer that is being filled, unless there is a full one.
func (i *reading) takePart() chunk {
	i.mu.Lock()
	defer i.mu.Unlock()
	select {
	case c := <-i.full:
		return c
	default:
	}
	c := i.part
	i.part.off, i.part.n = c.off+c.n, 0
	i.since = time.Time{}
	return c
}

func (i *reading) run() {
	defer close(i.ended)
	defer close(i.full)
	defer i.last()
	for i.err == nil {
		select {
		case <-i.stop:
			i.err = io.EOF // nobody asks for more
		case buf := <-i.free:
			i.begin(buf)
			n, err := i.fill(buf.Bytes())
			i.end(n)
			i.err = err
		}
	}
}

// last says how the reading has ended. There is no error yet if Read has ended its goroutine, as t.FailNow of a test does: then what came
// before is still copied.
func (i *reading) last() {
	switch i.err {
	case nil:
		i.end(i.part.off + i.part.n)
		i.err = i.s.d.c.fail(doca.ErrUnexpected, "Read has ended its goroutine with runtime.Goexit, or panicked")
	case io.EOF:
		i.err = nil
	}
}

// begin begins to fill a buffer.
func (i *reading) begin(buf *doca.Buffer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.part = chunk{buf: buf}
}

// more records that the buffer has n bytes of data, and gets more.
func (i *reading) more(n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.part.n == 0 {
		i.since = time.Now()
		select {
		case i.some <- struct{}{}:
		default:
		}
	}
	i.part.n = n - i.part.off
}

// end records that the buffer has n bytes of data, and gets no more.
func (i *reading) end(n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if n > i.part.off {
		i.full <- chunk{buf: i.part.buf, off: i.part.off, n: n - i.part.off, last: true}
	}
	i.part, i.since = chunk{}, time.Time{}
}

// emptyReads is the number of Reads in a row that may return neither bytes nor an error.
const emptyReads = 100

// fill reads until b is full, the reader ends or fails, or it is told to stop. With [io.ReadFull]
// one could not distinguish the reader's own io.ErrUnexpectedEOF from a plain end.
func (i *reading) fill(b []byte) (n int, err error) {
	if b == nil {
		return 0, i.s.closed()
	}
	for empty := 0; n < len(b) && err == nil; {
		select {
		case <-i.stop:
			return n, nil
		default:
		}
		var k int
		k, err = i.r.Read(b[n:])
		if k < 0 || k > len(b)-n {
			return n, i.s.d.c.fail(doca.ErrUnexpected, fmt.Sprintf("Read returned %d for a slice of %d bytes", k, len(b)-n))
		}
		if n += k; k > 0 {
			if empty = 0; n < len(b) && err == nil {
				i.more(n)
			}
		} else if empty++; empty == emptyReads && err == nil {
			err = i.s.d.c.fail(io.ErrNoProgress, fmt.Sprintf("%d Reads in a row returned neither bytes nor an error", emptyReads))
		}
	}
	return n, err
}
