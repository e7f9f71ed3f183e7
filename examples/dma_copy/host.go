package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
)

// Between two Go programs the host's memory consists of windows that the two sides pass to
// each other, so that one is read or written while the DMA uses another. Each pass costs some
// messages and wake-ups, so windows are large.
const (
	windowSize = 8 << 20
	windows    = 2
)

// host is the host's side: it exports memory and waits until the DPU has copied.
func (t *transfer) host(ctx context.Context) error {
	mine := direction{inHost: t.src != nil, extended: true}
	if t.src != nil {
		mine.size = uint64(t.src.size)
	}
	if err := t.peer.send(ctx, mine); err != nil {
		return err
	}
	theirs, err := expect[direction](ctx, t.peer)
	if err != nil {
		return err
	}
	if !theirs.extended {
		return t.hostWhole(ctx, theirs.size)
	}
	defer t.peer.pulse(ctx)()
	if err := t.agree(ctx); err != nil {
		return err
	}
	mem, err := t.export(ctx, windows*windowSize)
	if err != nil {
		return err
	}
	t.ready()
	if t.src != nil {
		return t.hostSend(ctx, mem)
	}
	return t.hostReceive(ctx, mem)
}

// export allocates memory and sends the DPU its export descriptor.
func (t *transfer) export(ctx context.Context, n int) (*doca.Memory, error) {
	mem, desc, err := t.exportMemory(n)
	if err != nil {
		return nil, err
	}
	return mem, t.peer.send(ctx, exportDescriptor{addr: uint64(mem.Address()), desc: desc})
}

// exportMemory allocates memory that the DPU can reach, and returns its export descriptor.
func (t *transfer) exportMemory(n int) (*doca.Memory, []byte, error) {
	access := doca.AccessPCIReadWrite
	if t.src != nil {
		access = doca.AccessPCIReadOnly
	}
	mem, err := doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{t.dev}, Access: access})
	if err != nil {
		return nil, nil, err
	}
	t.mem = mem
	desc, err := mem.ExportPCI(t.dev)
	return mem, desc, err
}

// hostWhole copies with NVIDIA's program on the DPU: the whole file at once. The DPU has
// checked its size.
func (t *transfer) hostWhole(ctx context.Context, size uint64) error {
	if t.src != nil {
		size = uint64(t.src.size)
	}
	if t.size = int64(size); t.size <= 0 {
		return failf(reasonEmpty, "the file has %d bytes, but the other side's program copies at least 1", size)
	}
	t.ready()
	mem, desc, err := t.exportMemory(int(t.size))
	if err != nil {
		return err
	}
	if t.src == nil {
		if t.dst, err = createDestination(t.cfg.file, false); err != nil {
			return err
		}
	} else if _, err := io.ReadFull(t.reader(), mem.Bytes()); err != nil {
		return because(reasonSource, err)
	}
	if err := t.peer.send(ctx, exportDescriptor{addr: uint64(mem.Address()), desc: desc}); err != nil {
		return err
	}
	if _, err := expect[status](ctx, t.peer); err != nil {
		return err
	}
	if t.src != nil {
		return t.heardFinal()
	}
	if _, err := t.writer().Write(mem.Bytes()); err != nil {
		return err
	}
	if err := t.commit(ctx); err != nil {
		return err
	}
	return t.heardFinal()
}

// hostSend fills windows with the file and passes them to the DPU, which passes them back.
func (t *transfer) hostSend(ctx context.Context, mem *doca.Memory) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var filling sync.WaitGroup
	defer filling.Wait()
	defer cancel(nil)
	free := make(chan uint64, windows)
	for i := range uint64(windows) {
		free <- i * windowSize
	}
	var ended atomic.Bool
	filling.Go(func() { cancelWith(cancel, t.fill(ctx, mem, free, &ended)) })
	for {
		m, err := t.peer.recv(ctx)
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case status:
			if !ended.Load() {
				return unexpected(m)
			}
			return t.heardFinal()
		case pass:
			if m.at >= windows*windowSize || m.at%windowSize != 0 || len(free) == windows {
				return unexpected(m)
			}
			free <- m.at
		default:
			return unexpected(m)
		}
	}
}

// cancelWith cancels with err, unless it is nil.
func cancelWith(cancel context.CancelCauseFunc, err error) {
	if err != nil {
		cancel(err)
	}
}

// fill reads the file into free windows and passes them on. It sets ended before it sends the
// end: before that, the DPU cannot have succeeded.
func (t *transfer) fill(ctx context.Context, mem *doca.Memory, free <-chan uint64, ended *atomic.Bool) error {
	for r := t.reader(); ; {
		var at uint64
		select {
		case <-ctx.Done():
			return nil
		case at = <-free:
		}
		offset := t.sum.n
		n, err := io.ReadFull(r, mem.Bytes()[at:][:windowSize])
		if n > 0 {
			if err := t.peer.send(ctx, pass{at: at, offset: uint64(offset), len: uint64(n)}); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			ended.Store(true)
			return t.peer.send(ctx, end{crc: t.sum.crc, size: uint64(t.sum.n)})
		case err != nil:
			return err
		}
	}
}

// hostReceive passes empty windows to the DPU and writes the file from those that come back.
func (t *transfer) hostReceive(ctx context.Context, mem *doca.Memory) error {
	ctx, cancel := context.WithCancelCause(ctx)
	full := make(chan pass, windows)
	var draining sync.WaitGroup
	defer draining.Wait()
	closeFull := sync.OnceFunc(func() { close(full) })
	defer closeFull()
	defer cancel(nil)
	for i := range uint64(windows) {
		if err := t.peer.send(ctx, pass{at: i * windowSize, len: windowSize}); err != nil {
			return err
		}
	}
	draining.Go(func() { cancelWith(cancel, t.drain(ctx, mem, full)) })
	for offset := uint64(t.sum.n); ; {
		m, err := t.peer.recv(ctx)
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case pass:
			if m.at%windowSize != 0 || m.at >= windows*windowSize || m.len == 0 || m.len > windowSize || len(full) == windows {
				return unexpected(m)
			}
			if err := t.follows(m, offset); err != nil {
				return err
			}
			offset += m.len
			full <- m
		case end:
			closeFull()
			draining.Wait()
			if err := context.Cause(ctx); err != nil {
				return err
			}
			return t.finish(ctx, m)
		default:
			return unexpected(m)
		}
	}
}

// drain writes the file from full windows and passes them back empty.
func (t *transfer) drain(ctx context.Context, mem *doca.Memory, full <-chan pass) error {
	w := t.writer()
	for m := range full {
		if ctx.Err() != nil {
			return nil
		}
		if _, err := w.Write(mem.Bytes()[m.at:][:m.len]); err != nil {
			return err
		}
		if err := t.peer.send(ctx, pass{at: m.at, len: windowSize}); err != nil {
			return err
		}
	}
	return nil
}
