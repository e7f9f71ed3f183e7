package dma

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/go-doca/go-doca/doca"
)

// CopyIn reads r until its end and copies the data to the destinations, in their order. It returns
// the number of bytes copied. A destination receives at most as much as it has room for, and at
// most BufferSize bytes, from the head of its region on. The data replaces what was there. When the
// sequence gets control back, the data segment of the destination is what it has received. That
// is empty if the copy has failed, or if r was at its end: CopyIn may ask for one destination
// more than it needs. If ctx has ended, the copy to the destination may still be in flight.
//
// Read runs in a goroutine of its own, one call at a time, ahead of the copies. What it has read is
// lost if the destinations or ctx end first. The slice belongs to Read until it returns, and
// CopyIn waits for that. CopyIn copies a buffer of the stream when it is full, or when r has
// ended or failed. So the data of a slow reader waits until there are BufferSize bytes; use a
// small BufferSize if it must not wait.
//
// ctx limits the copies and the reading, but not the sequence, nor a Read that has begun. No Read
// begins after CopyIn has noticed the end of ctx or has failed. If ctx has ended already, nothing
// begins.
//
// Errors: those of the sequence, of r and of [DMA.Copy]; [io.ErrNoProgress] after 100 Reads in a
// row that return no bytes and no error; ErrFull if the destinations have no room for all of the
// data; ErrInvalidValue if r, the sequence or a destination is nil; ErrInUse if another call is
// running; a [*doca.StateError] if the stream is closed; ctx.Err(). If r fails, the data that it
// gave before is still copied. Calls doca_dma_task_memcpy_alloc_init and doca_task_submit.
func (s *Stream) CopyIn(ctx context.Context, destinations iter.Seq2[*doca.Buffer, error], r io.Reader) (total int64, err error) {
	if s == nil || s.d == nil {
		return 0, noStream("copy")
	}
	if destinations == nil || r == nil {
		return 0, s.d.c.fail(doca.ErrInvalidValue, "the sequence of destinations or the reader is nil")
	}
	free, err := s.beginLocked(ctx)
	if err != nil {
		return 0, err
	}
	defer s.busy.Unlock()
	in := &reading{s: s, r: r, free: free, full: make(chan chunk, len(s.bufs)), stop: make(chan struct{})}
	go in.run()
	defer func() { // also if the sequence panics
		close(in.stop)
		for range in.full { // until the reader has ended
		}
	}()
	var next chunk
	for dst, failed := range destinations {
		if failed != nil {
			return total, failed
		}
		if dst == nil {
			return total, s.d.c.fail(doca.ErrInvalidValue, "the sequence yielded a nil destination")
		}
		if next.n == 0 {
			if next, err = in.next(ctx); next.n == 0 {
				return total, err
			}
		}
		n := min(next.n, dst.Len())
		if err := next.buf.SetData(next.off, n); err != nil {
			return total, err
		}
		if err := s.copyLocked(ctx, dst, next.buf); err != nil {
			return total, err
		}
		total += int64(n)
		next.off, next.n = next.off+n, next.n-n
		if next.n == 0 {
			in.free <- next.buf
		}
	}
	if next.n == 0 {
		if next, err = in.next(ctx); next.n == 0 {
			return total, err
		}
	}
	return total, s.d.c.fail(doca.ErrFull, fmt.Sprintf("the destinations have taken %d bytes, and the reader has more", total))
}

// chunk is data in a buffer that was read and not copied yet.
type chunk struct {
	buf    *doca.Buffer
	off, n int
}

// reading is the goroutine of CopyIn that reads.
type reading struct {
	s    *Stream
	r    io.Reader
	full chan chunk        // from the reader
	free chan *doca.Buffer // to the reader
	stop chan struct{}     // closed when the reader is to stop
	err  error             // valid when full is closed
}

// next returns the next chunk. It is empty at the end of the reader and with an error.
func (i *reading) next(ctx context.Context) (chunk, error) {
	select {
	case <-ctx.Done():
		return chunk{}, ctx.Err()
	case c, more := <-i.full:
		if !more {
			return chunk{}, i.err
		}
		return c, nil
	}
}

func (i *reading) run() {
	defer close(i.full)
	for i.err == nil {
		select {
		case <-i.stop:
			return
		case buf := <-i.free:
			var n int
			if n, i.err = i.fill(buf.Bytes()); n > 0 {
				i.full <- chunk{buf: buf, n: n}
			}
		}
	}
	if i.err == io.EOF {
		i.err = nil
	}
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
			empty = 0
		} else if empty++; empty == emptyReads && err == nil {
			err = i.s.d.c.fail(io.ErrNoProgress, fmt.Sprintf("%d Reads in a row returned neither bytes nor an error", emptyReads))
		}
	}
	return n, err
}
