package sha

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/examples/sha/internal/doca/sha"
	"github.com/go-doca/go-doca/generated/abi"
)

// job is what one submission hands to DOCA: sums that a few tasks carry out, one after another,
// without coming back to Go in between. A [SHA.Sum] is a job of one sum, a [Batch] a job of many
// that is run again and again. The engine's lock guards it.
type job struct {
	c     *core
	claim bind.Claim         // the source and destination of the first sum, of the second, ...
	inC   []abi.Batch        // one
	items []gen.TaskHashItem // one for each sum
	tasks []*abi.Slot        // those that work for the job while it runs
	held  int                // their number

	busy bool             // Submit waits for a task, or the job runs
	errs []error          // the error of each sum; nil if all have succeeded
	end  *bind.Completion // who is told of the end; nil: nobody
	own  bind.Completion  // that of a batch

	src, dst []bind.Segment // scratch
}

// newJobLocked makes a job for up to n sums. What C works with is in C memory.
func (c *core) newJobLocked(n int, keep bool) (*job, error) {
	j := &job{c: c}
	var err error
	if j.inC, err = abi.Alloc[abi.Batch](1); err == nil {
		j.items, err = abi.Alloc[gen.TaskHashItem](n)
	}
	if err == nil {
		j.tasks, err = abi.Alloc[*abi.Slot](min(n, len(c.slots)))
	}
	if err != nil {
		j.freeLocked()
		return nil, c.fail(err, "")
	}
	place := slices.Index(c.jobs, nil)
	if place < 0 {
		place = len(c.jobs)
		c.jobs = append(c.jobs, nil)
	}
	c.jobs[place] = j
	j.inC[0].User, j.inC[0].Items = abi.Data(place), unsafe.Pointer(&j.items[0])
	j.claim.Init(c.link, keep)
	return j, nil
}

// freeLocked frees the memory of a job that does not run.
func (j *job) freeLocked() {
	j.claim.Reset()
	abi.Free(j.inC)
	abi.Free(j.items)
	abi.Free(j.tasks)
	j.inC, j.items, j.tasks = nil, nil, nil
	if place := slices.Index(j.c.jobs, j); place >= 0 {
		j.c.jobs[place] = nil
	}
}

// add adds a sum. The claim looks at the buffers when the job is run.
func (j *job) add(dst, src *doca.Buffer) error {
	if err := j.claim.Read(src); err != nil {
		return err
	}
	return j.claim.Write(dst)
}

// len returns the number of sums.
func (j *job) len() int { return j.claim.Len() / 2 }

// startLocked waits for a free task and submits the job. After an error nothing is in flight. An
// error of DOCA in the middle of the submission is none of startLocked: the sums before it run, and
// the job ends with it.
func (j *job) startLocked(ctx context.Context, op string, end *bind.Completion) error {
	j.busy = true // from here on, for awaitTaskLocked gives the lock up
	err := j.c.awaitTaskLocked(ctx, op)
	if err == nil {
		err = j.submitLocked(op)
	}
	if err != nil {
		j.busy = false
		j.c.link.Wake()
		return err
	}
	j.end = end
	end.Init(j.c.link)
	return nil
}

// submitLocked submits the job with as many of the free tasks as it can use.
func (j *job) submitLocked(op string) error {
	same, err := j.claim.Begin(op) // from here to Submitted or Cancel the buffers cannot change
	if err != nil {
		return err
	}
	n := j.len()
	if !same {
		err = j.prepareLocked(n)
	}
	if err == nil {
		j.held, err = j.c.takeLocked(j.tasks[:min(n, len(j.tasks))], &j.items[0])
	}
	if err != nil {
		j.claim.Cancel()
		return err
	}
	j.errs, j.inC[0].Count = nil, uint32(n)
	err = gen.TaskHashSubmitBatch(&j.inC[0], j.tasks[:j.held])
	if err != nil {
		err = j.c.fail(err, "")
		if j.inC[0].Taken == 0 {
			j.claim.Cancel()
			j.c.giveLocked(j.tasks[:j.held])
			return err
		}
		j.failedLocked(int(j.inC[0].Taken), err)
	}
	// The sums that have a task now have told DOCA the data of their sources. The others do so when
	// a task takes them, which may never be.
	j.claim.Submitted(err == nil && n == j.held)
	j.c.link.Submitted(1) // the job counts as one task
	return nil
}

