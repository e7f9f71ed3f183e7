package dma

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// The defaults of the fields of a StreamConfig.
const (
	DefaultStreamBufferSize = 1 << 20
	DefaultStreamBuffers    = 4
	DefaultStreamFlushAfter = 10 * time.Millisecond
)

// leaveLimit is how long a call that ends early waits for a Read or Write that is running.
const leaveLimit = 100 * time.Millisecond

// StreamConfig holds the options of a Stream. The zero value suits most programs.
type StreamConfig struct {
	BufferSize int // the size of each buffer, in bytes; 0 means DefaultStreamBufferSize
	Buffers    int // the number of buffers, at least 2; 0 means DefaultStreamBuffers

	// FlushAfter is how long CopyIn keeps the first bytes of a buffer and waits for more from a slow
	// reader. Then it copies what there is. 0 means DefaultStreamFlushAfter; less than 0 means that a
	// buffer waits until it is full, the reader ends, or [Stream.Flush].
	FlushAfter time.Duration
}

// Stream copies between an [io.Reader] or [io.Writer] and memory that only the device reaches, such
// as the memory of another process (see [doca.ImportMemory]). The data goes through buffers of the
// stream: while the device copies to or from one, another is read into or written.
//
// The device's side is a sequence of buffers, which the caller provides. So the program decides on
// their order and pace, for example by the messages of a peer. [Stream.Sources] and
// [Stream.Destinations] return sequences for a range of memory. The sequence runs in the caller's
// goroutine. Read and Write run in a goroutine of their own, one call at a time. A CopyIn that ends
// early, and a CopyOut whose ctx ends, do not wait for a Read or Write that blocks for longer than 100
// milliseconds. Then the error is also ErrInUse to errors.Is, the Read or Write goes on, and the reader or
// writer must not be used until it has returned; closing most readers and writers makes it return. With any
// other result, no Read or Write is running.
//
// A Stream does one thing at a time: a call returns ErrInUse while another one runs. When ctx ends a
// call, a copy between a buffer of the stream and one of the caller may still be in flight. The
// next call first waits for that copy, and for a Read or Write that goes on, as long as its own ctx
// allows.
//
// A Stream belongs to its caller, who closes it. When its DMA or the device is closed, its calls
// fail. The slices that Read and Write have got stay valid all the same.
type Stream struct {
	d    *DMA
	data []byte // the memory of the buffers, mapped until Close
	mem  *doca.Memory
	inv  *doca.Inventory
	bufs []*doca.Buffer
	size int

	flushAfter time.Duration // less than 0: never
	flush      chan struct{} // holds a token after Flush

	busy sync.Mutex      // held during a call
	last *Future         // the latest copy
	left <-chan struct{} // closed when the Read or Write that a call has left running has returned; or nil
}

// NewStream returns a stream that copies with d. It allocates Buffers times BufferSize bytes.
// Errors: ErrInvalidValue for less than two buffers or less than one byte each; ErrTooBig if the
// total size overflows an int; ErrNoMemory if there is not enough memory; a [*doca.StateError] if
// d or its device is closed. What cannot be freed after an error, closing the DMA frees. Calls doca_mmap_create, doca_mmap_set_memrange, doca_mmap_start,
// doca_buf_inventory_create, doca_buf_inventory_start and doca_buf_inventory_buf_get_by_args.
func (d *DMA) NewStream(cfg StreamConfig) (*Stream, error) {
	if d == nil || d.c == nil {
		return nil, noDMA("create stream")
	}
	if cfg.BufferSize == 0 {
		cfg.BufferSize = DefaultStreamBufferSize
	}
	if cfg.Buffers == 0 {
		cfg.Buffers = DefaultStreamBuffers
	}
	if cfg.FlushAfter == 0 {
		cfg.FlushAfter = DefaultStreamFlushAfter
	}
	if cfg.BufferSize < 1 || cfg.Buffers < 2 {
		return nil, d.c.fail(doca.ErrInvalidValue, fmt.Sprintf("a stream of %d buffers of %d bytes: it needs at least 2 buffers of 1 byte", cfg.Buffers, cfg.BufferSize))
	}
	if cfg.Buffers > math.MaxInt/cfg.BufferSize {
		return nil, d.c.fail(doca.ErrTooBig, fmt.Sprintf("a stream of %d buffers of %d bytes", cfg.Buffers, cfg.BufferSize))
	}
	if d.State() == doca.StateClosed {
		return nil, &doca.StateError{Object: d.String(), State: doca.StateClosed, Op: "create stream"}
	}
	s := &Stream{d: d, size: cfg.BufferSize, flushAfter: cfg.FlushAfter, flush: make(chan struct{}, 1), last: new(Future)}
	// Closing the device would free memory of NewMemory while a Read may be writing to it.
	var err error
	s.data, err = syscall.Mmap(-1, 0, cfg.Buffers*cfg.BufferSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, d.c.fail(fmt.Errorf("%w: %w", doca.ErrNoMemory, err), fmt.Sprintf("a stream of %d buffers of %d bytes", cfg.Buffers, cfg.BufferSize))
	}
	if s.mem, err = doca.RegisterMemory(s.data, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}}); err != nil {
		return nil, errors.Join(err, s.unmap())
	}
	if s.inv, err = doca.NewInventory(cfg.Buffers + 1); err != nil { // one more for a piece of memory: see pieces
		return nil, errors.Join(err, d.c.closeLater(s.closeMemory))
	}
	for i := range cfg.Buffers {
		buf, err := s.inv.Buffer(s.mem, i*cfg.BufferSize, cfg.BufferSize)
		if err != nil {
			return nil, errors.Join(err, d.c.closeLater(s.Close))
		}
		s.bufs = append(s.bufs, buf)
	}
	return s, nil
}

