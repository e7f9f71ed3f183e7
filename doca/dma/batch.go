package dma

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/abi"
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
	claim doca.Claim // source and destination of each copy in turn
	inC   []abi.Batch
	items []gen.TaskMemcpyItem
	slots []int32     // held: one for each copy, or all there are; or none
	tasks []*abi.Slot // of the slots, in C
	epoch uint32      // the core's when items were prepared; 0: prepare them

	src, dst []doca.Segment // scratch
	running  bool
	waiting  bool    // for tasks, in Submit
	errs     []error // of each copy; nil if all went well
	end      doca.Completion
}

// NewBatch makes an empty batch for up to n copies; less than 1 is ErrInvalidValue. If
// n is more than the context's MaxTasks, that many are in flight at a time. Each copy of
// a batch is one task: see Add.
func (d *DMA) NewBatch(n int) (*Batch, error) {
	c := d.c
	if n < 1 {
		return nil, c.fail(doca.ErrInvalidValue, fmt.Sprintf("a batch of %d copies", n))
	}
	if err := c.link.Lock(doca.OpSubmit, "new batch"); err != nil {
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
	if err := in.unusedLocked("add"); err != nil {
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
	if err := in.unusedLocked("reset"); err != nil {
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
	in.c.unholdLocked(in)
	in.c.grantLocked()
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

// unusedLocked returns an error if the batch cannot be changed or run.
func (b *batch) unusedLocked(op string) error {
	switch {
	case b.items == nil:
		return &doca.StateError{Object: "batch of " + b.c.link.String(), State: doca.StateClosed, Op: op}
	case b.running, b.waiting:
		return b.c.fail(doca.ErrInUse, "the batch is running: Wait for it")
	}
	return nil
}
