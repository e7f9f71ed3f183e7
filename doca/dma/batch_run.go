package dma

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

func (b *batch) submit(ctx context.Context) error {
	c := b.c
	if err := c.link.Lock(bind.OpSubmit, "run batch"); err != nil {
		return err
	}
	err := b.unused("run")
	if err == nil && len(b.copies) == 0 {
		err = c.fail(doca.ErrEmpty, "the batch has no copies: Add some")
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		b.ran.Store(false)
	}
	if window := b.windowLocked(); err == nil && len(b.slots) != window {
		b.busyLocked(true)
		c.unholdLocked(b)
		c.link.Unlock()
		slots, takeErr := c.takeLocked(ctx, "run batch", window, nil)
		if takeErr != nil {
			c.link.LockAlways()
			b.busyLocked(false)
			c.link.Unlock()
			return takeErr
		}
		b.busyLocked(false)
		if err = b.unused("run"); err == nil {
			c.holdLocked(b, slots)
		} else { // the batch was closed meanwhile
			c.free = append(c.free, slots...)
			c.grantLocked()
		}
	}
	if err == nil {
		err = b.launchLocked()
	}
	c.link.Unlock()
	return err
}

// busyLocked says whether the batch can be changed.
func (b *batch) busyLocked(is bool) {
	switch {
	case b.items == nil: // it is closed
	case is:
		b.state.Store(batchBusy)
	default:
		b.state.Store(batchReady)
	}
}

// numItems returns the number of items: of copies that have bytes.
func (b *batch) numItems() int { return len(b.copies) - b.empty }

// copyOf returns the copy that an item is for.
func (b *batch) copyOf(item int) int {
	if b.empty == 0 {
		return item
	}
	for k := range b.copies {
		if b.hasItem(k) {
			if item == 0 {
				return k
			}
			item--
		}
	}
	return len(b.copies)
}

func (b *batch) hasItem(k int) bool { return b.copies[k].at >= 0 || b.copies[k].src.Len() > 0 }

// windowLocked returns how many tasks work for the batch.
func (b *batch) windowLocked() int { return min(b.numItems(), len(b.c.slots)) }

// launchLocked submits the copies with the tasks that the batch holds.
func (b *batch) launchLocked() error {
	c := b.c
	same, err := b.claim.Begin("run batch")
	if err != nil {
		return err
	}
	n := b.numItems()
	ready := same && !b.added && b.epoch == c.epoch
	if !ready || b.ranged > 0 {
		if err := b.prepareLocked(n, !ready); err != nil {
			b.forgetLocked()
			b.claim.Cancel()
			return err
		}
	}
	b.inC[0].Count = uint32(n)
	if n > 0 {
		err = gen.TaskMemcpySubmitBatch(&b.inC[0], b.tasks[:len(b.slots)])
	}
	b.errs = nil
	if err != nil {
		err = c.fail(err, "")
		b.forgetLocked()
		if b.inC[0].Taken == 0 {
			b.returnRangesLocked(len(b.copies))
			b.claim.Cancel()
			return err
		}
		b.failedLocked(b.copyOf(int(b.inC[0].Taken)), err)
	}
	b.claim.Submitted(err == nil)
	if !ready && err == nil {
		b.settleLocked(n)
	}
	b.end.Init(c.link)
	b.running = true
	b.busyLocked(true)
	b.ran.Store(true)
	c.removeIdleLocked(b)
	if n == 0 {
		c.batchEndedLocked(b)
		return nil
	}
	c.link.Submitted(1) // the batch counts as one task
	return nil
}

// prepareLocked fills in the n items: those of ranges, which take their buffers for each run, and with
// all those of buffers as well.
func (b *batch) prepareLocked(n int, all bool) error {
	item := 0
	for k := range b.copies {
		cp := &b.copies[k]
		var err error
		switch {
		case cp.at < 0 && cp.src.Len() == 0:
			continue
		case cp.at < 0:
			err = b.aimRangeLocked(item, n, cp.pair)
		case all:
			err = b.aimBuffersLocked(item, n, int(cp.at))
		}
		if err != nil {
			b.returnRangesLocked(k)
			return fmt.Errorf("%w (copy %d of the batch)", err, k)
		}
		item++
	}
	return nil
}

// aimRangeLocked prepares an item for a copy of a range.
func (b *batch) aimRangeLocked(item, n int, p pair) error {
	views, err := b.c.takeRangeLocked(p, "run batch")
	if err != nil {
		return err
	}
	if n <= len(b.slots) {
		err = b.c.aimLocked(&b.items[item], b.slots[item], views[0], views[1])
	} else {
		err = b.aimAnyLocked(item, views[0], views[1])
	}
	if err != nil {
		b.c.returnRangeLocked(p, views[0].Buf, views[1].Buf)
	}
	return err
}

