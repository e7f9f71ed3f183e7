package dma

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/go-doca/go-doca/doca"
)

// The values of a StreamConfig that names none.
const (
	DefaultStreamBufferSize = 1 << 20
	DefaultStreamBuffers    = 4
)

// StreamConfig are the options of a Stream.
type StreamConfig struct {
	BufferSize int // bytes of each of its buffers; 0 is DefaultStreamBufferSize
	Buffers    int // at least 2; 0 is DefaultStreamBuffers
}

// Stream copies between an [io.Reader] or [io.Writer] and memory that only the device
// reaches, such as another process's (see [doca.ImportMemory]), by way of buffers of its
// own: while the device fills one, another is written, or read into.
//
// The device's side is a sequence of buffers, so that it may have an order and a pace of its
// own, such as that of a peer's messages. [Stream.Sources] and [Stream.Destinations] are
// sequences for a range of memory.
//
// A Stream does one thing at a time: one that is busy is ErrInUse. It belongs to its caller,
// who closes it.
type Stream struct {
	d    *DMA
	mem  *doca.Memory
	inv  *doca.Inventory
	bufs []*doca.Buffer
	size int
	busy sync.Mutex
}

// NewStream makes a stream that copies with d. Less than two buffers, or less than one byte
// each, are ErrInvalidValue.
func (d *DMA) NewStream(cfg StreamConfig) (*Stream, error) {
	if cfg.BufferSize == 0 {
		cfg.BufferSize = DefaultStreamBufferSize
	}
	if cfg.Buffers == 0 {
		cfg.Buffers = DefaultStreamBuffers
	}
	if cfg.BufferSize < 1 || cfg.Buffers < 2 {
		return nil, d.c.fail(doca.ErrInvalidValue, fmt.Sprintf("a stream of %d buffers of %d bytes: two of one byte are the least", cfg.Buffers, cfg.BufferSize))
	}
	mem, err := doca.NewMemory(cfg.Buffers*cfg.BufferSize, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}})
	if err != nil {
		return nil, err
	}
	s := &Stream{d: d, mem: mem, size: cfg.BufferSize}
	if s.inv, err = doca.NewInventory(cfg.Buffers + 1); err != nil { // one for a piece of memory
		return nil, errors.Join(err, mem.Close())
	}
	for i := range cfg.Buffers {
		buf, err := s.inv.Buffer(mem, i*cfg.BufferSize, cfg.BufferSize)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.bufs = append(s.bufs, buf)
	}
	return s, nil
}

// BufferSize returns the size of each of the stream's buffers, in bytes.
func (s *Stream) BufferSize() int { return s.size }

// Close frees the stream's buffers. It waits for copies that a call has left behind.
func (s *Stream) Close() error { return errors.Join(s.inv.Close(), s.mem.Close()) }

// begin claims the stream and returns a queue with all its buffers.
func (s *Stream) begin() (chan *doca.Buffer, error) {
	if !s.busy.TryLock() {
		return nil, s.d.c.fail(doca.ErrInUse, "the stream is busy: one call at a time")
	}
	free := make(chan *doca.Buffer, len(s.bufs))
	for _, buf := range s.bufs {
		free <- buf
	}
	return free, nil
}

// CopyOut copies the data segments of the sources to w, in their order, and returns the
// number of bytes that w has taken. A source may have at most BufferSize bytes. When the
// sequence gets control back from one, that one has been copied, and may be changed; its
// bytes are then on their way to w. An error of the sequence ends the copy, and so do those
// of Copy and of w; what was copied before is still written, unless w has failed. ctx
// bounds the copies, not the sequence, nor w.
func (s *Stream) CopyOut(ctx context.Context, w io.Writer, sources iter.Seq2[*doca.Buffer, error]) (int64, error) {
	free, err := s.begin()
	if err != nil {
		return 0, err
	}
	defer s.busy.Unlock()
	out := &writing{w: w, full: make(chan *doca.Buffer, len(s.bufs)), free: free, failed: make(chan struct{}), ended: make(chan struct{})}
	go out.run()
	for src, failed := range sources {
		if err = failed; err == nil {
			err = s.copyOut(ctx, out, src)
		}
		if err != nil {
			break
		}
	}
	close(out.full)
	<-out.ended
	if err == nil {
		err = out.err
	}
	return out.n, err
}

func (s *Stream) copyOut(ctx context.Context, out *writing, src *doca.Buffer) error {
	if n := src.DataLen(); n > s.size {
		return s.d.c.fail(doca.ErrTooBig, fmt.Sprintf("a source of %d bytes, and the stream's buffers have %d", n, s.size))
	}
	var buf *doca.Buffer
	select {
	case <-out.failed:
		return out.err
	case buf = <-out.free:
	}
	if _, err := s.d.Copy(ctx, buf, src); err != nil {
		return err
	}
	out.full <- buf
	return nil
}

