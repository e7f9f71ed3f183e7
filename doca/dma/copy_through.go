package dma

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// CopyThrough reads r until its end and writes the data to w. The data goes through mem: the device
// writes each part there, over what was there, and reads it back. mem may be the memory of another
// process that allows writing (see [doca.ImportMemory]). CopyThrough returns the number of bytes
// that w has accepted.
//
// A part has DefaultStreamBufferSize bytes, or half of mem if that is less. If mem has room for two
// parts or more, reading, both copies and writing go on at the same time. During the call,
// CopyThrough has two streams of DefaultStreamBuffers such parts. Read and Write each run in a
// goroutine of their own, one call at a time. A part that a slow r does not fill goes on after
// DefaultStreamFlushAfter. If r fails, the data that it gave before is still written, unless the
// device, w or ctx has failed as well.
//
// CopyThrough returns when Read and Write have returned and no copy is in flight. When ctx ends, it waits
// 100 milliseconds for a Read or Write that blocks, and when w or the device has failed, for a Read that
// does. Then it returns an error that is also ErrInUse to errors.Is, and the Read or Write goes on until
// something makes it return: close r and w, or set their deadlines. Do not use them otherwise before it has
// returned. What such a Read reads is lost, and what such a Write accepts is not counted. As long as ctx
// has not ended, CopyThrough waits for a Write that blocks, also when r or the device has failed.
//
// Errors: the first one of [DMA.NewStream], [Stream.CopyIn] and [Stream.CopyOut]; ErrInvalidValue
// if w, mem or r is nil, or mem is a zero value; a [*doca.StateError] if mem is closed. Calls
// doca_dma_task_memcpy_alloc_init and doca_task_submit. What could not be closed at the end, closing
// the DMA closes.
func (d *DMA) CopyThrough(ctx context.Context, w io.Writer, mem *doca.Memory, r io.Reader) (n int64, err error) {
	if d == nil || d.c == nil {
		return 0, noDMA("copy through memory")
	}
	if err := bind.NeedContext(ctx, "copy through memory", d.c.link); err != nil {
		return 0, err
	}
	switch {
	case mem == nil:
		return 0, d.c.fail(doca.ErrInvalidValue, "the memory is nil")
	case w == nil || r == nil:
		return 0, d.c.fail(doca.ErrInvalidValue, "the writer or the reader is nil")
	}
	room := mem.Len()
	if room == 0 { // it is closed, or a zero value
		var none bind.Segment
		return 0, none.Aim(mem, 0, 0, "copy through memory")
	}
	cfg := StreamConfig{BufferSize: min(DefaultStreamBufferSize, (room+1)/2)}
	in, err := d.NewStream(cfg)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.c.closeLater(in.Close)) }()
	out, err := d.NewStream(cfg)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.c.closeLater(out.Close)) }()
	p, err := newRelay(mem, min(room/cfg.BufferSize, DefaultStreamBuffers), cfg.BufferSize)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.c.closeLater(p.close)) }()
	return p.run(ctx, w, r, in, out)
}

// closeLater calls close. If that fails, closing the DMA calls it again.
func (c *core) closeLater(close func() error) error {
	err := close()
	if err != nil {
		c.leftMu.Lock()
		c.left = append(c.left, close)
		c.leftMu.Unlock()
	}
	return err
}

// closeLeft calls the functions that closeLater has left.
func (c *core) closeLeft() error {
	c.leftMu.Lock()
	defer c.leftMu.Unlock()
	var errs []error
	c.left = slices.DeleteFunc(c.left, func(close func() error) bool {
		err := close()
		errs = append(errs, err)
		return err == nil
	})
	return errors.Join(errs...)
}

// Close closes the DMA as [doca.Context.Close] does, and what CopyThrough, CopyFile and NewStream could not close.
func (d *DMA) Close() error { return d.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx; see [doca.Context.Shutdown].
func (d *DMA) Shutdown(ctx context.Context) error {
	if d == nil || d.c == nil {
		return noDMA("close")
	}
	if err := bind.NeedContext(ctx, "close", d); err != nil {
		return err
	}
	return errors.Join(d.c.closeLeft(), d.Context.Shutdown(ctx))
}

// relay is a memory in parts that go back and forth between the two halves of CopyThrough.
type relay struct {
	inv        *doca.Inventory
	bufs       []*doca.Buffer // so that the handles of those in no queue live on
	free, full chan *doca.Buffer
}

func newRelay(mem *doca.Memory, parts, size int) (*relay, error) {
	inv, err := doca.NewInventory(parts)
	if err != nil {
		return nil, err
	}
	p := &relay{inv: inv, free: make(chan *doca.Buffer, parts), full: make(chan *doca.Buffer, parts)}
	for i := range parts {
		buf, err := inv.Buffer(mem, i*size, size)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.bufs = append(p.bufs, buf)
		p.free <- buf
	}
	return p, nil
}

// close closes the parts. It waits for the copies in flight.
func (p *relay) close() error {
	err := p.inv.Close()
	runtime.KeepAlive(p)
	return err
}

// run copies, and returns the first error. After an error of reading, what was read is still
// written. An error of writing ends reading.
func (p *relay) run(ctx context.Context, w io.Writer, r io.Reader, in, out *Stream) (n int64, first error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var once sync.Once
	note := func(err error) {
		if err != nil {
			once.Do(func() { first = err })
		}
	}
	var reading sync.WaitGroup
	var readErr error
	reading.Go(func() {
		defer close(p.full)
		_, readErr = in.CopyIn(ctx, p.empty(ctx), r)
		note(readErr)
	})
	failed := func(err error) { // a Read that blocks must not keep this from ending
		note(err)
		cancel()
	}
	n, err := out.CopyOut(ctx, &watchedWriter{w, failed}, p.filled())
	if note(err); err != nil {
		cancel()
	}
	reading.Wait()
	for _, err := range []error{readErr, err} { // that a Read or Write goes on is not to be missed
		if errors.Is(err, doca.ErrInUse) && !errors.Is(first, doca.ErrInUse) {
			first = errors.Join(first, err)
		}
	}
	return n, first
}

// watchedWriter reports the errors of a writer at once.
type watchedWriter struct {
	w      io.Writer
	failed func(error)
}

func (w *watchedWriter) Write(b []byte) (n int, err error) {
	n, err = w.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil && n >= 0 && n <= len(b) {
		w.failed(err)
	}
	return n, err
}

func (p *relay) empty(ctx context.Context) iter.Seq2[*doca.Buffer, error] {
	return func(yield func(*doca.Buffer, error) bool) {
		for {
			select {
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			case buf := <-p.free:
				err := buf.SetData(0, 0)
				if !yield(buf, err) || err != nil {
					return
				}
				p.full <- buf
			}
		}
	}
}

func (p *relay) filled() iter.Seq2[*doca.Buffer, error] {
	return func(yield func(*doca.Buffer, error) bool) {
		for buf := range p.full {
			if !yield(buf, nil) {
				return
			}
			p.free <- buf
		}
	}
}
