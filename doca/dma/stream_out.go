package dma

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/go-doca/go-doca/doca"
)

// CopyOut copies the data segments of the sources to w, in their order, and returns the
// number of bytes that w has taken. A source may have 1 to BufferSize bytes. When the
// sequence gets control back from one, that one has been copied, and may be changed, unless
// ctx has ended; its bytes are then on their way to w.
//
// Write runs in a goroutine of its own, never twice at once; each call gets what has come from
// one source. Its slice belongs to it until it returns, and CopyOut returns after that.
//
// ctx bounds the copies and the writing, but neither what the sequence does nor a Write that
// has begun: none begins after ctx has ended. If it has ended beforehand nothing begins.
// Whatever else ends the copy, what was copied before is still written.
//
// Errors: those of the sequence, of w ([io.ErrShortWrite] if it takes less without one) and of
// [DMA.Copy]; ErrTooBig for a source that is larger than BufferSize; ErrInvalidValue for nil;
// ErrInUse for a stream that is busy; a [*doca.StateError] if it is closed; ctx.Err(). Stands on
// doca_dma_task_memcpy_alloc_init and doca_task_submit.
func (s *Stream) CopyOut(ctx context.Context, w io.Writer, sources iter.Seq2[*doca.Buffer, error]) (total int64, err error) {
	if w == nil || sources == nil {
		return 0, s.d.c.fail(doca.ErrInvalidValue, "the writer or the sequence of sources is nil")
	}
	free, err := s.beginLocked(ctx)
	if err != nil {
		return 0, err
	}
	defer s.busy.Unlock()
	out := &writing{s: s, w: w, full: make(chan *doca.Buffer, len(s.bufs)), free: free, failed: make(chan struct{}), ended: make(chan struct{})}
	go out.run(ctx)
	defer func() { // also if the sequence panics
		close(out.full)
		<-out.ended
		if total = out.n; err == nil {
			err = out.err
		}
	}()
	for src, failed := range sources {
		if err = failed; err == nil {
			err = s.copyOutLocked(ctx, out, src)
		}
		if err != nil {
			break
		}
	}
	return total, err
}

func (s *Stream) copyOutLocked(ctx context.Context, out *writing, src *doca.Buffer) error {
	if src == nil {
		return s.d.c.fail(doca.ErrInvalidValue, "the sequence gave a source that is nil")
	}
	if n := src.DataLen(); n > s.size {
		return s.d.c.fail(doca.ErrTooBig, fmt.Sprintf("a source of %d bytes, and the stream's buffers have %d", n, s.size))
	}
	var buf *doca.Buffer
	select {
	case <-out.failed:
		return out.err
	case buf = <-out.free:
	}
	if err := s.copyLocked(ctx, buf, src); err != nil {
		return err
	}
	out.full <- buf
	return nil
}

// writing is the writer's side of CopyOut.
type writing struct {
	s          *Stream
	w          io.Writer
	full, free chan *doca.Buffer
	failed     chan struct{} // closed with the first error
	ended      chan struct{}
	n          int64
	err        error
}

func (o *writing) run(ctx context.Context) {
	defer close(o.ended)
	for buf := range o.full {
		if o.err != nil {
			continue
		}
		if o.err = ctx.Err(); o.err == nil {
			o.err = o.write(buf)
		}
		if o.err != nil {
			close(o.failed)
			continue
		}
		o.free <- buf
	}
}

func (o *writing) write(buf *doca.Buffer) error {
	data := buf.Data()
	if data == nil {
		return o.s.closed()
	}
	n, err := o.w.Write(data)
	if n < 0 || n > len(data) {
		return o.s.d.c.fail(doca.ErrUnexpected, fmt.Sprintf("Write has taken %d of %d bytes, it says", n, len(data)))
	}
	o.n += int64(n)
	if err == nil && n < len(data) {
		return io.ErrShortWrite
	}
	return err
}
