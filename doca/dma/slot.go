package dma

import (
	"context"
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// slot is the place of a task. The task is allocated when the slot is first used and
// kept until the context stops; its user data is the slot's counterpart in C.
type slot struct {
	memcpy   *gen.TaskMemcpy
	task     *common.Task
	src, dst *common.Buf // what the task points to; nil: unknown

	op    *copyOp // the copy in flight
	parts [2]doca.Part
}

// forget says that the task of a slot may not point to what it was aimed at.
func (s *slot) forget() { s.src, s.dst = nil, nil }

// tasksInC is what C needs to know of the tasks, in its own memory: for each slot the slot
// itself, and a batch of one item for when the task works for a single copy.
type tasksInC struct {
	slots   []abi.Slot
	one     []abi.Batch
	item    []gen.TaskMemcpyItem
	pointer []*abi.Slot
}

func (t *tasksInC) alloc(n int) (err error) {
	if t.slots, err = abi.Alloc[abi.Slot](n); err != nil {
		return err
	}
	if t.one, err = abi.Alloc[abi.Batch](n); err != nil {
		return err
	}
	if t.item, err = abi.Alloc[gen.TaskMemcpyItem](n); err != nil {
		return err
	}
	if t.pointer, err = abi.Alloc[*abi.Slot](n); err != nil {
		return err
	}
	for i := range n {
		t.pointer[i] = &t.slots[i]
		t.one[i].User, t.one[i].Items = abi.Data(i), unsafe.Pointer(&t.item[i])
	}
	return nil
}

// free gives the memory back, also what a failed alloc has left.
func (t *tasksInC) free() {
	abi.Free(t.slots)
	abi.Free(t.one)
	abi.Free(t.item)
	abi.Free(t.pointer)
	*t = tasksInC{}
}

// submitOne submits the task of slot i for its own item.
func (t *tasksInC) submitOne(i int32) error {
	t.one[i].Count = 1
	return gen.TaskMemcpySubmitBatch(&t.one[i], t.pointer[i:i+1])
}

// waiter is a goroutine that waits for slots.
type waiter struct {
	op   string
	need int
	got  []int32
	done doca.Completion
}

// takeLocked waits for slots, appends them to out and returns with the lock held, unless
// there is an error.
func (c *core) takeLocked(ctx context.Context, op string, need int, out []int32) ([]int32, error) {
	if err := c.link.Lock(doca.OpSubmit, op); err != nil {
		return out, err
	}
	if len(c.waiting) == 0 {
		if got, ok := c.pickLocked(need, out); ok {
			return got, nil
		}
	}
	a := &waiter{op: op, need: need}
	a.done.Init(c.link)
	c.waiting = append(c.waiting, a)
	c.link.Unlock()

	err := a.done.Wait(ctx)
	c.link.LockAlways()
	if err == nil {
		err = c.link.Check(doca.OpSubmit, op)
	}
	if err == nil {
		return append(out, a.got...), nil
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(x *waiter) bool { return x == a })
	c.free = append(c.free, a.got...)
	c.grantLocked()
	c.link.Unlock()
	return out, err
}

// pickLocked takes slots that are free, or held by batches that do not run.
func (c *core) pickLocked(need int, out []int32) ([]int32, bool) {
	for len(c.free) < need && len(c.idle) > 0 {
		c.unholdLocked(c.idle[0])
	}
	rest := len(c.free) - need
	if rest < 0 {
		return out, false
	}
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

// grantLocked serves those who wait, in the order they came.
func (c *core) grantLocked() {
	for len(c.waiting) > 0 {
		a := c.waiting[0]
		got, ok := c.pickLocked(a.need, nil)
		if !ok {
			return
		}
		a.got = got
		c.waiting = slices.Delete(c.waiting, 0, 1)
		a.done.Complete(nil)
	}
}

// aimLocked makes item submit the task of slot i with these buffers.
func (c *core) aimLocked(item *gen.TaskMemcpyItem, i int32, src, dst common.BufView) error {
	s := &c.slots[i]
	item.Exchange = 0
	if s.memcpy == nil {
		if err := c.allocTaskLocked(i, src.Buf, dst.Buf); err != nil {
			return err
		}
	} else if s.src != src.Buf || s.dst != dst.Buf {
		item.Exchange = 1
	}
	s.src, s.dst = src.Buf, dst.Buf
	item.Src, item.Dst = src, dst
	return nil
}

// allocTaskLocked makes the task of slot i.
func (c *core) allocTaskLocked(i int32, src, dst *common.Buf) error {
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
