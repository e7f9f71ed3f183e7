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
	err := b.unusedLocked("run")
	n := b.claim.Len() / 2
	if err == nil && n == 0 {
		err = c.fail(doca.ErrEmpty, "the batch has no copies: Add some")
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		b.ran.Store(false)
	}
	if window := b.windowLocked(); err == nil && len(b.slots) != window {
		b.waiting = true
		c.unholdLocked(b)
		c.link.Unlock()
		slots, takeErr := c.takeLocked(ctx, "run batch", window, nil)
		if takeErr != nil {
			c.link.LockAlways()
			b.waiting = false
			c.link.Unlock()
			return takeErr
		}
		b.waiting = false
		if err = b.unusedLocked("run"); err == nil {
			c.holdLocked(b, slots)
		} else { // the batch was closed meanwhile
			c.free = append(c.free, slots...)
			c.grantLocked()
		}
	}
	if err == nil {
		err = b.launchLocked(n)
	}
	c.link.Unlock()
	return err
}

// windowLocked returns how many tasks work for the batch.
func (b *batch) windowLocked() int { return min(b.claim.Len()/2, len(b.c.slots)) }

// launchLocked submits the copies with the tasks that the batch holds.
func (b *batch) launchLocked(n int) error {
	c := b.c
	same, err := b.claim.Begin("run batch")
	if err != nil {
		return err
	}
	ready := same && b.epoch == c.epoch
	if !ready {
		if err := b.prepareLocked(n); err != nil {
			b.forgetLocked()
			b.claim.Cancel()
			return err
		}
	}
	b.inC[0].Count = uint32(n)
	err = gen.TaskMemcpySubmitBatch(&b.inC[0], b.tasks[:len(b.slots)])
	b.errs = nil
	if err != nil {
		err = c.fail(err, "")
		b.forgetLocked()
		if b.inC[0].Taken == 0 {
			b.claim.Cancel()
			return err
		}
		b.failedLocked(int(b.inC[0].Taken), err)
	}
	b.claim.Submitted(err == nil)
	if !ready && err == nil {
		b.settleLocked(n)
	}
	b.end.Init(c.link)
	b.running = true
	b.ran.Store(true)
	c.removeIdleLocked(b)
	c.link.Submitted(1) // the batch counts as one task
	return nil
}

// prepareLocked fills in the items from the claim.
func (b *batch) prepareLocked(n int) error {
	for k := range n {
		size, err := b.c.measureLocked(&b.claim, 2*k, &b.src, &b.dst)
		if err == nil && !b.c.fitsLocked(&b.claim, 2*k, size, len(b.src)) {
			err = b.c.fail(doca.ErrTooBig, fmt.Sprintf("the copy of %d bytes does not fit one task: use Copy", size))
		}
		if err == nil {
			err = b.aimLocked(k, n, b.claim.View(2*k), b.claim.View(2*k+1))
		}
		if err != nil {
			return fmt.Errorf("%w (copy %d of the batch)", err, k)
		}
	}
	return nil
}

// aimLocked prepares the item of copy k of n. If there are more copies than tasks, any task may
// take the item, long after the submission. Then the source's data segment is set now, and the
// task gets the buffers when it takes the item.
func (b *batch) aimLocked(k, n int, src, dst common.BufView) error {
	if n <= len(b.slots) {
		return b.c.aimLocked(&b.items[k], b.slots[k], src, dst)
	}
	if k < len(b.slots) {
		i := b.slots[k]
		if b.c.slots[i].memcpy == nil {
			if err := b.c.allocTaskLocked(i, src.Buf, dst.Buf); err != nil {
				return err
			}
		}
		b.c.slots[i].forget()
	}
	if src.Data != 0 {
		if err := common.BufSetData(src.Buf, src.Data, src.Len); err != nil {
			return b.c.fail(err, "")
		}
		src.Data = 0
	}
	b.items[k] = gen.TaskMemcpyItem{Exchange: 1, Src: src, Dst: dst}
	return nil
}

// settleLocked reduces the items to what each run has to do while nothing changes: set the data
// segments of the destinations.
func (b *batch) settleLocked(n int) {
	if n <= len(b.slots) {
		for k := range n {
			b.items[k].Exchange, b.items[k].Src = 0, common.BufView{}
		}
	}
	b.epoch = b.c.epoch
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
		b.errs = make([]error, b.claim.Len()/2)
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
	if b.errs == nil {
		b.claim.End(nil)
		b.end.Complete(nil)
		return
	}
	b.forgetLocked()
	k := slices.IndexFunc(b.errs, func(err error) bool { return err != nil })
	for rest := int(b.inC[0].Taken); rest < len(b.errs); rest++ { // those that never began
		b.failedLocked(rest, b.errs[k])
	}
	b.claim.End(func(i int) bool { return b.errs[i/2] != nil })
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
