package syncevent

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-doca/go-doca/doca"
)

// MaxWaitTaskValue is the largest value that a wait task can wait for.
const MaxWaitTaskValue = 254

// waitTaskCan reports whether a wait task takes the arguments: a mask of 1, 2, 4 or 8 bytes of ones, at a multiple of their
// size, or 0.
func waitTaskCan(value, mask uint64) bool {
	if value > MaxWaitTaskValue {
		return false
	}
	for bits := 8; bits <= 64; bits *= 2 {
		for at := 0; at < 64; at += bits {
			if mask == AllBits>>(64-bits)<<at {
				return true
			}
		}
	}
	return mask == 0
}

// GetAsync starts a task that reads the value, which the future returns. It waits for a free task, and ctx limits only that wait.
// Errors: ctx.Err(); ErrNotSupported if the device has no such tasks; a [*doca.StateError] if the event does not run. Calls
// doca_sync_event_task_get_alloc_init and doca_task_submit.
func (e *TaskEvent) GetAsync(ctx context.Context) (*Future, error) {
	return e.async(ctx, "get", kindGet, 0, 0)
}

// SetAsync starts a task that sets the value. See [TaskEvent.GetAsync]. Calls doca_sync_event_task_notify_set_alloc_init and
// doca_task_submit.
func (e *TaskEvent) SetAsync(ctx context.Context, value uint64) (*Future, error) {
	return e.async(ctx, "set", kindSet, value, 0)
}

// AddAsync starts a task that adds n to the value. The future returns the value before. See [TaskEvent.GetAsync]. Calls
// doca_sync_event_task_notify_add_alloc_init and doca_task_submit.
func (e *TaskEvent) AddAsync(ctx context.Context, n uint64) (*Future, error) {
	return e.async(ctx, "add", kindAdd, n, 0)
}

// WaitEqualAsync starts a task that waits until the value, masked, equals value. value is at most [MaxWaitTaskValue], and mask has
// 1, 2, 4 or 8 bytes of ones at a multiple of their size, or is 0; else it returns ErrInvalidValue. The task keeps waiting until
// then, or until the event stops, even if nobody waits for the future. See [TaskEvent.GetAsync]. Calls
// doca_sync_event_task_wait_eq_alloc_init and doca_task_submit.
func (e *TaskEvent) WaitEqualAsync(ctx context.Context, value, mask uint64) (*Future, error) {
	return e.waitAsync(ctx, kindWaitEqual, value, mask)
}

// WaitNotEqualAsync starts a task that waits until the value, masked, differs from value. See [TaskEvent.WaitEqualAsync]. Calls
// doca_sync_event_task_wait_neq_alloc_init and doca_task_submit.
func (e *TaskEvent) WaitNotEqualAsync(ctx context.Context, value, mask uint64) (*Future, error) {
	return e.waitAsync(ctx, kindWaitNotEqual, value, mask)
}

func (e *TaskEvent) waitAsync(ctx context.Context, k kind, value, mask uint64) (*Future, error) {
	if e == nil || e.c == nil {
		return nil, noTaskEvent("wait")
	}
	if err := begin(ctx, "wait", e.c.link); err != nil {
		return nil, err
	}
	if !waitTaskCan(value, mask) {
		return nil, e.c.fail("wait", doca.ErrInvalidValue,
			fmt.Sprintf("value %d, mask %#x: a wait task takes values up to %d, and masks of 1, 2, 4 or 8 bytes of ones", value, mask, MaxWaitTaskValue))
	}
	return e.async(ctx, "wait", k, value, mask)
}

func (e *TaskEvent) async(ctx context.Context, op string, k kind, value, mask uint64) (*Future, error) {
	if e == nil || e.c == nil {
		return nil, noTaskEvent(op)
	}
	f := new(Future)
	if err := e.c.start(ctx, op, k, value, mask, f, true); err != nil {
		return nil, err
	}
	return f, nil
}

// futures holds futures for calls that block.
var futures = sync.Pool{New: func() any { return new(Future) }}

// do starts a task and waits for its end. If ctx ends first, the task goes on. It does not wait for a free wait task, see start: those in
// flight may last for ever.
func (e *TaskEvent) do(ctx context.Context, op string, k kind, value, mask uint64) (uint64, error) {
	if e == nil || e.c == nil {
		return 0, noTaskEvent(op)
	}
	f := futures.Get().(*Future)
	defer futures.Put(f)
	if err := e.c.start(ctx, op, k, value, mask, f, k < kindWaitEqual); err != nil {
		return 0, err
	}
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() && f.detach() {
		return 0, err
	}
	return f.result(ctx)
}

