package sha

import (
	"context"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// Sum computes the digest of the data of src, which may be a list of buffers, and writes it to the
// head of dst's region. Sum waits for a free task and for the end of the sum, and drives the engine
// while it waits. It allocates nothing.
//
// If ctx has ended, Sum starts nothing. If ctx ends while Sum waits, it returns ctx.Err() at once.
// A sum that has begun then goes on, and its buffers stay in use until it ends.
//
// Errors: ErrTooBig for a source beyond the [Limits]; ErrInvalidValue for a destination that is too
// small, and for buffers that overlap or that the device cannot reach; ErrInUse if something uses
// the destination or writes to the source; a [*doca.StateError] if the context does not run or a
// buffer is closed; and the error of the device, which leaves the context idle until Start. Calls
// doca_sha_task_hash_alloc_init and doca_task_submit.
func (s *SHA) Sum(ctx context.Context, dst, src *doca.Buffer) error {
	f := futures.Get().(*Future)
	defer futures.Put(f)
	j, err := s.c.start(ctx, dst, src, f)
	if err != nil {
		return err
	}
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() && s.c.detach(j, f) {
		return err
	}
	return f.result(ctx)
}

// SumAsync is like Sum but returns when the sum has started. It waits for a free task, and ctx
// limits only that wait. SumAsync returns the errors that are found before the sum starts; the
// future returns the others.
func (s *SHA) SumAsync(ctx context.Context, dst, src *doca.Buffer) (*Future, error) {
	f := new(Future)
	if _, err := s.c.start(ctx, dst, src, f); err != nil {
		return nil, err
	}
	return f, nil
}

// start starts a sum whose end f tells.
func (c *core) start(ctx context.Context, dst, src *doca.Buffer, f *Future) (*job, error) {
	const op = "sum"
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.link.Lock(bind.OpSubmit, op); err != nil {
		return nil, err
	}
	defer c.link.Unlock()
	j, err := c.singleLocked()
	if err != nil {
		return nil, err
	}
	f.c = c
	if err = j.add(dst, src); err == nil {
		err = j.startLocked(ctx, op, &f.end)
	}
	if err != nil {
		c.putSingleLocked(j)
		return nil, err
	}
	return j, nil
}

// detach lets a sum go on that nobody waits for any more, and reports whether it does. If not, it
// has ended, and the job may serve somebody else by now.
func (c *core) detach(j *job, f *Future) bool {
	c.link.LockAlways()
	defer c.link.Unlock()
	if f.end.Completed() {
		return false
	}
	j.end = nil
	return true
}

// singleLocked returns a job for one sum.
func (c *core) singleLocked() (*job, error) {
	if last := len(c.singles) - 1; last >= 0 {
		j := c.singles[last]
		c.singles = c.singles[:last]
		return j, nil
	}
	return c.newJobLocked(1, false)
}

// putSingleLocked takes back a job that does not run.
func (c *core) putSingleLocked(j *job) {
	j.claim.Reset()
	j.end = nil
	c.singles = append(c.singles, j)
}
