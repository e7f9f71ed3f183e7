package main

import (
	"context"
	"errors"
	"iter"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// dpu is the DPU's side: it decides whether there is something to copy, and runs the DMA
// between the host's memory and its own.
func (t *transfer) dpu(ctx context.Context) (err error) {
	theirs, err := expect[direction](ctx, t.peer)
	if err != nil {
		return err
	}
	switch {
	case theirs.inHost && t.src != nil:
		return failf(reasonBoth, "the host has the file as well: remove the one to be replaced")
	case !theirs.inHost && t.src == nil:
		return failf(reasonNeither, "the host does not have the file either: with -f, name a file that one of the sides has")
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	copier, err := dma.New(t.dev, pe, dma.Config{})
	if err != nil {
		return because(reasonDMA, err)
	}
	defer func() { err = errors.Join(err, copier.Close()) }()
	stream, err := copier.NewStream(dma.StreamConfig{BufferSize: windowSize, Buffers: 2, FlushAfter: -1}) // full windows
	if err != nil {
		return because(reasonDMA, err)
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	if theirs.extended {
		err = t.dpuWindows(ctx, stream)
	} else {
		err = t.dpuWhole(ctx, stream, copier.Limits().MaxBufferSize, theirs.size)
	}
	if err != nil {
		return err
	}
	return t.peer.wait(ctx)
}

// answer tells the host that the copy may begin.
func (t *transfer) answer(ctx context.Context, extended bool) error {
	mine := direction{inHost: t.src == nil, extended: extended}
	if t.src != nil {
		mine.size = uint64(t.src.size)
	}
	return t.peer.send(ctx, mine)
}

// dpuWhole copies with NVIDIA's program on the host, by its rules: the file is no larger than
// one DMA.
func (t *transfer) dpuWhole(ctx context.Context, stream *dma.Stream, most, size uint64) error {
	if t.src != nil {
		size = uint64(t.src.size)
	}
	switch {
	case size == 0:
		return failf(reasonEmpty, "the file is empty, but the host's program copies at least 1 byte")
	case size > most:
		return failf(reasonTooLarge, "the file has %d bytes, but the host's program can copy at most %d, the largest DMA of this device: run this program on both sides", size, most)
	}
	t.size = int64(size)
	t.ready()
	if t.src == nil {
		var err error
		if t.dst, err = createDestination(t.cfg.file, false); err != nil {
			return err
		}
	}
	if err := t.answer(ctx, false); err != nil {
		return err
	}
	mem, at, err := t.importMemory(ctx, t.size)
	if err != nil {
		return err
	}
	if t.src != nil {
		_, err = stream.CopyIn(ctx, stream.Destinations(mem, at, int(t.size)), t.reader())
	} else {
		_, err = stream.CopyOut(ctx, t.writer(), stream.Sources(mem, at, int(t.size)))
	}
	if err != nil {
		return t.peer.explain(ctx, err)
	}
	slog.Info("DMA copy was done Successfully")
	if t.dst != nil {
		if err := t.commit(ctx); err != nil {
			return err
		}
	}
	return t.succeeded(ctx)
}

// importMemory receives the export descriptor of the host's memory and imports it. It returns
// the memory, and the offset of the n bytes in it that the host names.
func (t *transfer) importMemory(ctx context.Context, n int64) (*doca.Memory, int, error) {
	export, err := expect[exportDescriptor](ctx, t.peer)
	if err != nil {
		return nil, 0, err
	}
	mem, err := doca.ImportMemory(t.dev, export.desc)
	if err != nil {
		return nil, 0, t.peer.explain(ctx, err)
	}
	t.mem = mem
	at := export.addr - uint64(mem.Address())
	if size := uint64(mem.Len()); at > size || uint64(n) > size-at {
		return nil, 0, failf(reasonMessage, "the host has exported %d bytes at %#x, but says that the file is the %d bytes at %#x", size, mem.Address(), n, export.addr)
	}
	return mem, int(at), nil
}

// dpuWindows copies with a Go program on the host, through windows of its memory.
func (t *transfer) dpuWindows(ctx context.Context, stream *dma.Stream) error {
	if err := t.answer(ctx, true); err != nil {
		return err
	}
	defer t.peer.pulse(ctx)()
	if err := t.agree(ctx); err != nil {
		return err
	}
	mem, _, err := t.importMemory(ctx, 0)
	if err != nil {
		return err
	}
	t.ready()
	if t.src != nil {
		return t.dpuSend(ctx, stream, mem)
	}
	return t.dpuReceive(ctx, stream, mem)
}

// dpuSend copies the file into the host's windows.
func (t *transfer) dpuSend(ctx context.Context, stream *dma.Stream, mem *doca.Memory) error {
	if _, err := stream.CopyIn(ctx, t.emptyWindows(ctx, stream, mem), t.reader()); err != nil {
		return t.peer.explain(ctx, err)
	}
	slog.Info("DMA copy was done Successfully")
	if err := t.peer.send(ctx, end{crc: t.sum.crc, size: uint64(t.sum.n)}); err != nil {
		return err
	}
	for {
		m, err := t.peer.recv(ctx)
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case status:
			return t.succeeded(ctx)
		case pass: // an empty window that comes back after the end
		default:
			return unexpected(m)
		}
	}
}

// emptyWindows yields buffers on the windows that the host passes, and passes each window back
// with what was copied to it.
func (t *transfer) emptyWindows(ctx context.Context, stream *dma.Stream, mem *doca.Memory) iter.Seq2[*doca.Buffer, error] {
	offset := uint64(t.from)
	return func(yield func(*doca.Buffer, error) bool) {
		for {
			m, err := t.window(ctx, mem)
			if err != nil {
				yield(nil, err)
				return
			}
			got, more := 0, true
			for piece, err := range stream.Destinations(mem, int(m.at), int(m.len)) {
				if more = yield(piece, err); err != nil {
					return
				}
				got += piece.DataLen()
				if !more {
					break
				}
			}
			if got > 0 {
				if err := t.peer.send(ctx, pass{at: m.at, offset: offset, len: uint64(got)}); err != nil && more {
					yield(nil, err)
					return
				}
			}
			if offset += uint64(got); !more {
				return
			}
		}
	}
}

// window receives a window.
func (t *transfer) window(ctx context.Context, mem *doca.Memory) (pass, error) {
	m, err := expect[pass](ctx, t.peer)
	if err == nil {
		err = inside(m, mem)
	}
	return m, err
}

// inside checks that a window lies within the memory.
func inside(m pass, mem *doca.Memory) error {
	if size := uint64(mem.Len()); m.len == 0 || m.at > size || m.len > size-m.at {
		return failf(reasonMessage, "the host has passed %d bytes at %d of a memory of %d bytes", m.len, m.at, size)
	}
	return nil
}

// dpuReceive copies the file from the host's windows.
func (t *transfer) dpuReceive(ctx context.Context, stream *dma.Stream, mem *doca.Memory) error {
	var last end
	if _, err := stream.CopyOut(ctx, t.writer(), t.fullWindows(ctx, stream, mem, &last)); err != nil {
		return t.peer.explain(ctx, err)
	}
	slog.Info("DMA copy was done Successfully")
	return t.finish(ctx, last)
}

// fullWindows yields buffers on the windows that the host passes, and passes each window back
// once it is copied. It ends with the host's end message, which it stores in last.
func (t *transfer) fullWindows(ctx context.Context, stream *dma.Stream, mem *doca.Memory, last *end) iter.Seq2[*doca.Buffer, error] {
	offset := uint64(t.from)
	return func(yield func(*doca.Buffer, error) bool) {
		for {
			m, err := t.peer.recv(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			switch m := m.(type) {
			case end:
				*last = m
				return
			case pass:
				if err = inside(m, mem); err == nil {
					err = t.follows(m, offset)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				for piece, err := range stream.Sources(mem, int(m.at), int(m.len)) {
					if !yield(piece, err) || err != nil {
						return
					}
				}
				offset += m.len
				if err := t.peer.send(ctx, pass{at: m.at}); err != nil {
					yield(nil, err)
					return
				}
			default:
				yield(nil, unexpected(m))
				return
			}
		}
	}
}
