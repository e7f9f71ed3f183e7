package dma

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// CopyRange copies the n bytes of src that begin at srcOff to dst, from dstOff on. It needs no
// buffers: a program with memories has all that it takes. Offsets and n are in bytes. If n is 0,
// CopyRange checks that the ranges lie within their memories, and copies nothing. It waits for a free task and
// for the end of the copy, and drives the engine while it waits. A copy that is larger than the limit of a task
// is cut.
//
// While the copy is in flight, both ranges belong to the device, and a Close of either memory waits
// for it. Copies at the same time must not write to the same bytes, nor to bytes that another one
// reads: CopyRange does not find that, but the emulator does if DOCA_EMU_CHECK_OVERLAPS is 1.
//
// If ctx has ended, CopyRange starts nothing. If ctx ends while it waits, it returns ctx.Err() at
// once. A copy that has begun then goes on.
//
// Errors: ErrInvalidValue if a memory is nil, for ranges that do not lie within their memories or
// that overlap, and for memory that the device cannot reach; ErrNotPermitted if dst is read-only for
// devices; a [*doca.StateError] if the context does not run or a memory is closed; and the error of
// the device, which leaves the context idle until Start. Calls doca_dma_task_memcpy_alloc_init,
// doca_buf_set_data and doca_task_submit.
func (d *DMA) CopyRange(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if d == nil || d.c == nil {
		return noDMA("copy")
	}
	var p pair
	if err := d.c.aim(ctx, &p, dst, dstOff, src, srcOff, n); err != nil {
		return err
	}
	i, err := d.c.beginLocked(ctx)
	if err != nil {
		return err
	}
	o := d.c.newOpLocked()
	o.here = true
	_, err = d.c.blockLocked(ctx, o, i, d.c.launchRangeLocked(o, i, &p))
	return err
}

// CopyRangeAsync is like [DMA.CopyRange] but returns when the copy has started. It waits for a free
// task, and ctx limits only that wait. CopyRangeAsync returns the errors that are found before the
// copy starts; the future returns the others.
func (d *DMA) CopyRangeAsync(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) (*Future, error) {
	if d == nil || d.c == nil {
		return nil, noDMA("copy")
	}
	var p pair
	if err := d.c.aim(ctx, &p, dst, dstOff, src, srcOff, n); err != nil {
		return nil, err
	}
	i, err := d.c.beginLocked(ctx)
	if err != nil {
		return nil, err
	}
	defer d.c.link.Unlock()
	o, f := d.c.newOpLocked(), new(Future)
	if err = d.c.startedLocked(o, i, f, d.c.launchRangeLocked(o, i, &p)); err != nil {
		return nil, err
	}
	return f, nil
}

// pair is what a copy of a range reads and writes.
type pair struct{ src, dst bind.Segment }

// held says which buffers an item has for a pair.
type held struct{ src, dst bind.Held }

// aim checks the ranges of a copy.
func (p *pair) aim(c *core, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if dst == nil || src == nil {
		return c.fail(doca.ErrInvalidValue, "source or destination is nil")
	}
	if err := p.src.Aim(src, srcOff, n, "copy"); err != nil {
		return err
	}
	if err := p.dst.Aim(dst, dstOff, n, "copy"); err != nil {
		return err
	}
	if p.src.Overlaps(p.dst) {
		return c.fail(doca.ErrInvalidValue, fmt.Sprintf("source and destination overlap: %d bytes at %d and at %d", n, srcOff, dstOff))
	}
	return nil
}

// aim checks the arguments of a copy.
func (c *core) aim(ctx context.Context, p *pair, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if err := bind.NeedContext(ctx, "copy", c.link); err != nil {
		return err
	}
	return p.aim(c, dst, dstOff, src, srcOff, n)
}

// launchRangeLocked submits a copy of a range with slot i. After an error nothing is in flight.
func (c *core) launchRangeLocked(o *copyOp, i int32, p *pair) error {
	o.ranged, o.n = true, p.src.Len()
	switch {
	case o.n == 0: // there is nothing to do
		c.giveLocked(i)
		return nil
	case uint64(o.n) > c.limits.MaxBufferSize:
		return c.launchCutLocked(o, i, p)
	}
	s, err := c.takeSingleLocked()
	if err != nil {
		return err
	}
	if err = c.holdRangeLocked(&s.item, &s.held, p, "copy"); err == nil {
		err = c.submitSingleLocked(o, s, i)
	}
	if err != nil {
		c.giveSingleLocked(s)
	}
	return err
}

// launchCutLocked is launchRangeLocked for a copy that one task cannot do. The copy holds buffers on both
// memories of its own until its end, for others may close a memory between two parts.
func (c *core) launchCutLocked(o *copyOp, i int32, p *pair) error {
	if err := c.holdRangeLocked(&o.view, &o.held, p, "copy"); err != nil {
		return err
	}
	o.src, o.dst = append(o.src[:0], p.src), append(o.dst[:0], p.dst)
	err := c.submitPartsLocked(o, i)
	if err != nil {
		c.releaseRangeLocked(&o.view, &o.held)
	}
	return err
}

// holdRangeLocked gives an item the buffers for a copy of a range.
func (c *core) holdRangeLocked(item *gen.TaskMemcpyItem, h *held, p *pair, op string) error {
	err := c.ranges.Read(&item.Src, &h.src, p.src, op)
	if err == nil {
		err = c.ranges.Write(&item.Dst, &h.dst, p.dst, op)
	}
	if err != nil {
		c.releaseRangeLocked(item, h)
	}
	return err
}

// releaseRangeLocked takes the buffers of an item back. The last one taken comes first, so that the
// next copy gets the same ones.
func (c *core) releaseRangeLocked(item *gen.TaskMemcpyItem, h *held) {
	c.ranges.Release(&item.Dst, &h.dst)
	c.ranges.Release(&item.Src, &h.src)
}

// recallLocked is called when a memory is to be closed. A batch that runs may have items of earlier runs, with more copies.
func (c *core) recallLocked() {
	for _, b := range c.batches {
		switch {
		case b == nil:
		case b.running:
			b.routes.Recall(b.rangesEnd())
		default:
			b.recallLocked()
		}
	}
	for _, s := range c.singles {
		c.releaseRangeLocked(&s.item, &s.held)
	}
}
