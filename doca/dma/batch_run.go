package dma

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

func (b *batch) submit(ctx context.Context) error {
	c := b.c
	if err := c.link.Lock(doca.OpSubmit, "run batch"); err != nil {
		return err
	}
	err := b.unused("run")
	n := b.claim.Len() / 2
	if err == nil && n == 0 {
		err = c.fail(doca.ErrEmpty, "the batch has no copies: Add some")
	}
	if err == nil {
		err = ctx.Err()
	}
	if window := b.window(); err == nil && len(b.slots) != window {
		b.waiting = true
		c.unhold(b)
		c.link.Unlock()
		slots, takeErr := c.take(ctx, "run batch", window, nil)
		if takeErr != nil {
			c.link.LockAlways()
			b.waiting = false
			c.link.Unlock()
			return takeErr
		}
		b.waiting = false
		if err = b.unused("run"); err == nil {
			c.hold(b, slots)
		} else { // it was closed meanwhile
			c.free = append(c.free, slots...)
			c.grant()
		}
	}
	if err == nil {
		err = b.launch(n)
	}
	c.link.Unlock()
	return err
}

// window is how many tasks work for the batch.
func (b *batch) window() int { return min(b.claim.Len()/2, len(b.c.slots)) }

// launch starts the copies with the tasks that the batch holds.
func (b *batch) launch(n int) error {
	c := b.c
	same, err := b.claim.Begin("run batch")
	if err != nil {
		return err
	}
	ready := same && b.epoch == c.epoch
	if !ready {
		if err := b.prepare(n); err != nil {
			b.forget()
			b.claim.Cancel()
			return err
		}
	}
	b.inC[0].Count = uint32(n)
	err = gen.TaskMemcpySubmitBatch(&b.inC[0], b.tasks[:len(b.slots)])
	b.errs = nil
	if err != nil {
		err = c.fail(err, "")
		b.forget()
		if b.inC[0].Taken == 0 {
			b.claim.Cancel()
			return err
		}
		b.failed(int(b.inC[0].Taken), err)
	}
	b.claim.Submitted(err == nil)
	if !ready && err == nil {
		b.settle(n)
	}
	b.end.Init(c.link)
	b.running = true
	c.removeIdle(b)
	c.link.Submitted(1) // the batch as a whole
	return nil
}

// prepare fills in the items anew.
func (b *batch) prepare(n int) error {
	for k := range n {
		size, err := b.c.measure(&b.claim, 2*k, &b.src, &b.dst)
		if err == nil && !b.c.fits(&b.claim, 2*k, size, len(b.src)) {
			err = b.c.fail(doca.ErrTooBig, fmt.Sprintf("the copy of %d bytes does not fit one task: use Copy", size))
		}
		if err == nil {
			err = b.aim(k, n, b.claim.View(2*k), b.claim.View(2*k+1))
		}
		if err != nil {
			return fmt.Errorf("%w (copy %d of the batch)", err, k)
		}
	}
	return nil
}

// aim prepares copy k of n. Where tasks take more than one copy each, any task may get it,
// long after the submission: the source is aimed now, the task gets the buffers then.
func (b *batch) aim(k, n int, src, dst common.BufView) error {
	if n <= len(b.slots) {
		return b.c.aim(&b.items[k], b.slots[k], src, dst)
	}
	if k < len(b.slots) {
		i := b.slots[k]
		if b.c.slots[i].memcpy == nil {
			if err := b.c.allocTask(i, src.Buf, dst.Buf); err != nil {
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

// settle reduces the items to what has to be done on each run while nothing changes:
// aim the destinations.
func (b *batch) settle(n int) {
	if n <= len(b.slots) {
		for k := range n {
			b.items[k].Exchange, b.items[k].Src = 0, common.BufView{}
		}
	}
	b.epoch = b.c.epoch
}

// forget says that the tasks may not be aimed as the items say.
func (b *batch) forget() {
	for _, i := range b.slots {
		b.c.slots[i].forget()
	}
	b.epoch = 0
}

// failed notes the error of copy k.
func (b *batch) failed(k int, err error) {
	if b.errs == nil {
		b.errs = make([]error, b.claim.Len()/2)
	}
	b.errs[k] = err
}

// batchEnded notes the end of a batch's last task.
func (c *core) batchEnded(b *batch) {
	b.running = false
	if len(c.waiting) > 0 {
		c.unhold(b)
		c.grant()
	} else {
		c.idle = append(c.idle, b)
	}
	if b.errs == nil {
		b.claim.End(nil)
		b.end.Complete(nil)
		return
	}
	b.forget()
	k := slices.IndexFunc(b.errs, func(err error) bool { return err != nil })
	for rest := int(b.inC[0].Taken); rest < len(b.errs); rest++ { // never begun
		b.failed(rest, b.errs[k])
	}
	b.claim.End(func(i int) bool { return b.errs[i/2] != nil })
	b.end.Complete(fmt.Errorf("%w (copy %d of the batch)", b.errs[k], k))
}

// hold gives slots to a batch that does not run.
func (c *core) hold(b *batch, slots []int32) {
	b.slots, b.epoch = slots, 0
	for k, i := range slots {
		b.tasks[k] = &c.inC.slots[i]
	}
	c.idle = append(c.idle, b)
}

// unhold takes the slots of a batch that does not run. They are free then.
func (c *core) unhold(b *batch) {
	c.removeIdle(b)
	c.free = append(c.free, b.slots...)
	b.slots = nil
}

// removeIdle takes a batch from the list of the idle ones.
func (c *core) removeIdle(b *batch) {
	if k := slices.Index(c.idle, b); k >= 0 {
		c.idle = slices.Delete(c.idle, k, k+1)
	}
}
