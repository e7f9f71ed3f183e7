package sha

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// Batch is a set of sums that is prepared once and run many times. One call into DOCA submits it,
// one call takes all its completions, and a run allocates nothing. If there are more sums than free
// tasks, a task that has ended takes the next sum. Each run reads the data segments that the
// sources have at that time.
//
// The SHA owns its batches: closing it closes them. Only one goroutine at a time may use a batch;
// Close is for any.
type Batch struct {
	*bind.Child
	j    *job
	bufs []*doca.Buffer // so that their handles live as long as this one
}

// NewBatch returns an empty batch for up to n sums. The caller closes it. Errors: ErrInvalidValue
// if n is less than 1; ErrNoMemory; a [*doca.StateError] if the SHA is closed.
func (s *SHA) NewBatch(n int) (*Batch, error) {
	c := s.c
	if n < 1 {
		return nil, c.fail(doca.ErrInvalidValue, fmt.Sprintf("a batch of %d sums: it needs room for at least 1", n))
	}
	j, err := c.newBatchJob(n)
	if err != nil {
		return nil, err
	}
	child, err := bind.NewChild(bind.ChildConfig{
		Kind:   "batch",
		Detail: fmt.Sprintf("%d sums of %v", n, s),
		Parent: s,
		Close:  j.close, // of the job, not of the Batch: a lost Batch must become garbage
	})
	if err != nil {
		return nil, errors.Join(err, j.close(context.Background()))
	}
	return &Batch{Child: child, j: j}, nil
}

func (c *core) newBatchJob(n int) (*job, error) {
	c.link.LockAlways()
	defer c.link.Unlock()
	j, err := c.newJobLocked(n, true)
	if err != nil {
		return nil, err
	}
	j.own.Init(c.link)
	j.own.Complete(nil) // before the first run there is nothing to wait for
	return j, nil
}

// Add adds a sum to the batch. The buffers are checked when the batch is run. Errors: ErrFull if
// the batch has the n sums of NewBatch; ErrInUse while the batch runs; ErrInvalidValue if dst or
// src is nil.
func (b *Batch) Add(dst, src *doca.Buffer) error {
	c := b.j.c
	c.link.LockAlways()
	defer c.link.Unlock()
	if err := b.j.unusedLocked("add"); err != nil {
		return err
	}
	if most := len(b.j.items); b.j.len() == most {
		return c.fail(doca.ErrFull, fmt.Sprintf("the batch has all %d sums that it was made for", most))
	}
	if dst == nil || src == nil {
		return c.fail(doca.ErrInvalidValue, "source or destination is nil")
	}
	b.bufs = append(b.bufs, src, dst)
	return b.j.add(dst, src)
}

// Len returns the number of sums in the batch.
func (b *Batch) Len() int { return len(b.bufs) / 2 }

// Reset removes all sums from the batch. It returns ErrInUse while the batch runs.
func (b *Batch) Reset() error {
	c := b.j.c
	c.link.LockAlways()
	defer c.link.Unlock()
	if err := b.j.unusedLocked("reset"); err != nil {
		return err
	}
	b.j.claim.Reset()
	b.j.errs = nil
	clear(b.bufs)
	b.bufs = b.bufs[:0]
	return nil
}

// Run submits the batch and waits for it: it calls Submit and Wait.
func (b *Batch) Run(ctx context.Context) error {
	if err := b.Submit(ctx); err != nil {
		return err
	}
	return b.Wait(ctx)
}

// Submit starts all sums of the batch. It waits for a free task; ctx limits only that wait. If DOCA
// refuses a sum, those before it still run: Wait returns the error, and Err the error of each sum.
// Errors: ErrEmpty for an empty batch; ErrInUse if the batch runs or a buffer is in use; and those
// of Sum. Calls doca_sha_task_hash_alloc_init and doca_task_submit_ex.
func (b *Batch) Submit(ctx context.Context) error {
	const op = "run batch"
	c := b.j.c
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.link.Lock(bind.OpSubmit, op); err != nil {
		return err
	}
	defer c.link.Unlock()
	if err := b.j.unusedLocked(op); err != nil {
		return err
	}
	if b.j.len() == 0 {
		return c.fail(doca.ErrEmpty, "the batch has no sums: Add some")
	}
	return b.j.startLocked(ctx, op, &b.j.own)
}

// Wait waits until all sums of the last Submit have ended, and drives the engine while it waits. It
// returns the first error; the sums for which Err returns nil have succeeded. If ctx ends first,
// Wait returns ctx.Err() and may be called again.
func (b *Batch) Wait(ctx context.Context) error {
	err := b.j.own.Wait(ctx)
	if err != nil && b.j.own.Completed() {
		b.j.c.link.WaitIdle(ctx) // a failed task stops the context: the caller finds it idle
	}
	return err
}

// Err returns the error of sum i of the last run, or nil if it has succeeded. The sums are counted
// from 0, in the order of Add. The batch must not be running.
func (b *Batch) Err(i int) error {
	c := b.j.c
	c.link.LockAlways()
	defer c.link.Unlock()
	if b.j.errs == nil {
		return nil
	}
	return b.j.errs[i]
}

// unusedLocked returns an error if the job of a batch cannot be changed or run.
func (j *job) unusedLocked(op string) error {
	switch {
	case j.items == nil:
		return &doca.StateError{Object: "batch of " + j.c.link.String(), State: doca.StateClosed, Op: op}
	case j.busy:
		return j.c.fail(doca.ErrInUse, "the batch is running: Wait for it")
	}
	return nil
}

// close waits until the job does not run, and frees it: the Close of a batch. AwaitDrained, not
// Await: it goes on even if another context of the engine waits for its reader.
func (j *job) close(ctx context.Context) error {
	c := j.c
	c.link.LockAlways()
	defer c.link.Unlock()
	if err := c.link.AwaitDrained(ctx, func() bool { return !j.busy }); err != nil {
		return c.fail(err, "the batch still runs")
	}
	j.freeLocked()
	return nil
}