// BufferSize returns the size of each of the stream's buffers, in bytes.
func (s *Stream) BufferSize() int {
	if s == nil {
		return 0
	}
	return s.size
}

// Flush makes a CopyIn that is running copy what was read so far, without waiting for a full buffer or
// for FlushAfter. It does not wait for that. Any goroutine may call it, also the reader in its Read.
// Without a CopyIn it does nothing. Errors: ErrInvalidValue for nil and a zero value.
func (s *Stream) Flush() error {
	if s == nil || s.d == nil {
		return noStream("flush")
	}
	s.askFlush()
	return nil
}

func (s *Stream) askFlush() {
	select {
	case s.flush <- struct{}{}:
	default:
	}
}

// Close frees the stream's buffers. It waits for a copy that an earlier call has left in flight, but
// not for a Read or Write: the memory of that stays mapped until it returns. If a
// call is running, Close returns ErrInUse, and the stream stays open. Close is idempotent. Calls
// doca_buf_dec_refcount, doca_buf_inventory_destroy and doca_mmap_destroy.
func (s *Stream) Close() error {
	if s == nil || s.d == nil {
		return noStream("close")
	}
	if !s.busy.TryLock() {
		return s.d.c.fail(doca.ErrInUse, "the stream is busy: end the call before Close")
	}
	defer s.busy.Unlock()
	if err := errors.Join(s.inv.Close(), s.mem.Close()); err != nil {
		return err // the device may still use the memory
	}
	return s.unmap()
}

// closeMemory closes the memory of a stream that has no buffers, and frees it.
func (s *Stream) closeMemory() error {
	if err := s.mem.Close(); err != nil {
		return err // the device may still use it
	}
	return s.unmap()
}

func (s *Stream) unmap() error {
	data := s.data
	if s.data = nil; data == nil {
		return nil
	}
	if left := s.left; left != nil {
		go func() {
			<-left
			syscall.Munmap(data)
		}()
		return nil
	}
	return syscall.Munmap(data)
}

// leaveLocked waits a while for the goroutine that reads or writes. If that does not end, the
// error says so, besides err. The caller holds busy.
func (s *Stream) leaveLocked(ended <-chan struct{}, call string, err error) error {
	timer := time.NewTimer(leaveLimit)
	defer timer.Stop()
	select {
	case <-ended:
		return err
	case <-timer.C:
	}
	s.left = ended
	if err == nil { // the sequence has panicked
		return s.d.c.fail(doca.ErrInUse, "")
	}
	return s.d.c.fail(fmt.Errorf("%w: %w", err, doca.ErrInUse), fmt.Sprintf("a %s has not returned: close what it waits for, and do not use that before", call))
}

