package dma

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// Batch is a set of copies that is prepared once and run many times: one call into
// DOCA submits it, one takes all its completions, and a run allocates nothing. A batch of
// more copies than it has tasks keeps them busy from within C: a task that has ended takes
// the next copy. Each run reads the data segments that the sources have then.
//
// Between runs a batch keeps its tasks as long as nobody else needs them. It belongs to
// its DMA, which closes it. One goroutine at a time may use it.
type Batch struct {
	d    *DMA
	b    *batch
	bufs []*doca.Buffer // keep their handles as long as this one
}

// batch is the inner part, guarded by the engine's lock.
type batch struct {
	c     *core
	claim bind.Claim // source and destination of each copy in turn
	inC   []abi.Batch
	items []gen.TaskMemcpyItem
	slots []int32     // held: one for each copy, or all there are; or none
	tasks []*abi.Slot // of the slots, in C
	epoch uint32      // the core's when items were prepared; 0: prepare them

	src, dst []bind.Segment // scratch
	running  bool
	waiting  bool    // for tasks, in Submit
	errs     []error // of each copy; nil if all went well
	end      bind.Completion
}

// NewBatch makes an empty batch for up to n copies; less than 1 is ErrInvalidValue. If
// n is more than the context's MaxTasks, that many are in flight at a time. Each copy of
// a batch is one task: see Add.
func (d *DMA) NewBatch(n int) (*Batch, error) {
	c := d.c
	if n < 1 {
		return nil, c.fail(doca.ErrInvalidValue, fmt.Sprintf("a batch of %d copies", n))
	}
	if err := c.link.Lock(bind.OpSubmit, "new batch"); err != nil {
		return nil, err
	}
	defer c.link.Unlock()
	b := &batch{c: c}
	if err := b.alloc(n); err != nil {
		b.drop()
		return nil, c.fail(err, "")
	}
	b.claim.Init(c.link, true)
	b.end.Init(c.link)
	b.end.Complete(nil) // there is nothing to wait for before the first run
	place := slices.Index(c.batches, nil)
	if place < 0 {
		place = len(c.batches)
		c.batches = append(c.batches, nil)
	}
	c.batches[place] = b
	b.inC[0].User = abi.Data(len(c.slots) + place)
	return &Batch{d: d, b: b}, nil
}

func (b *batch) alloc(n int) (err error) {
	if b.inC, err = abi.Alloc[abi.Batch](1); err != nil {
		return err
	}
	if b.items, err = abi.Alloc[gen.TaskMemcpyItem](n); err != nil {
		return err
	}
	b.inC[0].Items = unsafe.Pointer(&b.items[0])
	b.tasks, err = abi.Alloc[*abi.Slot](min(n, len(b.c.slots)))
	return err
}

// Add adds a copy. What is wrong with the buffers is found when the batch is run.
// Errors: ErrFull beyond the n of NewBatch, ErrInUse while the batch runs, and
// ErrInvalidValue for nil.
func (b *Batch) Add(dst, src *doca.Buffer) error {
	in := b.b
	in.c.link.LockAlways()
	defer in.c.link.Unlock()
	if err := in.unused("add"); err != nil {
		return err
	}
	if most := len(in.items); in.claim.Len() == 2*most {
		return in.c.fail(doca.ErrFull, fmt.Sprintf("the batch has all %d copies that it was made for", most))
	}
	if dst == nil || src == nil {
		return in.c.fail(doca.ErrInvalidValue, "source or destination is nil")
	}
	if err := in.claim.Read(src); err != nil {
		return err
	}
	if err := in.claim.Write(dst); err != nil {
		return err
	}
	b.bufs = append(b.bufs, src, dst)
	return nil
}

// Len returns the number of copies added.
func (b *Batch) Len() int { return len(b.bufs) / 2 }

// Reset takes all copies out. While the batch runs it is ErrInUse.
func (b *Batch) Reset() error {
	in := b.b
	in.c.link.LockAlways()
	defer in.c.link.Unlock()
	if err := in.unused("reset"); err != nil {
		return err
	}
	in.claim.Reset()
	in.errs = nil
	clear(b.bufs)
	b.bufs = b.bufs[:0]
	return nil
}

// Run submits the batch and waits for it: Submit and Wait.
func (b *Batch) Run(ctx context.Context) error {
	if err := b.b.submit(ctx); err != nil {
		return err
	}
	return b.Wait(ctx)
}

// Submit starts all copies of the batch. It waits for tasks if others have them, and
// ctx bounds that wait alone. If DOCA refuses some of the copies the others run, and
// Wait and Err tell which. Errors: ErrEmpty for an empty batch; ErrInUse for a batch
// that runs, or a buffer in use; ErrTooBig for a copy that does not fit one task (see
// [Limits]; Copy can do it); and those of Copy. Stands on doca_task_submit_ex.
func (b *Batch) Submit(ctx context.Context) error { return b.b.submit(ctx) }

// Wait waits until all copies of the last Submit have ended, and drives the engine
// meanwhile. It returns the first error; the copies without one are done. If ctx ends
// first it returns ctx.Err(), and Wait may be called again.
func (b *Batch) Wait(ctx context.Context) error {
	err := b.b.end.Wait(ctx)
	if err != nil && b.b.end.Completed() {
		b.b.c.link.WaitIdle(ctx) // a failed task stops the context; callers find it idle
	}
	return err
}

// Err returns the error of copy i of the last run, in the order of Add; nil is success.
// The batch must not be running.
func (b *Batch) Err(i int) error {
	in := b.b
	in.c.link.LockAlways()
	defer in.c.link.Unlock()
	if in.errs == nil {
		return nil
	}
	return in.errs[i]
}

// Close waits for a batch that runs and gives up its tasks; one that waits for tasks does
// not run any more. The buffers are not closed.
func (b *Batch) Close() error {
	in := b.b
	in.c.link.LockAlways()
	for in.running {
		in.c.link.Unlock()
		if in.end.Wait(context.Background()); !in.end.Completed() {
			return in.c.fail(in.end.Err(), "the batch still runs")
		}
		in.c.link.LockAlways()
	}
	defer in.c.link.Unlock()
	in.c.unhold(in)
	in.c.grant()
	in.drop()
	return nil
}

// drop frees what the batch has. It does not run.
func (b *batch) drop() {
	b.claim.Reset()
	abi.Free(b.inC)
	abi.Free(b.items)
	abi.Free(b.tasks)
	b.inC, b.items, b.tasks = nil, nil, nil
	if place := slices.Index(b.c.batches, b); place >= 0 {
		b.c.batches[place] = nil
	}
}

// unused returns an error if the batch cannot be changed or run.
func (b *batch) unused(op string) error {
	switch {
	case b.items == nil:
		return &doca.StateError{Object: "batch of " + b.c.link.String(), State: doca.StateClosed, Op: op}
	case b.running, b.waiting:
		return b.c.fail(doca.ErrInUse, "the batch is running: Wait for it")
	}
	return nil
}

func (b *batch) submit(ctx context.Context) error {
	c := b.c
	if err := c.link.Lock(bind.OpSubmit, "run batch"); err != nil {
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
	c.busy(b)
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
	if len(c.queue) > 0 {
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
	c.busy(b)
	c.free = append(c.free, b.slots...)
	b.slots = nil
}

// busy takes a batch from the list of the idle ones.
func (c *core) busy(b *batch) {
	if k := slices.Index(c.idle, b); k >= 0 {
		c.idle = slices.Delete(c.idle, k, k+1)
	}
}
