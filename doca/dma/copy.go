package dma

import (
	"context"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// Copy copies the data of src to dst, from the head of dst's region on. Either may be a list of
// buffers. Copy waits for a free task and for the end of the copy, and drives the engine while it
// waits. It returns the number of bytes copied: all of them, or 0 with an error.
//
// Copy knows which buffers are in use, not which bytes: if a program has several buffers on the same
// bytes, it must not write to them with one while another one is in use.
//
// If ctx has ended, Copy starts nothing. If ctx ends while Copy waits, it returns ctx.Err() at
// once. A copy that has begun then goes on, and its buffers stay in use until it ends.
//
// Errors: ErrInvalidValue for an empty source, for a destination that is too small, and for
// buffers that overlap or that the device cannot reach; ErrInUse if something uses the
// destination or writes to the source; ErrNotPermitted if the destination's memory is read-only for
// devices; a [*doca.StateError] if the context does not run or a
// buffer is closed; and the error of the device, which leaves the context idle until Start.
// Calls doca_dma_task_memcpy_alloc_init and doca_task_submit.
func (d *DMA) Copy(ctx context.Context, dst, src *doca.Buffer) (int, error) {
	if d == nil || d.c == nil {
		return 0, noDMA("copy")
	}
	f := futures.Get().(*Future)
	defer futures.Put(f)
	if err := d.c.start(ctx, dst, src, f); err != nil {
		return 0, err
	}
	err := f.end.Wait(ctx)
	if !f.end.Completed() {
		d.c.link.LockAlways()
		if f.op != nil {
			f.op.future, f.op = nil, nil
			d.c.link.Unlock()
			return 0, err
		}
		d.c.link.Unlock()
	}
	return f.result(ctx)
}

// CopyAsync is like Copy but returns when the copy has started. It waits for a free task, and ctx
// limits only that wait. CopyAsync returns the errors that are found before the copy starts; the
// future returns the others.
func (d *DMA) CopyAsync(ctx context.Context, dst, src *doca.Buffer) (*Future, error) {
	if d == nil || d.c == nil {
		return nil, noDMA("copy")
	}
	f := new(Future)
	if err := d.c.start(ctx, dst, src, f); err != nil {
		return nil, err
	}
	return f, nil
}

func (c *core) start(ctx context.Context, dst, src *doca.Buffer, f *Future) error {
	if err := bind.NeedContext(ctx, "copy", c.link); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var one [1]int32
	slots, err := c.takeLocked(ctx, "copy", 1, one[:0])
	if err != nil {
		return err
	}
	defer c.link.Unlock()
	f.c, f.n = c, 0
	f.end.Init(c.link)
	if err := c.submitLocked(slots[0], dst, src, f); err != nil {
		c.giveLocked(slots[0])
		return err
	}
	return nil
}
