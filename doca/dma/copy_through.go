package dma

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"

	"github.com/go-doca/go-doca/doca"
)

// CopyThrough copies what r has, until its end, to w through a memory, which may be another
// process's (see [doca.ImportMemory]) that allows writing: the device writes each part there,
// over what there was, and reads it back. It returns the number of bytes that w has taken.
//
// Reading, both copies and writing go on at the same time if the memory has room for two parts
// or more; a part has DefaultStreamBufferSize bytes, or less in a small memory. It has two
// streams of DefaultStreamBuffers such parts each, for the time of the call. Read and Write
// run in a goroutine of their own each, never twice at once, and CopyThrough returns when
// they have returned and no copy is in flight. What r gave before an error is still written,
// unless the device, w or ctx has failed too.
//
// Its errors are the first ones of [DMA.NewStream], [Stream.CopyIn] and [Stream.CopyOut];
// ErrInvalidValue if w, the memory or r is nil, and a [*doca.StateError] if the memory is
// closed. Stands on doca_dma_task_memcpy_alloc_init and doca_task_submit.
func (d *DMA) CopyThrough(ctx context.Context, w io.Writer, mem *doca.Memory, r io.Reader) (n int64, err error) {
	switch {
	case mem == nil:
		return 0, d.c.fail(doca.ErrInvalidValue, "the memory is nil")
	case w == nil || r == nil:
		return 0, d.c.fail(doca.ErrInvalidValue, "the writer or the reader is nil")
	}
	cfg := StreamConfig{BufferSize: min(DefaultStreamBufferSize, (mem.Len()+1)/2)}
	if cfg.BufferSize == 0 {
		return 0, &doca.StateError{Object: mem.String(), State: doca.StateClosed, Op: "copy through memory"}
	}
	in, err := d.NewStream(cfg)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := d.NewStream(cfg)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	p, err := newRelay(mem, cfg.BufferSize)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	return p.run(ctx, w, r, in, out)
}

// relay is a memory in parts, which go to and fro between the two halves of CopyThrough.
type relay struct {
	inv        *doca.Inventory
	bufs       []*doca.Buffer // keeps the handles of those that are in no queue
	free, full chan *doca.Buffer
}

func newRelay(mem *doca.Memory, size int) (*relay, error) {
	parts := min(mem.Len()/size, DefaultStreamBuffers)
	inv, err := doca.NewInventory(parts)
	if err != nil {
		return nil, err
	}
	p := &relay{inv: inv, free: make(chan *doca.Buffer, parts), full: make(chan *doca.Buffer, parts)}
	for i := range parts {
		buf, err := inv.Buffer(mem, i*size, size)
		if err != nil {
			return nil, errors.Join(err, inv.Close())
		}
		p.bufs = append(p.bufs, buf)
		p.free <- buf
	}
	return p, nil
}

// close waits for the copies that are in flight.
func (p *relay) close() error {
	err := p.inv.Close()
	runtime.KeepAlive(p)
	return err
}

// run copies, and returns the error that came first. That of reading lets what was read be
// written; that of writing ends reading.
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
	reading.Go(func() {
		defer close(p.full)
		_, err := in.CopyIn(ctx, p.empty(ctx), r)
		note(err)
	})
	n, err := out.CopyOut(ctx, w, p.filled())
	if note(err); err != nil {
		cancel()
	}
	reading.Wait()
	return n, first
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
