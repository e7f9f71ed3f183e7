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
// until the context stops. The user data of the task is the slot's counterpart in C.
type slot struct {
	memcpy   *gen.TaskMemcpy
	task     *common.Task
	src, dst *common.Buf // the buffers of the task in DOCA; nil: unknown

	op   *copyOp // the copy in flight
	part bool    // of a copy that is cut; then its item has buffers
	held held
}

// forget records that the task may not have the buffers that it was given.
func (s *slot) forget() { s.src, s.dst = nil, nil }

// tasksInC holds what C needs of the tasks, in C memory: for each slot its counterpart, and a batch
// of one item for a single copy.
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

// free frees the memory, also after an alloc that failed.
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

// waiter is a goroutine that waits for slots, in the operation op.
type waiter struct {
	op   string
	need int
	got  []int32
	done bind.Completion
}

// takeLocked waits for slots and appends them to out. The caller does not hold the lock; takeLocked
// takes it, and keeps it if there is no error.
func (c *core) takeLocked(ctx context.Context, op string, need int, out []int32) ([]int32, error) {
	if err := c.link.Lock(bind.OpSubmit, op); err != nil {
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
		err = c.link.Check(bind.OpSubmit, op)
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

// pickLocked takes slots that are free, or that batches hold which do not run. It takes all or none.
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

// grantLocked gives slots to those who wait, in the order in which they came.
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

// aimLocked prepares an item that submits the task of slot i with these buffers.
func (c *core) aimLocked(item *gen.TaskMemcpyItem, i int32, src, dst common.BufView) error {
	item.Src, item.Dst = src, dst
	return c.aimedLocked(item, i)
}

// aimedLocked prepares an item that has its buffers for the task of slot i.
func (c *core) aimedLocked(item *gen.TaskMemcpyItem, i int32) error {
	s := &c.slots[i]
	if s.memcpy == nil || s.src != item.Src.Buf || s.dst != item.Dst.Buf {
		return c.exchangeLocked(item, i)
	}
	item.Exchange = 0
	return nil
}

// exchangeLocked prepares an item that gives the task of slot i other buffers, or its first ones.
func (c *core) exchangeLocked(item *gen.TaskMemcpyItem, i int32) error {
	s := &c.slots[i]
	item.Exchange = 1
	if s.memcpy == nil {
		item.Exchange = 0
		if err := c.allocTaskLocked(i, item.Src.Buf, item.Dst.Buf); err != nil {
			return err
		}
	}
	s.src, s.dst = item.Src.Buf, item.Dst.Buf
	return nil
}

// allocTaskLocked allocates the task of slot i.
func (c *core) allocTaskLocked(i int32, src, dst *common.Buf) error {
	s, inC := &c.slots[i], &c.inC.slots[i]
	memcpy, err := gen.TaskMemcpyAllocInit(c.raw, src, dst, inC.Data())
	if err != nil {
		return c.fail(err, "DOCA gave no task")
	}
	if s.task, err = gen.TaskMemcpyAsTask(memcpy); err != nil {
		return c.fail(err, "")
	}
	s.memcpy = memcpy
	inC.Task, inC.Typed = unsafe.Pointer(s.task), unsafe.Pointer(memcpy)
	return nil
}