// writing is the writer's side of CopyOut.
type writing struct {
	w          io.Writer
	full, free chan *doca.Buffer
	failed     chan struct{} // closed with the first error
	ended      chan struct{}
	n          int64
	err        error
}

func (o *writing) run() {
	defer close(o.ended)
	for buf := range o.full {
		if o.err != nil {
			continue
		}
		data := buf.Data()
		n, err := o.w.Write(data)
		o.n += int64(n)
		if err == nil && n < len(data) {
			err = io.ErrShortWrite
		}
		if err != nil {
			o.err = err
			close(o.failed)
			continue
		}
		o.free <- buf
	}
}

// CopyIn copies what r has, until its end, to the destinations, in their order, and returns
// the number of bytes copied. Each gets as much as it has room for or less, at most
// BufferSize bytes, from the head of its region on. When the sequence gets control back from
// one, its data segment is what it has got; that is empty if the copy has failed, and if r
// was at its end, so one more may be asked for than is needed. An error of the sequence ends
// the copy, and so do those of Copy and of r; destinations without room for all of it are
// ErrFull. ctx bounds the copies, not the sequence; CopyIn returns when Read has returned.
func (s *Stream) CopyIn(ctx context.Context, destinations iter.Seq2[*doca.Buffer, error], r io.Reader) (total int64, err error) {
	free, err := s.begin()
	if err != nil {
		return 0, err
	}
	defer s.busy.Unlock()
	in := &reading{r: r, free: free, full: make(chan chunk, len(s.bufs)), stop: make(chan struct{})}
	go in.run()
	defer func() {
		close(in.stop)
		for range in.full { // until the reader has ended
		}
	}()
	var next chunk
	for dst, failed := range destinations {
		if failed != nil {
			return total, failed
		}
		if next.n == 0 {
			if next = <-in.full; next.n == 0 {
				return total, in.err
			}
		}
		n := min(next.n, dst.Len())
		if err := next.buf.SetData(next.off, n); err != nil {
			return total, err
		}
		if _, err := s.d.Copy(ctx, dst, next.buf); err != nil {
			return total, err
		}
		total += int64(n)
		next.off, next.n = next.off+n, next.n-n
		if next.n == 0 {
			in.free <- next.buf
		}
	}
	if next.n == 0 {
		if next = <-in.full; next.n == 0 {
			return total, in.err
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
	r    io.Reader
	full chan chunk
	free chan *doca.Buffer
	stop chan struct{}
	err  error // may be looked at when full is closed
}

func (i *reading) run() {
	defer close(i.full)
	for i.err == nil {
		select {
		case <-i.stop:
			return
		case buf := <-i.free:
			var n int
			if n, i.err = fill(buf.Bytes(), i.r); n > 0 {
				i.full <- chunk{buf: buf, n: n}
			}
		}
	}
	if i.err == io.EOF {
		i.err = nil
	}
}

// fill reads until b is full or there is an error. [io.ReadFull] would not tell whether it is
// the reader that calls its end unexpected.
func fill(b []byte, r io.Reader) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		k, err = r.Read(b[n:])
		n += k
	}
	return n, err
}

// Sources is the sequence of the pieces of the n bytes at off of a memory, for CopyOut.
func (s *Stream) Sources(mem *doca.Memory, off, n int) iter.Seq2[*doca.Buffer, error] {
	return s.pieces(mem, off, n, true)
}

// Destinations is the sequence of the pieces of the n bytes at off of a memory, for CopyIn.
func (s *Stream) Destinations(mem *doca.Memory, off, n int) iter.Seq2[*doca.Buffer, error] {
	return s.pieces(mem, off, n, false)
}

func (s *Stream) pieces(mem *doca.Memory, off, n int, source bool) iter.Seq2[*doca.Buffer, error] {
	return func(yield func(*doca.Buffer, error) bool) {
		for done := 0; done < n; {
			piece, err := s.inv.Buffer(mem, off+done, min(s.size, n-done))
			if err == nil && source {
				err = piece.SetData(0, piece.Len())
			}
			more := yield(piece, err)
			if err != nil {
				return
			}
			if n := piece.DataLen(); n > 0 { // a destination may have got less than it has room for
				done += n
			} else {
				done += piece.Len()
			}
			if err := piece.Close(); err != nil && more {
				yield(nil, err)
				return
			}
			if !more {
				return
			}
		}
	}
}
