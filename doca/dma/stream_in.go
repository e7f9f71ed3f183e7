package dma

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/go-doca/go-doca/doca"
)

// CopyIn copies what r has, until its end, to the destinations, in their order, and returns
// the number of bytes copied. Each gets as much as it has room for or less, at most
// BufferSize bytes, from the head of its region on; what was there is replaced. When the
// sequence gets control back from one, its data segment is what it has got; that is empty if
// the copy has failed, and if r was at its end, so one more may be asked for than is needed.
// If ctx has ended, the copy to it may still be in flight.
//
// Read runs in a goroutine of its own, never twice at once, and ahead of the copies: what it
// has got is lost if the destinations or ctx end first. Its slice belongs to it until it
// returns, and CopyIn returns after that. A buffer of the stream is read into until it is
// full, or r has an end or an error; only then is it copied. So what comes slowly comes in
// pieces of BufferSize; for a reader whose bytes must not wait, make it small.
//
// ctx bounds the copies and the reading, but neither what the sequence does nor a Read that
// has begun: none begins after the call has found its ctx ended, or has failed. If ctx has
// ended beforehand nothing begins.
//
// Errors: those of the sequence, of r and of [DMA.Copy]; [io.ErrNoProgress] after 100 Reads in
// a row of no bytes and no error; ErrFull for destinations without room for all of it;
// ErrInvalidValue for nil; ErrInUse for a stream that is busy; a [*doca.StateError] if it is
// closed; ctx.Err(). What r gave before an error of its own is copied. Stands on
// doca_dma_task_memcpy_alloc_init and doca_task_submit.
func (s *Stream) CopyIn(ctx context.Context, destinations iter.Seq2[*doca.Buffer, error], r io.Reader) (total int64, err error) {
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
			return total, s.d.c.fail(doca.ErrInvalidValue, "the sequence gave a destination that is nil")
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
	return total, s.d.c.fail(doca.ErrFull, fmt.Sprintf("the destinations have taken %d bytes, and there are more", total))
}

// chunk is what has been read into a buffer and not been copied yet.
type chunk struct {
	buf    *doca.Buffer
	off, n int
}

// reading is the reader's side of CopyIn.
type reading struct {
	s    *Stream
	r    io.Reader
	full chan chunk
	free chan *doca.Buffer
	stop chan struct{}
	err  error // may be looked at when full is closed
}

// next returns what was read next; it is empty at the end and with an error.
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

// emptyReads is how many Reads in a row may give neither bytes nor an error.
const emptyReads = 100

// fill reads until b is full, or there is an error, or it is to stop. [io.ReadFull] would not
// tell whether it is the reader that calls its end unexpected.
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
			return n, i.s.d.c.fail(doca.ErrUnexpected, fmt.Sprintf("Read has given %d bytes for a slice of %d, it says", k, len(b)-n))
		}
		if n += k; k > 0 {
			empty = 0
		} else if empty++; empty == emptyReads && err == nil {
			err = i.s.d.c.fail(io.ErrNoProgress, fmt.Sprintf("%d Reads in a row gave neither bytes nor an error", emptyReads))
		}
	}
	return n, err
}