// prepareLocked checks the sums and aims their items. It is left out if nothing about the buffers
// has changed since the last run. The items name no tasks: whichever task takes an item gets its
// buffers.
func (j *job) prepareLocked(n int) error {
	for k := range n {
		if err := j.checkLocked(2*k, 2*k+1); err != nil {
			if n > 1 {
				err = fmt.Errorf("%w (sum %d of the batch)", err, k)
			}
			return err
		}
		j.items[k] = gen.TaskHashItem{Exchange: 1, Src: j.claim.View(2 * k), Dst: j.claim.View(2*k + 1)}
	}
	return nil
}

// checkLocked refuses what the device would refuse: there, one task that fails stops the whole
// context. src and dst are places in the claim.
func (j *job) checkLocked(src, dst int) error {
	c := j.c
	j.src = j.claim.Segments(j.src[:0], src, 0)
	j.dst = j.claim.Segments(j.dst[:0], dst, c.size)
	from, to := total(j.src), total(j.dst)
	switch {
	case uint64(from) > c.limits.MaxSourceSize:
		return c.fail(doca.ErrTooBig, fmt.Sprintf("the source has %d bytes, a task reads at most %d", from, c.limits.MaxSourceSize))
	case uint64(j.claim.Elements(src)) > uint64(c.limits.MaxListLen):
		return c.fail(doca.ErrTooBig, fmt.Sprintf("the source is a list of %d buffers, a task reads at most %d", j.claim.Elements(src), c.limits.MaxListLen))
	case j.claim.Elements(dst) > 1:
		return c.fail(doca.ErrInvalidValue, "the destination is a list: a digest goes to a single buffer")
	case to < c.size:
		return c.fail(doca.ErrInvalidValue, fmt.Sprintf("the destination has room for %d bytes, a digest has %d", to, c.size))
	case bind.Overlap(j.src, j.dst):
		return c.fail(doca.ErrInvalidValue, "source and destination overlap")
	}
	j.claim.SetLen(dst, c.size)
	return nil
}

func total(segments []bind.Segment) int {
	n := 0
	for _, s := range segments {
		n += s.Len()
	}
	return n
}

// failedLocked records the error of sum k.
func (j *job) failedLocked(k int, err error) {
	if j.errs == nil {
		j.errs = make([]error, j.len())
	}
	j.errs[k] = err
}

// endedLocked handles the end of the job's last task.
func (j *job) endedLocked() {
	err := j.resultLocked()
	j.busy = false
	end, tasks := j.end, j.tasks[:j.held]
	if end != &j.own {
		j.c.putSingleLocked(j)
	}
	if end != nil {
		end.Complete(err) // after the claim's End: the buffers are the waiter's again
	}
	j.c.giveLocked(tasks)
}

// resultLocked ends the claim and returns the first error.
func (j *job) resultLocked() error {
	if j.errs == nil {
		j.claim.End(nil)
		return nil
	}
	first := slices.IndexFunc(j.errs, func(err error) bool { return err != nil })
	err := j.errs[first]
	for k := int(j.inC[0].Taken); k < len(j.errs); k++ { // after a failure C begins no further sum
		j.failedLocked(k, err)
	}
	j.claim.End(func(i int) bool { return j.errs[i/2] != nil })
	if len(j.errs) > 1 {
		err = fmt.Errorf("%w (sum %d of the batch)", err, first)
	}
	return err
}
