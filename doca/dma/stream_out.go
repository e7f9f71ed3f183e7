package dma

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
)

// CopyOut copies the data segments of the sources, in their order, and writes them to w. It returns
// the number of bytes that w has accepted. A source, which may be a list, may have 1 to BufferSize bytes. When the
// sequence gets control back, the source has been copied and may be changed, unless ctx has ended.
// Its bytes may not be written yet.
//
// Write runs in a goroutine of its own, one call at a time. Each call gets the bytes of one source.
// The slice belongs to Write until it returns.
//
// ctx limits the copies and the writing, but not the sequence. No Write begins after ctx has ended. A
// Write that blocks is left running (see [Stream]); what it accepts is not counted. If ctx has ended
// already, nothing begins. If anything else ends CopyOut, what was copied before is still written, however long
// that takes.
//
// Errors: those of the sequence, of w and of [DMA.Copy]; [io.ErrShortWrite] if Write accepts less
// than it gets without an error; ErrTooBig for a source that is larger than BufferSize;
// ErrInvalidValue if w, the sequence or a source is nil; ErrInUse if another call is running; a
// [*doca.StateError] if the stream is closed; ctx.Err(). Calls doca_dma_task_memcpy_alloc_init and
// doca_task_submit.
func (s *Stream) CopyOut(ctx context.Context, w io.Writer, sources iter.Seq2[*doca.Buffer, error]) (total int64, err error) {
	if s == nil || s.d == nil {
		return 0, noStream("copy")
	}
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
		select {
		case <-out.ended:
		case <-ctx.Done():
			if left := s.leaveLocked(out.ended, "Write", cmp.Or(err, ctx.Err())); s.left != nil {
				total, err = out.n.Load(), left
				return
			}
		}
		if total = out.n.Load(); err == nil {
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
		return s.d.c.fail(doca.ErrInvalidValue, "the sequence yielded a nil source")
	}
	if n := src.ListDataLen(); n > s.size {
		return s.d.c.fail(doca.ErrTooBig, fmt.Sprintf("the source has %d bytes, the stream's buffers have %d: see StreamConfig.BufferSize", n, s.size))
	}
	var buf *doca.Buffer
	select {
	case <-out.failed:
		return out.err
	case <-ctx.Done():
		return ctx.Err()
	case buf = <-out.free:
	}
	if err := s.copyLocked(ctx, buf, src); err != nil {
		return err
	}
	out.full <- buf
	return nil
}

// writing is the goroutine of CopyOut that writes.
type writing struct {
	s          *Stream
	w          io.Writer
	full, free chan *doca.Buffer
	failed     chan struct{} // closed when err is set
	ended      chan struct{} // closed when the goroutine has ended
	n          atomic.Int64
	err        error // valid when failed or ended is closed
}

func (o *writing) run(ctx context.Context) {
	defer close(o.ended)
	writes := false
	defer func() {
		if writes { // Write has ended the goroutine, as t.FailNow of a test does
			o.err = o.s.d.c.fail(doca.ErrUnexpected, "Write has ended its goroutine with runtime.Goexit, or panicked")
			close(o.failed)
		}
	}()
	for buf := range o.full {
		if o.err != nil {
			continue
		}
		if o.err = ctx.Err(); o.err == nil {
			writes = true
			o.err = o.write(buf)
			writes = false
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
		return o.s.d.c.fail(doca.ErrUnexpected, fmt.Sprintf("Write returned %d for %d bytes", n, len(data)))
	}
	o.n.Add(int64(n))
	if err == nil && n < len(data) {
		return io.ErrShortWrite
	}
	return err
}
