package dma

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/go-doca/go-doca/doca"
)

// CopyIn reads r until its end and copies the data to the destinations, in their order. It returns
// the number of bytes copied. A destination, which may be a list, receives at most as much as it has room for,
// and at most BufferSize bytes, from the head of its region on. The data replaces what was there. When the
// sequence gets control back, the data segment of the destination is what it has received. That
// is empty if the copy has failed, or if r was at its end: CopyIn may ask for one destination
// more than it needs. If ctx has ended, the copy to the destination may still be in flight.
//
// Read runs in a goroutine of its own, one call at a time, ahead of the copies. What it has read is
// lost if the destinations or ctx end first. The slice belongs to Read until it returns. CopyIn
// copies a buffer of the stream when it is full, when r has ended or failed, when its first bytes have
// waited for FlushAfter, and after [Stream.Flush]. So a destination may receive less than it has
// room for, and the reader goes on in the rest of the buffer.
//
// ctx limits the copies and the reading, but not the sequence. No Read begins after CopyIn has
// noticed the end of ctx or has failed. A Read that blocks is left running (see [Stream]), and what it
// reads is lost. If ctx has ended already, nothing begins.
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
	in := newReading(s, r, free)
	go in.run()
	defer func() { // also if the sequence panics
		close(in.stop)
		err = s.leaveLocked(in.ended, "Read", err)
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
		n := min(next.n, room(dst))
		if err := next.buf.SetData(next.off, n); err != nil {
			return total, err
		}
		if err := s.copyLocked(ctx, dst, next.buf); err != nil {
			return total, err
		}
		total += int64(n)
		next.off, next.n = next.off+n, next.n-n
		if next.n == 0 && next.last {
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

// room returns how many bytes a destination can receive, which may be a list.
func room(dst *doca.Buffer) int {
	n := dst.Len()
	if dst.ListLen() > 1 {
		n = 0
		for _, b := range dst.Elements() {
			n += b.Len()
		}
	}
	return n
}
