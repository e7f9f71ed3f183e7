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
// bytes, it must not write to them with one while another one is in use. The emulator finds that if
// DOCA_EMU_CHECK_OVERLAPS is 1. Where no list is needed, [DMA.CopyRange] is shorter and faster.
//
// If ctx has ended, Copy starts nothing. If ctx ends while Copy waits, it returns ctx.Err() at
// once. A copy that has begun then goes on, and its buffers stay in use until it ends.
//
// Errors: ErrInvalidValue for an empty source, for a destination that is too small, and for
// buffers that overlap or that the device cannot reach; ErrInUse if something uses the
// destination or writes to the source; ErrNotPermitted if the destination's memory is read-only for
// devices, or a buffer is inside a list; a [*doca.StateError] if the context does not run or a
// buffer is closed; and the error of the device, which leaves the context idle until Start.
// Calls doca_dma_task_memcpy_alloc_init and doca_task_submit.
func (d *DMA) Copy(ctx context.Context, dst, src *doca.Buffer) (int, error) {
	if d == nil || d.c == nil {
		return 0, noDMA("copy")
	}
	i, err := d.c.beginLocked(ctx)
	if err != nil {
		return 0, err
	}
	o := d.c.newOpLocked()
	o.here = true
	return d.c.blockLocked(ctx, o, i, d.c.launchLocked(o, i, dst, src))
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

// start starts a copy with a future.
func (c *core) start(ctx context.Context, dst, src *doca.Buffer, f *Future) error {
	i, err := c.beginLocked(ctx)
	if err != nil {
		return err
	}
	defer c.link.Unlock()
	o := c.newOpLocked()
	return c.startedLocked(o, i, f, c.launchLocked(o, i, dst, src))
}

// beginLocked waits for a slot. It returns with the lock, if there is no error.
func (c *core) beginLocked(ctx context.Context) (int32, error) {
	if err := bind.NeedContext(ctx, "copy", c.link); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return c.takeOneLocked(ctx, "copy")
}

// startedLocked ties a copy that was launched with slot i to its future. If it could not be launched,
// nothing is in flight, and the slot is free again.
func (c *core) startedLocked(o *copyOp, i int32, f *Future, err error) error {
	if err != nil {
		c.abandonLocked(o, i)
		return err
	}
	f.beginLocked(c, o)
	return nil
}

// blockLocked is the rest of a blocking copy that was launched with slot i. It waits for a copy that has
// not ended in the step of the engine that its submission has made. When it returns, the lock is free.
func (c *core) blockLocked(ctx context.Context, o *copyOp, i int32, err error) (int, error) {
	if err != nil {
		c.abandonLocked(o, i)
		c.link.Unlock()
		return 0, err
	}
	if o.stepped {
		c.steppedLocked(o)
	}
	if o.pending == 0 {
		n, err := o.n, o.err
		c.putOpLocked(o)
		c.link.Unlock()
		if err != nil {
			return 0, c.failed(ctx, err)
		}
		return n, nil
	}
	o.here = false
	f := futures.Get().(*Future)
	f.beginLocked(c, o)
	c.link.Unlock()
	n, err := f.Wait(ctx)
	if f.end.Completed() { // else the copy goes on, and keeps it
		futures.Put(f)
	}
	return n, err
}

// abandonLocked takes back what was prepared for a copy that could not be launched.
func (c *core) abandonLocked(o *copyOp, i int32) {
	c.putOpLocked(o)
	c.giveLocked(i)
}

// failed returns the error of a copy that has failed, when the context is idle, so that the caller can
// start it again.
func (c *core) failed(ctx context.Context, err error) error {
	c.link.WaitIdle(ctx) // if ctx ends first, Start waits
	var why reason
	return why.of(ctx, c, err)
}
