package dma

import (
	"context"
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// slot is the place of a task. The first use of the slot allocates the task, and the slot keeps it
// until the context stops. The user data of the task is the slot's counterpart in C, which has the task.
type slot struct {
	src, dst *common.Buf // the buffers of the task in DOCA; nil: unknown

	op     *copyOp // the copy in flight, unless it is one of a batch
	single *single // what C has of it
}

// forget records that the task may not have the buffers that it was given.
func (s *slot) forget() { s.src, s.dst = nil, nil }

// waiter is a goroutine that waits for slots, in the operation op.
type waiter struct {
	op    string
	batch *batch // the slots are for its copies; nil: for a copy by itself
	need  int
	got   []int32
	done  bind.Completion
}

// takeOneLocked is takeLocked for one slot.
func (c *core) takeOneLocked(ctx context.Context, op string) (int32, error) {
	if err := c.link.LockFor(ctx, bind.OpSubmit, op); err != nil {
		return 0, err
	}
	if len(c.waiting) == 0 && (len(c.free) > 0 || c.gatherLocked(1)) {
		last := len(c.free) - 1
		i := c.free[last]
		c.free = c.free[:last]
		return i, nil
	}
	var one [1]int32
	got, err := c.awaitLocked(ctx, op, nil, 1, one[:0])
	if err != nil {
		return 0, err
	}
	return got[0], nil
}

// takeLocked waits for need slots for a batch and appends them to out. The caller does not hold the lock; takeLocked
// takes it, and keeps it if there is no error. It fails if the batch is closed meanwhile.
func (c *core) takeLocked(ctx context.Context, b *batch, need int, out []int32) ([]int32, error) {
	if err := c.link.LockFor(ctx, bind.OpSubmit, "run batch"); err != nil {
		return out, err
	}
	if b.state.Load() == batchClosed {
		c.link.Unlock()
		return out, b.closedError("run batch")
	}
	if len(c.waiting) == 0 {
		if got, ok := c.pickLocked(need, out); ok {
			return got, nil
		}
	}
	return c.awaitLocked(ctx, "run batch", b, need, out)
}

// awaitLocked waits for need slots, for the batch b or, if it is nil, for a copy by itself. It appends them to out. The caller
// holds the lock; after an error it is free.
func (c *core) awaitLocked(ctx context.Context, op string, b *batch, need int, out []int32) ([]int32, error) {
	a := c.newWaiterLocked()
	a.op, a.batch, a.need = op, b, need
	a.done.InitLocal(c.link)
	c.waiting = append(c.waiting, a)
	c.link.Unlock()

	err := a.done.Wait(ctx)
	c.link.LockAlways()
	if err == nil {
		err = c.link.Check(bind.OpSubmit, op)
	}
	if err == nil {
		out = append(out, a.got...)
		c.putWaiterLocked(a)
		return out, nil
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(x *waiter) bool { return x == a })
	c.free = append(c.free, a.got...)
	c.putWaiterLocked(a)
	c.grantLocked()
	c.link.Unlock()
	return out, err
}

func (c *core) newWaiterLocked() *waiter {
	last := len(c.waiters) - 1
	if last < 0 {
		return new(waiter)
	}
	a := c.waiters[last]
	c.waiters = c.waiters[:last]
	return a
}

// putWaiterLocked keeps a waiter for the next wait, so that waits do not allocate. It is in no list, and who
// has ended its wait did so with the lock.
func (c *core) putWaiterLocked(a *waiter) {
	a.batch, a.got = nil, a.got[:0]
	c.waiters = append(c.waiters, a)
}

// endWaitLocked ends the wait of a batch for slots, if it waits.
func (c *core) endWaitLocked(b *batch, err error) {
	for k, a := range c.waiting {
		if a.batch == b {
			c.waiting = slices.Delete(c.waiting, k, k+1)
			a.done.Complete(err)
			return
		}
	}
}

// gatherLocked makes slots free that batches hold which do not run, or that those which run do not need, until need are free. It
// reports whether there are as many.
func (c *core) gatherLocked(need int) bool {
	for len(c.free) < need && len(c.idle) > 0 {
		c.unholdLocked(c.idle[0])
	}
	if len(c.free) < need {
		c.spareLocked()
	}
	return len(c.free) >= need
}

// pickLocked takes free slots, which it gathers. It takes all or none.
func (c *core) pickLocked(need int, out []int32) ([]int32, bool) {
	if !c.gatherLocked(need) {
		return out, false
	}
	rest := len(c.free) - need
	out = append(out, c.free[rest:]...)
	c.free = c.free[:rest]
	return out, true
}

// giveLocked takes a slot back.
func (c *core) giveLocked(i int32) {
	c.free = append(c.free, i)
	if len(c.waiting) > 0 {
		c.grantLocked()
	}
}

// grantLocked gives slots to those who wait, in the order in which they came.
func (c *core) grantLocked() {
	for len(c.waiting) > 0 {
		a := c.waiting[0]
		got, ok := c.pickLocked(a.need, a.got)
		if !ok {
			return
		}
		a.got = got
		c.waiting = slices.Delete(c.waiting, 0, 1)
		a.done.Complete(nil)
	}
}

// aimedLocked prepares an item that has its buffers for the task of slot i.
func (c *core) aimedLocked(item *gen.TaskMemcpyItem, i int32) error {
	s := &c.slots[i]
	item.Exchange = 0
	if s.src == item.Src.Buf && s.dst == item.Dst.Buf {
		return nil
	}
	if s.src == nil && c.inC[i].Task == nil {
		if err := c.allocTaskLocked(i, item.Src.Buf, item.Dst.Buf); err != nil {
			return err
		}
	} else {
		item.Exchange = 1
	}
	s.src, s.dst = item.Src.Buf, item.Dst.Buf
	return nil
}

// allocTaskLocked allocates the task of slot i.
func (c *core) allocTaskLocked(i int32, src, dst *common.Buf) error {
	inC := &c.inC[i]
	memcpy, err := gen.TaskMemcpyAllocInit(c.raw, src, dst, inC.Data())
	if err != nil {
		return c.fail(err, "DOCA gave no task")
	}
	task, err := gen.TaskMemcpyAsTask(memcpy)
	if err != nil {
		return c.fail(err, "")
	}
	inC.Task, inC.Typed = unsafe.Pointer(task), unsafe.Pointer(memcpy)
	return nil
}

// releaseLocked frees the tasks. The context is stopping, and none is in flight.
func (c *core) releaseLocked() {
	for i := range c.slots {
		if inC := &c.inC[i]; inC.Task != nil {
			common.TaskFree((*common.Task)(inC.Task)) // it cannot fail: it returns nothing in C, and DOCA has the function
			*inC = abi.Slot{}
			c.slots[i].forget()
		}
	}
	c.epoch++
}
