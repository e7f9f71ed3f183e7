package sha

import (
	"context"
	"unsafe"

	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/examples/sha/internal/doca/sha"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// allocSlots makes room for n tasks. The slots are in C memory because the callbacks, which are in
// C, work with them.
func (c *core) allocSlots(n int) (err error) {
	if c.slots, err = abi.Alloc[abi.Slot](n); err != nil {
		return err
	}
	for i := range c.slots {
		c.free = append(c.free, &c.slots[i])
	}
	return nil
}

func (c *core) freeSlots() {
	abi.Free(c.slots)
	c.slots, c.free = nil, nil
}

// awaitTaskLocked waits until a task is free. It gives the lock up while it waits, so the state may
// have changed: it looks again. No job runs for ever, so a task becomes free also while the context
// stops.
func (c *core) awaitTaskLocked(ctx context.Context, op string) error {
	if len(c.free) > 0 {
		return nil
	}
	err := c.link.Await(ctx, func() bool { return len(c.free) > 0 })
	if err == nil {
		err = c.link.Check(bind.OpSubmit, op)
	}
	return err
}

// takeLocked fills tasks with free slots, up to its length, and returns how many it has found: at
// least one after awaitTaskLocked. The first use of a slot allocates its task, with the buffers of
// an item.
func (c *core) takeLocked(tasks []*abi.Slot, item *gen.TaskHashItem) (int, error) {
	n := min(len(tasks), len(c.free))
	rest := len(c.free) - n
	for _, s := range c.free[rest:] {
		if s.Task == nil {
			if err := c.allocTaskLocked(s, item.Src.Buf, item.Dst.Buf); err != nil {
				return 0, err
			}
		}
	}
	copy(tasks, c.free[rest:])
	c.free = c.free[:rest]
	return n, nil
}

// allocTaskLocked allocates a task. The slot is its user data: that is how the callbacks find the
// job it works for.
func (c *core) allocTaskLocked(s *abi.Slot, src, dst *common.Buf) error {
	hash, err := gen.TaskHashAllocInit(c.raw, c.algorithm, src, dst, s.Data())
	if err != nil {
		return c.fail(err, "DOCA gave no task")
	}
	task, err := gen.TaskHashAsTask(hash)
	if err != nil {
		return c.fail(err, "")
	}
	s.Task, s.Typed = unsafe.Pointer(task), unsafe.Pointer(hash)
	return nil
}

// giveLocked takes the tasks of a job back, and wakes those who wait for one.
func (c *core) giveLocked(tasks []*abi.Slot) {
	c.free = append(c.free, tasks...)
	c.link.Wake()
}

// releaseLocked frees the tasks. The context is stopping, and none is in flight; DOCA waits for it.
func (c *core) releaseLocked() {
	for i := range c.slots {
		s := &c.slots[i]
		if s.Task != nil {
			common.TaskFree((*common.Task)(s.Task)) // it cannot fail: it returns nothing in C, and DOCA has the function
			s.Task, s.Typed = nil, nil
		}
	}
}