// beginLocked locks busy and returns a queue with all buffers of the stream, none of which is in
// flight. If there is no error, busy stays locked, and the caller unlocks it.
func (s *Stream) beginLocked(ctx context.Context) (free chan *doca.Buffer, err error) {
	if err := bind.NeedContext(ctx, "copy", s.d); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !s.busy.TryLock() {
		return nil, s.d.c.fail(doca.ErrInUse, "the stream is busy: it does one thing at a time")
	}
	defer func() {
		if err != nil {
			s.busy.Unlock()
		}
	}()
	if err := s.settleLocked(ctx); err != nil {
		return nil, err
	}
	select {
	case <-s.flush: // it was meant for an earlier call
	default:
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

// settleLocked waits for a Read or Write that an earlier call has left running and for a copy that it has
// left in flight, and ignores their errors. The caller holds busy.
func (s *Stream) settleLocked(ctx context.Context) error {
	if s.left != nil {
		select {
		case <-s.left:
			s.left = nil
		case <-ctx.Done():
			return s.d.c.fail(ctx.Err(), "a Read or Write of an earlier call has not returned: close what it waits for")
		}
	}
	link := s.d.c.link
	if err := link.LockAlwaysFor(ctx); err != nil {
		return err
	}
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

// copyLocked is like [DMA.Copy], but if ctx leaves the copy in flight, settleLocked can wait for it
// later. The caller holds busy.
func (s *Stream) copyLocked(ctx context.Context, dst, src *doca.Buffer) error {
	if err := s.d.c.start(ctx, dst, src, s.last); err != nil {
		return err
	}
	_, err := s.last.Wait(ctx)
	return err
}

// Sources returns a sequence of buffers for CopyOut: the n bytes at off of a memory, in pieces of
// BufferSize bytes and a last one with the rest. There is one piece at a time: when the sequence
// gets control back, it waits until the copy of the piece has ended, even if ctx has ended, and aims
// the same buffer at the next piece, or closes it. If the range is not within the memory, the sequence
// yields ErrInvalidValue when it gets there. Calls doca_buf_inventory_buf_get_by_args and
// doca_buf_dec_refcount.
func (s *Stream) Sources(mem *doca.Memory, off, n int) iter.Seq2[*doca.Buffer, error] {
	return s.pieces(mem, off, n, true)
}

// Destinations returns a sequence of buffers for CopyIn: pieces of the n bytes at off of a memory. A
// piece may receive less data than it has room for, and the next one begins where that data
// ends. Otherwise Destinations is like Sources.
func (s *Stream) Destinations(mem *doca.Memory, off, n int) iter.Seq2[*doca.Buffer, error] {
	return s.pieces(mem, off, n, false)
}

func (s *Stream) pieces(mem *doca.Memory, off, n int, source bool) iter.Seq2[*doca.Buffer, error] {
	if s == nil || s.d == nil {
		return func(yield func(*doca.Buffer, error) bool) { yield(nil, noStream("copy")) }
	}
	return func(yield func(*doca.Buffer, error) bool) {
		if n < 0 {
			yield(nil, s.d.c.fail(doca.ErrInvalidValue, fmt.Sprintf("a range of %d bytes: the length must not be negative", n)))
			return
		}
		var piece *doca.Buffer
		more := true
		defer func() { // also if yield panics
			if piece == nil {
				return
			}
			if err := piece.Close(); err != nil && more {
				yield(nil, err)
			}
		}()
		for done := 0; done < n; {
			var err error
			piece, err = s.aim(piece, mem, off+done, min(s.size, n-done), source)
			if more = false; err != nil {
				yield(nil, err)
				return
			}
			if more = yield(piece, nil); !more {
				return
			}
			if got := piece.DataLen(); got > 0 { // a destination may have received less than it has room for
				done += got
			} else {
				done += piece.Len()
			}
		}
	}
}

// aim returns a piece: the one before, aimed at another region, or a new one.
func (s *Stream) aim(piece *doca.Buffer, mem *doca.Memory, off, n int, source bool) (*doca.Buffer, error) {
	if piece != nil {
		err := piece.Reset(off, n)
		if !errors.Is(err, doca.ErrInUse) {
			if err == nil && !source {
				err = piece.SetData(0, 0)
			}
			return piece, err
		}
		if err := piece.Close(); err != nil { // which waits for the copy
			return piece, err
		}
	}
	if source {
		return s.inv.Source(mem, off, n)
	}
	return s.inv.Buffer(mem, off, n)
}