// Get returns the value. It waits for a free task and for the task's end, and drives the engine meanwhile. If ctx ends first, Get
// returns ctx.Err(). Errors: those of [TaskEvent.GetAsync]; ErrIOFailed if the task failed, which leaves the context idle until
// Start. A task of an imported event may keep who drives the engine as long as [Event.Set] says, even if ctx ends before.
// Calls doca_sync_event_task_get_alloc_init and doca_task_submit.
func (e *TaskEvent) Get(ctx context.Context) (uint64, error) { return e.do(ctx, "get", kindGet, 0, 0) }

// Set sets the value. See [TaskEvent.Get]. A task that has begun goes on if ctx ends. Calls
// doca_sync_event_task_notify_set_alloc_init and doca_task_submit.
func (e *TaskEvent) Set(ctx context.Context, value uint64) error {
	_, err := e.do(ctx, "set", kindSet, value, 0)
	return err
}

// Add adds n to the value, which wraps around, and returns the value before. See [TaskEvent.Get]. A task that has begun goes on if
// ctx ends. Calls doca_sync_event_task_notify_add_alloc_init and doca_task_submit.
func (e *TaskEvent) Add(ctx context.Context, n uint64) (before uint64, err error) {
	return e.do(ctx, "add", kindAdd, n, 0)
}

// WaitEqual waits until the value, masked, equals value, and returns the value afterwards, which may be a later one. Where a wait
// task can wait for it (see [TaskEvent.WaitEqualAsync]) and one is free, the device waits. Otherwise get tasks look at the value, with
// the pauses of [Polling].
//
// If ctx ends first, WaitEqual returns ctx.Err(). Its task goes on and keeps its place in the pool; a later wait for the same value
// and mask takes it over. Errors are those of [TaskEvent.Get]. Calls doca_sync_event_task_wait_eq_alloc_init,
// doca_sync_event_task_get_alloc_init and doca_task_submit.
func (e *TaskEvent) WaitEqual(ctx context.Context, value, mask uint64) (uint64, error) {
	return e.wait(ctx, kindWaitEqual, value, mask, func(now uint64) bool { return now&mask == value })
}

// WaitNotEqual waits until the value, masked, differs from value. See [TaskEvent.WaitEqual]. Calls
// doca_sync_event_task_wait_neq_alloc_init, doca_sync_event_task_get_alloc_init and doca_task_submit.
func (e *TaskEvent) WaitNotEqual(ctx context.Context, value, mask uint64) (uint64, error) {
	return e.wait(ctx, kindWaitNotEqual, value, mask, func(now uint64) bool { return now&mask != value })
}

// WaitGreater waits until the value, masked, is greater than value, and returns the value. There is no task for it: get tasks look
// at the value, with the pauses of [Polling]. Errors are those of [TaskEvent.Get]. Calls doca_sync_event_task_get_alloc_init and
// doca_task_submit.
func (e *TaskEvent) WaitGreater(ctx context.Context, value, mask uint64) (uint64, error) {
	return e.poll(ctx, func(now uint64) bool { return now&mask > value })
}

func (e *TaskEvent) wait(ctx context.Context, k kind, value, mask uint64, good func(uint64) bool) (uint64, error) {
	if e == nil || e.c == nil {
		return 0, noTaskEvent("wait")
	}
	if !waitTaskCan(value, mask) || e.c.supports(k) != nil {
		return e.poll(ctx, good)
	}
	if _, err := e.do(ctx, "wait", k, value, mask); err == errNoTask {
		return e.poll(ctx, good)
	} else if err != nil {
		return 0, err
	}
	return e.do(ctx, "wait", kindGet, 0, 0)
}

func (e *TaskEvent) poll(ctx context.Context, good func(uint64) bool) (uint64, error) {
	if e == nil || e.c == nil {
		return 0, noTaskEvent("wait")
	}
	if err := begin(ctx, "wait", e.c.link); err != nil {
		return 0, err
	}
	return e.c.polling.wait(ctx, nil, nil, func() (uint64, error) { return e.do(ctx, "wait", kindGet, 0, 0) }, good)
}
