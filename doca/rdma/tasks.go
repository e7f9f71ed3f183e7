package rdma

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// tasks are the tasks of one kind, and their queue in C. The first operation of the kind allocates
// them, and they are kept until the context stops. The engine's lock guards them.
type tasks struct {
	info     *kindInfo // nil: the device does not support this kind
	list     []*common.Task
	prepared bool
	queue    []abi.Queue // a single one; this and those that follow are in C memory
	slots    []abi.Slot
	free     []*abi.Slot
}

// configure sets the number of tasks.
func (t *tasks) configure(raw *gen.RDMA, info *kindInfo, n int) (err error) {
	if err := info.setConf(raw, uint32(n)); err != nil {
		return err
	}
	t.info, t.list = info, make([]*common.Task, n)
	if t.queue, err = abi.Alloc[abi.Queue](1); err != nil {
		return err
	}
	if t.slots, err = abi.Alloc[abi.Slot](n); err != nil {
		return err
	}
	t.free, err = abi.Alloc[*abi.Slot](n)
	return err
}

// drop frees the memory, also after a configure that failed.
func (t *tasks) drop(ring *abi.Ring) {
	if t.queue != nil && ring != nil {
		ring.Forget(&t.queue[0])
	}
	abi.Free(t.queue)
	abi.Free(t.slots)
	abi.Free(t.free)
	*t = tasks{}
}

// prepareLocked allocates the tasks and hands them to the queue in C.
func (c *core) prepareLocked(t *tasks, conn *gen.Connection) error {
	user, err := common.CtxGetUserData(c.link.Raw())
	if err != nil {
		return c.fail(t.info.name, err, "")
	}
	t.queue[0].Ctx = user
	for i := range t.list {
		slot := &t.slots[i]
		if t.list[i] == nil {
			var task *common.Task
			typed, err := t.info.alloc(c.raw, conn)
			if err == nil {
				task, err = t.info.asTask(typed)
			}
			if err == nil {
				err = common.TaskSetUserData(task, slot.Data())
			}
			if err != nil {
				return c.fail(t.info.name, err, "DOCA gave no task")
			}
			t.list[i] = task
			slot.Task, slot.Typed = unsafe.Pointer(task), typed
		}
		t.free[i] = slot
	}
	t.queue[0].Fill(t.free)
	t.prepared = true
	return nil
}

// releaseLocked frees the tasks. None is in flight.
func (t *tasks) releaseLocked() {
	for i, task := range t.list {
		if task != nil {
			common.TaskFree(task) // it cannot fail: it returns nothing in C, and DOCA has the function
			t.list[i] = nil
		}
	}
	t.prepared = false
}
