package dma

import (
	"context"
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// slot is the place of a task. The task is allocated when the slot is first used and
// kept until the context stops; its user data is the slot's counterpart in C.
type slot struct {
	memcpy   *gen.TaskMemcpy
	task     *common.Task
	src, dst *common.Buf // what the task points to; nil: unknown

	op    *op // the copy in flight
	parts [2]bind.Part
}

// applicant is a goroutine that waits for slots.
type applicant struct {
	op   string
	need int
	got  []int32
	done bind.Completion
}

// take waits for slots, appends them to out and returns with the lock held, unless
// there is an error.
func (c *core) take(ctx context.Context, op string, need int, out []int32) ([]int32, error) {
	if err := c.link.Lock(bind.OpSubmit, op); err != nil {
		return out, err
	}
	if len(c.queue) == 0 {
		if got, ok := c.pick(need, out); ok {
			return got, nil
		}
	}
	a := &applicant{op: op, need: need}
	a.done.Init(c.link)
	c.queue = append(c.queue, a)
	c.link.Unlock()

	err := a.done.Wait(ctx)
	c.link.LockAlways()
	if err == nil {
		err = c.link.Check(bind.OpSubmit, op)
	}
	if err == nil {
		return append(out, a.got...), nil
	}
	c.queue = slices.DeleteFunc(c.queue, func(x *applicant) bool { return x == a })
	c.free = append(c.free, a.got...)
	c.grant()
	c.link.Unlock()
	return out, err
}

// pick takes slots that are free, or held by batches that do not run.
func (c *core) pick(need int, out []int32) ([]int32, bool) {
	for len(c.free) < need && len(c.idle) > 0 {
		c.unhold(c.idle[0])
	}
	rest := len(c.free) - need
	if rest < 0 {
		return out, false
	}
	out = append(out, c.free[rest:]...)
	c.free = c.free[:rest]
	return out, true
}

// give takes a slot back.
func (c *core) give(i int32) {
	c.free = append(c.free, i)
	if len(c.queue) > 0 {
		c.grant()
	}
}

// grant serves those who wait, in the order they came.
func (c *core) grant() {
	for len(c.queue) > 0 {
		a := c.queue[0]
		got, ok := c.pick(a.need, nil)
		if !ok {
			return
		}
		a.got = got
		c.queue = slices.Delete(c.queue, 0, 1)
		a.done.Complete(nil)
	}
}

// aim makes item submit the task of slot i with these buffers.
func (c *core) aim(item *gen.TaskMemcpyItem, i int32, src, dst common.BufView) error {
	s := &c.slots[i]
	item.Exchange = 0
	if s.memcpy == nil {
		if err := c.allocTask(i, src.Buf, dst.Buf); err != nil {
			return err
		}
	} else if s.src != src.Buf || s.dst != dst.Buf {
		item.Exchange = 1
	}
	s.src, s.dst = src.Buf, dst.Buf
	item.Src, item.Dst = src, dst
	return nil
}

// allocTask makes the task of slot i.
func (c *core) allocTask(i int32, src, dst *common.Buf) error {
	s, inC := &c.slots[i], &c.inC.slots[i]
	memcpy, err := gen.TaskMemcpyAllocInit(c.raw, src, dst, inC.Data())
	if err != nil {
		return c.fail(err, "no task to be had")
	}
	if s.task, err = gen.TaskMemcpyAsTask(memcpy); err != nil {
		return c.fail(err, "")
	}
	s.memcpy = memcpy
	inC.Task, inC.Typed = unsafe.Pointer(s.task), unsafe.Pointer(memcpy)
	return nil
}

// forget says that the task of a slot may not point to what it was aimed at.
func (s *slot) forget() { s.src, s.dst = nil, nil }