// returnRangesLocked takes back the buffers of the ranges of the first n copies. The last ones come
// first, so that the next run gets the same ones: then its tasks have them already.
func (b *batch) returnRangesLocked(n int) {
	if b.ranged == 0 {
		return
	}
	item := n
	for k := 0; k < n && b.empty > 0; k++ {
		if !b.hasItem(k) {
			item--
		}
	}
	for k := n - 1; k >= 0; k-- {
		if !b.hasItem(k) {
			continue
		}
		item--
		if cp := &b.copies[k]; cp.at < 0 {
			b.c.ranges.Return(cp.dst, b.items[item].Dst.Buf)
			b.c.ranges.Return(cp.src, b.items[item].Src.Buf)
		}
	}
}

// aimBuffersLocked prepares an item for the copy of buffers that is at a place in the claim.
func (b *batch) aimBuffersLocked(item, n, at int) error {
	size, err := b.c.measureLocked(&b.claim, at, &b.src, &b.dst)
	if err != nil {
		return err
	}
	if !b.c.fitsLocked(&b.claim, at, size, len(b.src)) {
		return b.c.fail(doca.ErrTooBig, fmt.Sprintf("the copy of %d bytes does not fit one task: use Copy", size))
	}
	src, dst := b.claim.View(at), b.claim.View(at+1)
	if n <= len(b.slots) {
		return b.c.aimLocked(&b.items[item], b.slots[item], src, dst)
	}
	if src.Data != 0 { // now, because the item may be taken long after the submission
		if err := common.BufSetData(src.Buf, src.Data, src.Len); err != nil {
			return b.c.fail(err, "")
		}
		src.Data = 0
	}
	return b.aimAnyLocked(item, src, dst)
}

// aimAnyLocked prepares an item that any task may take. The task gets the buffers then.
func (b *batch) aimAnyLocked(item int, src, dst common.BufView) error {
	if item < len(b.slots) {
		i := b.slots[item]
		if b.c.slots[i].memcpy == nil {
			if err := b.c.allocTaskLocked(i, src.Buf, dst.Buf); err != nil {
				return err
			}
		}
		b.c.slots[i].forget()
	}
	b.items[item] = gen.TaskMemcpyItem{Exchange: 1, Src: src, Dst: dst}
	return nil
}

// settleLocked reduces the items of buffers to what each run has to do while nothing changes: set the
// data segments of the destinations.
func (b *batch) settleLocked(n int) {
	if n <= len(b.slots) && n > b.ranged {
		item := 0
		for k := range b.copies {
			if b.copies[k].at >= 0 {
				b.items[item].Exchange, b.items[item].Src = 0, common.BufView{}
			}
			if b.hasItem(k) {
				item++
			}
		}
	}
	b.epoch, b.added = b.c.epoch, false
}

// forgetLocked records that the tasks may not have the buffers of the items.
func (b *batch) forgetLocked() {
	for _, i := range b.slots {
		b.c.slots[i].forget()
	}
	b.epoch = 0
}

// failedLocked records the error of copy k.
func (b *batch) failedLocked(k int, err error) {
	if b.errs == nil {
		b.errs = make([]error, len(b.copies))
	}
	b.errs[k] = err
}

// batchEndedLocked handles the end of a batch's last task.
func (c *core) batchEndedLocked(b *batch) {
	b.running = false
	if len(c.waiting) > 0 {
		c.unholdLocked(b)
		c.grantLocked()
	} else {
		c.idle = append(c.idle, b)
	}
	b.returnRangesLocked(len(b.copies))
	if b.errs == nil {
		b.claim.End(nil)
		b.busyLocked(false)
		b.end.Complete(nil)
		return
	}
	b.forgetLocked()
	k := slices.IndexFunc(b.errs, func(err error) bool { return err != nil })
	for rest := int(b.inC[0].Taken); rest < b.numItems(); rest++ { // those that never began
		b.failedLocked(b.copyOf(rest), b.errs[k])
	}
	b.claim.End(func(i int) bool { return b.errs[b.pairs[i/2]] != nil })
	b.busyLocked(false)
	b.end.Complete(fmt.Errorf("%w (copy %d of the batch)", b.errs[k], k))
}

// holdLocked gives slots to a batch that does not run.
func (c *core) holdLocked(b *batch, slots []int32) {
	b.slots, b.epoch = slots, 0
	for k, i := range slots {
		b.tasks[k] = &c.inC.slots[i]
	}
	c.idle = append(c.idle, b)
}

// unholdLocked takes the slots from a batch that does not run. Then they are free.
func (c *core) unholdLocked(b *batch) {
	c.removeIdleLocked(b)
	c.free = append(c.free, b.slots...)
	b.slots = nil
}

// removeIdleLocked removes a batch from the list of the idle ones.
func (c *core) removeIdleLocked(b *batch) {
	if k := slices.Index(c.idle, b); k >= 0 {
		c.idle = slices.Delete(c.idle, k, k+1)
	}
}
