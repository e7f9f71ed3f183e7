package dma

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/go-doca/go-doca/doca"
)

// CopyThrough copies what r has, until its end, to w through a memory, which may be another
// process's (see [doca.ImportMemory]) that allows writing: the device writes each part there
// and reads it back. It returns the number of bytes that w has taken. Reading, both copies
// and writing go on at the same time if the memory has room for two parts or more; a part has
// DefaultStreamBufferSize bytes, or less in a small memory. Its errors are those of
// [Stream.CopyIn] and [Stream.CopyOut]; it returns when Read and Write have returned.
func (d *DMA) CopyThrough(ctx context.Context, w io.Writer, mem *doca.Memory, r io.Reader) (n int64, err error) {
	if mem == nil {
		return 0, d.c.fail(doca.ErrInvalidValue, "the memory is nil")
	}
	cfg := StreamConfig{BufferSize: min(DefaultStreamBufferSize, (mem.Len()+1)/2)}
	if cfg.BufferSize == 0 {
		return 0, d.c.fail(doca.ErrBadState, "the memory is closed")
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
	defer func() { err = errors.Join(err, p.inv.Close()) }()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	filled := make(chan error, 1)
	go func() {
		_, err := in.CopyIn(ctx, p.empty(ctx), r)
		if err != nil {
			cancel(err)
		}
		close(p.full)
		filled <- err
	}()
	n, outErr := out.CopyOut(ctx, w, p.filled())
	if outErr != nil {
		cancel(outErr)
	}
	if inErr := <-filled; inErr != nil && context.Cause(ctx) == inErr {
		return n, inErr
	}
	return n, outErr
}

// relay is a memory in parts, which go to and fro between the two halves of CopyThrough.
type relay struct {
	inv        *doca.Inventory
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
		p.free <- buf
	}
	return p, nil
}

func (p *relay) empty(ctx context.Context) iter.Seq2[*doca.Buffer, error] {
	return func(yield func(*doca.Buffer, error) bool) {
		for {
			select {
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
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

// CopyFile copies a file with DMA to a path in this machine, and keeps its mode. What is there
// is replaced when the copy is complete, and not touched if it fails. The source must be a
// regular file.
func (d *DMA) CopyFile(ctx context.Context, dst, src string) (n int64, err error) {
	from, err := os.Open(src)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, d.c.fail(doca.ErrInvalidValue, fmt.Sprintf("%s is not a regular file", src))
	}
	mem, err := doca.NewMemory(DefaultStreamBuffers*DefaultStreamBufferSize, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, mem.Close()) }()
	to, err := os.CreateTemp(filepath.Dir(dst), "."+filepath.Base(dst)+".*")
	if err != nil {
		return 0, err
	}
	if n, err = d.CopyThrough(ctx, to, mem, from); err == nil {
		err = install(to, dst, info.Mode().Perm())
	}
	if err != nil {
		return n, errors.Join(err, to.Close(), os.Remove(to.Name()))
	}
	return n, nil
}

// install gives a complete file its mode and its name.
func install(f *os.File, path string, mode fs.FileMode) error {
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return f.Close()
}
