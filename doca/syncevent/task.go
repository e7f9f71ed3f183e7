package syncevent

import (
	"context"
	"errors"
	"unsafe"

	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// kind is a kind of task.
type kind int

const (
	kindGet kind = iota
	kindSet
	kindAdd
	kindWaitEqual
	kindWaitNotEqual
	numKinds
)

// kinds says what DOCA's functions for a kind are.
var kinds = [numKinds]struct {
	name      string
	supported func(*common.Devinfo) error
	setConf   func(*gen.SyncEvent, uint32) error
	// alloc makes a task that is aimed; to is where it puts a value.
	alloc  func(raw *gen.SyncEvent, value, mask uint64, to unsafe.Pointer, data abi.Data) (unsafe.Pointer, error)
	asTask func(unsafe.Pointer) (*common.Task, error)
	// aim gives a task new arguments.
	aim func(typed unsafe.Pointer, value, mask uint64) error
}{
	kindGet: {
		"get", gen.CapTaskGetIsSupported, gen.TaskGetSetConf,
		func(raw *gen.SyncEvent, _, _ uint64, to unsafe.Pointer, data abi.Data) (unsafe.Pointer, error) {
			t, err := gen.TaskGetAllocInit(raw, to, data)
			return unsafe.Pointer(t), err
		},
		func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskGetAsDocaTask((*gen.TaskGet)(t)) },
		func(unsafe.Pointer, uint64, uint64) error { return nil },
	},
	kindSet: {
		"notify-set", gen.CapTaskNotifySetIsSupported, gen.TaskNotifySetSetConf,
		func(raw *gen.SyncEvent, value, _ uint64, _ unsafe.Pointer, data abi.Data) (unsafe.Pointer, error) {
			t, err := gen.TaskNotifySetAllocInit(raw, value, data)
			return unsafe.Pointer(t), err
		},
		func(t unsafe.Pointer) (*common.Task, error) {
			return gen.TaskNotifySetAsDocaTask((*gen.TaskNotifySet)(t))
		},
		func(t unsafe.Pointer, value, _ uint64) error {
			return gen.TaskNotifySetSetSetVal((*gen.TaskNotifySet)(t), value)
		},
	},
	kindAdd: {
		"notify-add", gen.CapTaskNotifyAddIsSupported, gen.TaskNotifyAddSetConf,
		func(raw *gen.SyncEvent, value, _ uint64, to unsafe.Pointer, data abi.Data) (unsafe.Pointer, error) {
			t, err := gen.TaskNotifyAddAllocInit(raw, value, to, data)
			return unsafe.Pointer(t), err
		},
		func(t unsafe.Pointer) (*common.Task, error) {
			return gen.TaskNotifyAddAsDocaTask((*gen.TaskNotifyAdd)(t))
		},
		func(t unsafe.Pointer, value, _ uint64) error {
			return gen.TaskNotifyAddSetIncVal((*gen.TaskNotifyAdd)(t), value)
		},
	},
	kindWaitEqual: {
		"wait-eq", gen.CapTaskWaitEqIsSupported, gen.TaskWaitEqSetConf,
		func(raw *gen.SyncEvent, value, mask uint64, _ unsafe.Pointer, data abi.Data) (unsafe.Pointer, error) {
			t, err := gen.TaskWaitEqAllocInit(raw, value, mask, data)
			return unsafe.Pointer(t), err
		},
		func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskWaitEqAsDocaTask((*gen.TaskWaitEq)(t)) },
		func(t unsafe.Pointer, value, mask uint64) error {
			if err := gen.TaskWaitEqSetWaitVal((*gen.TaskWaitEq)(t), value); err != nil {
				return err
			}
			return gen.TaskWaitEqSetMask((*gen.TaskWaitEq)(t), mask)
		},
	},
	kindWaitNotEqual: {
		"wait-neq", gen.CapTaskWaitNeqIsSupported, gen.TaskWaitNeqSetConf,
		func(raw *gen.SyncEvent, value, mask uint64, _ unsafe.Pointer, data abi.Data) (unsafe.Pointer, error) {
			t, err := gen.TaskWaitNeqAllocInit(raw, value, mask, data)
			return unsafe.Pointer(t), err
		},
		func(t unsafe.Pointer) (*common.Task, error) { return gen.TaskWaitNeqAsDocaTask((*gen.TaskWaitNeq)(t)) },
		func(t unsafe.Pointer, value, mask uint64) error {
			if err := gen.TaskWaitNeqSetWaitVal((*gen.TaskWaitNeq)(t), value); err != nil {
				return err
			}
			return gen.TaskWaitNeqSetMask((*gen.TaskWaitNeq)(t), mask)
		},
	},
}

// slot is the place of a task. Its index is the user data of the task.
type slot struct {
	kind        kind
	place       int
	task        *common.Task // nil: not allocated yet
	typed       unsafe.Pointer
	busy        bool
	op          string
	value, mask uint64
	future      *Future // who is told of the end; nil: nobody
}

// errNoTask is the error of start where it must not wait for a free task.
var errNoTask = errors.New("no task is free")

// start starts a task whose end f tells. A wait that somebody has given up is taken over. If no task is free, start waits for one, or with
// patient false returns errNoTask.
func (c *taskEvent) start(ctx context.Context, op string, k kind, value, mask uint64, f *Future, patient bool) error {
	if err := begin(ctx, op, c.link); err != nil {
		return err
	}
	if err := c.link.LockFor(ctx, bind.OpSubmit, op); err != nil {
		return err
	}
	defer c.link.Unlock()
	if err := c.supports(k); err != nil {
		return c.fail(op, err, "")
	}
	if s := c.abandonedLocked(k, value, mask); s != nil {
		c.tieLocked(s, op, f)
		return nil
	}
	if len(c.free[k]) == 0 {
		if !patient {
			return errNoTask
		}
		if err := c.link.Await(ctx, func() bool { return len(c.free[k]) > 0 || !c.link.Running() }); err != nil {
			return err
		}
		if err := c.link.Check(bind.OpSubmit, op); err != nil {
			return err
		}
	}
	last := len(c.free[k]) - 1
	s := c.free[k][last]
	if err := c.submitLocked(s, value, mask); err != nil {
		return c.fail(op, err, "")
	}
	c.free[k] = c.free[k][:last]
	c.tieLocked(s, op, f)
	c.link.Submitted(1)
	return nil
}

func (c *taskEvent) tieLocked(s *slot, op string, f *Future) {
	s.busy, s.op, s.future = true, op, f
	f.c, f.slot = c, s
	f.end.Init(c.link)
}

// abandonedLocked finds a wait task in flight that nobody waits for any more.
func (c *taskEvent) abandonedLocked(k kind, value, mask uint64) *slot {
	if k != kindWaitEqual && k != kindWaitNotEqual {
		return nil
	}
	for i := range c.slots {
		if s := &c.slots[i]; s.kind == k && s.busy && s.future == nil && s.value == value && s.mask == mask {
			return s
		}
	}
	return nil
}

func (c *taskEvent) submitLocked(s *slot, value, mask uint64) (err error) {
	if s.task == nil {
		to := unsafe.Pointer(&c.values[s.place])
		if s.typed, err = kinds[s.kind].alloc(c.raw, value, mask, to, abi.Data(s.place)); err == nil {
			s.task, err = kinds[s.kind].asTask(s.typed)
		}
	} else {
		err = kinds[s.kind].aim(s.typed, value, mask)
	}
	if err == nil {
		s.value, s.mask = value, mask
		err = common.TaskSubmit(s.task)
	}
	return err
}
