package dma

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// Future is a copy that was started. It may be used from any goroutine, and dropped:
// the copy goes on regardless.
type Future struct {
	c   *core
	end bind.Completion
	op  *op // nil when the copy has ended; guarded by the engine's lock
	n   int
}

// futures are those of Copy, which nobody else sees.
var futures = sync.Pool{New: func() any { return new(Future) }}

// Copy copies the data of src, a buffer or a list, to dst, from the head of its region
// on, and returns the number of bytes, which is all or none. It waits for a free task,
// then for the copy, and drives the engine meanwhile.
//
// If ctx has ended beforehand nothing begins. If it ends first Copy returns ctx.Err() at
// once, and the copy goes on if it has begun: the buffers stay in use until it ends. Errors are ErrInvalidValue for an empty
// source, a destination that is too small, buffers that overlap or that the device
// cannot reach; ErrInUse for a destination in use; a [*doca.StateError] for a context
// that does not run or a buffer that is closed; and the device's error, after which the
// context is idle (Start starts it again). Stands on doca_dma_task_memcpy_alloc_init and
// doca_task_submit.
func (d *DMA) Copy(ctx context.Context, dst, src *doca.Buffer) (int, error) {
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

// CopyAsync starts a copy like that of Copy and returns without waiting for it. It
// waits for a free task, and ctx bounds that wait alone. The errors that Copy finds
// before it begins are returned here, the others by the future.
func (d *DMA) CopyAsync(ctx context.Context, dst, src *doca.Buffer) (*Future, error) {
	f := new(Future)
	if err := d.c.start(ctx, dst, src, f); err != nil {
		return nil, err
	}
	return f, nil
}

func (c *core) start(ctx context.Context, dst, src *doca.Buffer, f *Future) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var one [1]int32
	slots, err := c.take(ctx, "copy", 1, one[:0])
	if err != nil {
		return err
	}
	defer c.link.Unlock()
	f.c, f.n = c, 0
	f.end.Init(c.link)
	if err := c.submit(slots[0], dst, src, f); err != nil {
		c.give(slots[0])
		return err
	}
	return nil
}

// Wait waits until the copy has ended and returns the number of bytes copied, which is
// all or none. If ctx ends first it returns ctx.Err(), and Wait may be called again.
func (f *Future) Wait(ctx context.Context) (int, error) {
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() {
		return 0, err
	}
	return f.result(ctx)
}

// result returns what came out. After a failure the context is on its way to idle;
// callers find it there.
func (f *Future) result(ctx context.Context) (int, error) {
	err := f.end.Err()
	if err != nil {
		f.c.link.WaitIdle(ctx) // if ctx ends first, Start waits for the rest
	}
	return f.n, err
}

// Done returns a channel that is closed when the copy has ended. As long as it is open
// a goroutine drives the engine, so nobody has to call Wait.
func (f *Future) Done() <-chan struct{} { return f.end.Done() }

// Err returns the error of a copy that has ended; nil is success. Before that it
// returns an error that is ErrInProgress.
func (f *Future) Err() error { return f.end.Err() }
