package mmapadvise

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// InvalidateCache drops the data segment of a buffer from the processor's cache, and waits for that. It drives the engine while it
// waits. If ctx ends first, it returns ctx.Err(), and the invalidation goes on; the buffer is in use until it ends.
//
// Errors: ErrInvalidValue if the buffer is nil, has no data or is on memory that the device cannot reach; ErrTooBig for more than
// [MmapAdvise.MaxSize] bytes, and for lists; ErrInUse if something writes to the buffer; ErrNotPermitted if it is inside a
// list; a [*doca.StateError] if the context does not run or the buffer is closed; and the error of the device. Calls
// doca_mmap_advise_task_invalidate_cache_alloc_init and doca_task_submit.
func (m *MmapAdvise) InvalidateCache(ctx context.Context, buf *doca.Buffer) error {
	const op = "invalidate cache"
	if m == nil || m.c == nil {
		return none(op)
	}
	c := m.c
	if err := bind.NeedContext(ctx, op, c.link); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !bind.IsBuffer(buf) {
		return c.fail(doca.ErrInvalidValue, "the buffer is nil")
	}
	var end bind.Completion
	j, err := c.start(ctx, op, buf, &end)
	if err != nil {
		return err
	}
	if err := end.Wait(ctx); err != nil && !end.Completed() && c.detach(j, &end) {
		return err
	}
	return end.Err()
}

func (c *advise) start(ctx context.Context, op string, buf *doca.Buffer, end *bind.Completion) (*job, error) {
	if err := c.link.LockFor(ctx, bind.OpSubmit, op); err != nil {
		return nil, err
	}
	defer c.link.Unlock()
	if len(c.free) == 0 {
		if err := c.link.Await(ctx, func() bool { return len(c.free) > 0 }); err != nil {
			return nil, err
		}
		if err := c.link.Check(bind.OpSubmit, op); err != nil {
			return nil, err
		}
	}
	last := len(c.free) - 1
	j := c.free[last]
	c.free = c.free[:last]
	if err := c.submitLocked(j, op, buf); err != nil {
		c.putLocked(j)
		return nil, err
	}
	end.Init(c.link)
	j.end = end
	return j, nil
}

func (c *advise) submitLocked(j *job, op string, buf *doca.Buffer) error {
	if err := j.claim.Read(buf); err != nil {
		return err
	}
	if _, err := j.claim.Begin(op); err != nil {
		return err
	}
	err := c.checkLocked(j)
	if err == nil {
		j.item[0] = common.MmapAdviseTaskInvalidateCacheItem{Exchange: 1, Buf: j.claim.View(0)}
		err = c.allocLocked(j)
	}
	if err == nil {
		j.inC[0].Count = 1
		if err = common.MmapAdviseTaskInvalidateCacheSubmitBatch(&j.inC[0], j.tasks); err != nil {
			err = c.fail(err, "")
		}
	}
	if err != nil {
		j.claim.Cancel()
		return err
	}
	j.claim.Submitted(true)
	c.link.Submitted(1)
	return nil
}

// checkLocked refuses what the device would refuse.
func (c *advise) checkLocked(j *job) error {
	if n := j.claim.Elements(0); n > 1 {
		return c.fail(doca.ErrTooBig, fmt.Sprintf("a list of %d buffers: invalidate them one by one", n))
	}
	segments := j.claim.Segments(nil, 0, 0)
	if len(segments) == 0 || segments[0].Len() == 0 {
		return c.fail(doca.ErrInvalidValue, "the buffer's data segment is empty: call SetData on it")
	}
	if n := segments[0].Len(); uint64(n) > c.maxSize {
		return c.fail(doca.ErrTooBig, fmt.Sprintf("%d bytes, a task takes at most %d", n, c.maxSize))
	}
	return nil
}

func (c *advise) allocLocked(j *job) error {
	s := &j.slot[0]
	if s.Task != nil {
		return nil
	}
	typed, err := common.MmapAdviseTaskInvalidateCacheAllocInit(c.raw, j.item[0].Buf.Buf, s.Data())
	if err != nil {
		return c.fail(err, "DOCA gave no task")
	}
	task, err := common.MmapAdviseTaskInvalidateCacheAsDocaTask(typed)
	if err != nil {
		return c.fail(err, "")
	}
	s.Task, s.Typed = unsafe.Pointer(task), unsafe.Pointer(typed)
	return nil
}

// putLocked takes back a job that does not run.
func (c *advise) putLocked(j *job) {
	j.claim.Reset()
	j.end, j.err = nil, nil
	c.free = append(c.free, j)
	c.link.Wake()
}

// detach lets an invalidation go on that nobody waits for any more, and reports whether it does. If not, it has ended.
func (c *advise) detach(j *job, end *bind.Completion) bool {
	c.link.LockAlways()
	defer c.link.Unlock()
	if end.Completed() {
		return false
	}
	j.end = nil
	return true
}

// alloc makes the memory of job number i.
func (j *job) alloc(i int) (err error) {
	if j.inC, err = abi.Alloc[abi.Batch](1); err == nil {
		j.item, err = abi.Alloc[common.MmapAdviseTaskInvalidateCacheItem](1)
	}
	if err == nil {
		j.slot, err = abi.Alloc[abi.Slot](1)
	}
	if err == nil {
		j.tasks, err = abi.Alloc[*abi.Slot](1)
	}
	if err != nil {
		return err
	}
	j.tasks[0] = &j.slot[0]
	j.inC[0].User, j.inC[0].Items = abi.Data(i), unsafe.Pointer(&j.item[0])
	return nil
}

// drop frees the memory of a job that does not run.
func (j *job) drop() {
	abi.Free(j.inC)
	abi.Free(j.item)
	abi.Free(j.slot)
	abi.Free(j.tasks)
	j.inC, j.item, j.slot, j.tasks = nil, nil, nil, nil
}
