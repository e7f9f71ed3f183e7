package dma

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"syscall"

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
// sequences for a range of memory. It runs in the caller's goroutine; Read and Write run in a
// goroutine of their own, one call at a time, and none is running when CopyIn and CopyOut
// have returned.
//
// A Stream does one thing at a time: one that is busy is ErrInUse. When ctx ends a call, a
// copy may still be in flight between one of the stream's buffers and one of the caller's;
// the next call first waits for it, as long as its own ctx lasts.
//
// It belongs to its caller, who closes it. Closing its DMA or the device makes its calls
// fail; the slices that Read and Write have stay valid all the same.
type Stream struct {
	d    *DMA
	data []byte // mapped, until Close
	mem  *doca.Memory
	inv  *doca.Inventory
	bufs []*doca.Buffer
	size int
	busy sync.Mutex
	last *Future // the copy that was started last
}

// NewStream makes a stream that copies with d, and allocates its memory: Buffers times
// BufferSize bytes. Errors: ErrInvalidValue for less than two buffers, or less than one byte
// each; ErrTooBig and ErrNoMemory for more than there can be, or is; a [*doca.StateError] if d
// or its device is closed. Stands on doca_mmap_create, doca_mmap_set_memrange,
// doca_mmap_start, doca_buf_inventory_create, doca_buf_inventory_start and
// doca_buf_inventory_buf_get_by_args.
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
	if cfg.Buffers > math.MaxInt/cfg.BufferSize {
		return nil, d.c.fail(doca.ErrTooBig, fmt.Sprintf("a stream of %d buffers of %d bytes", cfg.Buffers, cfg.BufferSize))
	}
	if d.State() == doca.StateClosed {
		return nil, &doca.StateError{Object: d.String(), State: doca.StateClosed, Op: "create stream"}
	}
	s := &Stream{d: d, size: cfg.BufferSize, last: new(Future)}
	// Memory of NewMemory would go with the device, while a Read may be writing to it.
	var err error
	s.data, err = syscall.Mmap(-1, 0, cfg.Buffers*cfg.BufferSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, d.c.fail(fmt.Errorf("%w: %w", doca.ErrNoMemory, err), fmt.Sprintf("a stream of %d buffers of %d bytes", cfg.Buffers, cfg.BufferSize))
	}
	if s.mem, err = doca.RegisterMemory(s.data, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}}); err != nil {
		return nil, errors.Join(err, s.unmap())
	}
	if s.inv, err = doca.NewInventory(cfg.Buffers + 1); err != nil { // one for a piece of memory
		return nil, errors.Join(err, s.mem.Close(), s.unmap())
	}
	for i := range cfg.Buffers {
		buf, err := s.inv.Buffer(s.mem, i*cfg.BufferSize, cfg.BufferSize)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.bufs = append(s.bufs, buf)
	}
	return s, nil
}

// BufferSize returns the size of each of the stream's buffers, in bytes.
func (s *Stream) BufferSize() int { return s.size }

// Close frees the stream's buffers. It waits for a copy that a call has left behind. A stream
// that is busy stays open, which is ErrInUse; closing one that is closed is no error. Stands
// on doca_buf_dec_refcount, doca_buf_inventory_destroy and doca_mmap_destroy.
func (s *Stream) Close() error {
	if !s.busy.TryLock() {
		return s.d.c.fail(doca.ErrInUse, "the stream is busy: end the call before Close")
	}
	defer s.busy.Unlock()
	if err := errors.Join(s.inv.Close(), s.mem.Close()); err != nil {
		return err // the device may still use what is mapped
	}
	return s.unmap()
}

func (s *Stream) unmap() error {
	data := s.data
	if s.data = nil; data == nil {
		return nil
	}
	return syscall.Munmap(data)
}

// beginLocked claims the stream and returns a queue with all its buffers, none of which is in
// flight. The caller unlocks busy if there is no error.
func (s *Stream) beginLocked(ctx context.Context) (free chan *doca.Buffer, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !s.busy.TryLock() {
		return nil, s.d.c.fail(doca.ErrInUse, "the stream is busy: one call at a time")
	}
	defer func() {
		if err != nil {
			s.busy.Unlock()
		}
	}()
	if err := s.settleLocked(ctx); err != nil {
		return nil, err
	}
	free = make(chan *doca.Buffer, len(s.bufs))
	for _, buf := range s.bufs {
		if buf.Bytes() == nil {
			return nil, s.closed()
		}
		free <- buf
	}
	return free, nil
}

func (s *Stream) closed() error {
	return &doca.StateError{Object: "stream of " + s.d.String(), State: doca.StateClosed, Op: "copy"}
}

// settleLocked waits for the copy that the call before has left behind. How it ends is no concern
// of this call.
func (s *Stream) settleLocked(ctx context.Context) error {
	link := s.d.c.link
	link.LockAlways()
	inFlight := s.last.op != nil
	link.Unlock()
	if !inFlight {
		return nil
	}
	if _, err := s.last.Wait(ctx); err != nil && !s.last.end.Completed() {
		return err
	}
	return nil
}

// copyLocked is [DMA.Copy], except that what ctx leaves in flight can be waited for later.
func (s *Stream) copyLocked(ctx context.Context, dst, src *doca.Buffer) error {
	if err := s.d.c.start(ctx, dst, src, s.last); err != nil {
		return err
	}
	_, err := s.last.Wait(ctx)
	return err
}

// Sources is the sequence of the pieces of the n bytes at off of a memory, for CopyOut. A
// piece has BufferSize bytes, the last one what is left. It is closed when the sequence gets
// control back, which waits until its copy has ended, also after the end of ctx; so it is the
// only one. A range that is not within the memory is ErrInvalidValue, which the
// sequence gives when it gets there. Stands on doca_buf_inventory_buf_get_by_args and
// doca_buf_dec_refcount.
func (s *Stream) Sources(mem *doca.Memory, off, n int) iter.Seq2[*doca.Buffer, error] {
	return s.pieces(mem, off, n, true)
}

// Destinations is the sequence of the pieces of the n bytes at off of a memory, for CopyIn. A
// piece is at the end of what the one before has got. Otherwise it is like Sources.
func (s *Stream) Destinations(mem *doca.Memory, off, n int) iter.Seq2[*doca.Buffer, error] {
	return s.pieces(mem, off, n, false)
}

func (s *Stream) pieces(mem *doca.Memory, off, n int, source bool) iter.Seq2[*doca.Buffer, error] {
	return func(yield func(*doca.Buffer, error) bool) {
		if n < 0 {
			yield(nil, s.d.c.fail(doca.ErrInvalidValue, fmt.Sprintf("a range of %d bytes", n)))
			return
		}
		for done, more := 0, true; more && done < n; {
			var got int
			got, more = s.piece(mem, off+done, min(s.size, n-done), source, yield)
			done += got
		}
	}
}

// piece yields a piece and closes it, even if yield panics. It returns by how much the next
// one is further on, and whether there is to be one.
func (s *Stream) piece(mem *doca.Memory, off, n int, source bool, yield func(*doca.Buffer, error) bool) (got int, more bool) {
	piece, err := s.inv.Buffer(mem, off, n)
	if err != nil {
		yield(nil, err)
		return 0, false
	}
	defer func() {
		if err := piece.Close(); err != nil && more {
			yield(nil, err)
			more = false
		}
	}()
	if source {
		if err := piece.SetData(0, n); err != nil {
			yield(nil, err)
			return 0, false
		}
	}
	more = yield(piece, nil)
	if got := piece.DataLen(); got > 0 { // a destination may have got less than it has room for
		return got, more
	}
	return n, more
}
