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

// submit submits the batch. If here, the caller is to wait for it, so a step of the engine follows in the
// same call into C; ended reports whether the batch has ended in it. Then err is the error of the batch. bufs are those of
// its copies of buffers.
func (b *batch) submit(ctx context.Context, here bool, bufs []*doca.Buffer) (ended bool, err error) {
	c := b.c
	if err := c.link.LockFor(ctx, bind.OpSubmit, "run batch"); err != nil {
		b.refused()
		return false, err
	}
	err = b.unused("run")
	if err == nil && b.len() == 0 {
		err = c.fail(doca.ErrEmpty, "the batch has no copies: Add some")
	}
	if err == nil {
		err = ctx.Err()
	}
	if window := b.windowLocked(); err == nil && len(b.slots) < window {
		b.busyLocked(true)
		c.unholdLocked(b)
		slots := b.slots
		c.link.Unlock()
		slots, takeErr := c.takeLocked(ctx, b, window, slots)
		if takeErr != nil {
			c.link.LockAlways()
			b.busyLocked(false)
			b.refused()
			c.link.Unlock()
			return false, takeErr
		}
		b.busyLocked(false)
		if err = b.unused("run"); err == nil {
			c.holdLocked(b, slots)
		} else { // the batch was closed meanwhile
			c.free = append(c.free, slots...)
			c.grantLocked()
		}
	}
	if err == nil {
		if err = b.launchLocked(here, bufs); err == nil {
			ended, err = b.stepLocked()
			c.link.Unlock()
			return ended, err
		}
	}
	b.refused()
	c.link.Unlock()
	return false, err
}

// refused says that a submission has failed: there is nothing to wait for, unless the batch runs.
func (b *batch) refused() {
	if b.state.Load() != batchBusy {
		b.ran.Store(false)
	}
}

// stepLocked is the rest of the step of the engine that a submission has made, if it has. It reports whether
// the batch has ended in it, and how. Nobody else has seen such a batch run.
func (b *batch) stepLocked() (ended bool, err error) {
	if !b.here {
		return false, nil
	}
	if b.inC[0].Quiet == abi.QuietlyEnded {
		b.c.link.Finished(1)
		b.c.batchEndedLocked(b)
	}
	b.c.link.EndStep()
	b.here = false
	if b.running {
		b.beganLocked()
		return false, nil
	}
	if b.err != nil || b.end.Err() != nil {
		b.end.InitLocal(b.c.link)
		b.end.Complete(b.err)
	}
	return true, b.err
}

// beganLocked says that the batch runs, to others.
func (b *batch) beganLocked() {
	b.end.InitLocal(b.c.link)
	b.busyLocked(true)
}

// busyLocked says whether the batch can be changed.
func (b *batch) busyLocked(is bool) {
	switch {
	case b.state.Load() == batchClosed:
	case is:
		b.state.Store(batchBusy)
	default:
		b.state.Store(batchReady)
	}
}

// windowLocked returns how many tasks work for the batch: the first of those that it holds.
func (b *batch) windowLocked() int { return min(b.used, len(b.c.slots)) }

// launchLocked submits the copies with the tasks that the batch holds.
func (b *batch) launchLocked(here bool, bufs []*doca.Buffer) (err error) {
	c := b.c
	n := b.used
	same, aimed, err := b.claimLocked(bufs)
	if err != nil {
		return err
	}
	like := b.epoch == c.epoch && b.aimedLikeLocked()
	ready := n == 0 || same && like
	moved := !same && like && n <= len(b.slots) && b.claim.Moved()
	switch err = b.checkLocked(); {
	case err != nil || ready:
	case aimed:
		err = b.exchangeLocked(n)
	default:
		err = b.prepareLocked(n, moved)
	}
	if ready && b.settled < n {
		b.settleLocked(n)
	}
	if err != nil {
		b.epoch = 0
		b.cancelLocked()
		return err
	}
	b.inC[0].Count, b.inC[0].Step, b.inC[0].Quiet = uint32(n), nil, abi.QuietEnd
	if n > 0 {
		if here {
			b.inC[0].Step = c.link.BeginLocalStep()
		}
		err = gen.TaskMemcpySubmitBatch(&b.inC[0], b.tasks[:b.windowLocked()])
	}
	b.errs = nil
	b.why.reset()
	if err != nil {
		err = c.fail(err, "")
		b.epoch = 0
		b.inC[0].Step = nil // there was none
		if b.inC[0].Taken == 0 {
			b.cancelLocked()
			return err
		}
		b.failedLocked(b.copyOf(int(b.inC[0].Taken)), err)
	}
	if b.claim.Len() > 0 {
		b.claim.Submitted(err == nil)
	}
	if !ready && err == nil {
		b.epoch, b.aimed, b.prepared, b.settled = c.epoch, append(b.aimed[:0], b.groups...), n, 0
	}
	b.running, b.copies = true, b.len()
	if b.here = b.inC[0].Step != nil; !b.here {
		b.beganLocked()
	}
	if b.fresh = false; !b.ran.Load() {
		b.ran.Store(true)
	}
	c.removeIdleLocked(b)
	if n == 0 {
		c.batchEndedLocked(b)
		return nil
	}
	c.link.Submitted(1) // the batch counts as one task
	if err != nil && c.together {
		c.link.Fail(err)
	}
	return nil
}

// claimLocked claims the buffers of a run. It reports whether nothing about them has changed since the last one, and whether their
// items have them already.
func (b *batch) claimLocked(bufs []*doca.Buffer) (same, aimed bool, err error) {
	if len(bufs) == 0 && b.claim.Len() == 0 {
		b.told = 0
		return true, false, nil
	}
	if b.told == len(bufs) && b.claim.Kept() {
		same, err = b.claim.Begin("run batch")
		return same, false, err
	}
	var items bind.Views
	if n := b.used; len(b.groups) == 1 && 2*n == len(bufs) && n <= len(b.slots) { // all are copies of buffers
		items = bind.ViewsOf(b.items[:n], &b.items[0].Src, &b.items[0].Dst)
	}
	if same, aimed, err = b.claim.BeginPairs("run batch", bufs, items, b.largest); err != nil {
		return false, false, err
	}
	b.told = len(bufs)
	return same || b.claim.Len() == 0, aimed, nil
}

// cancelLocked takes the claim of a run back that has not begun.
func (b *batch) cancelLocked() {
	if b.claim.Len() > 0 {
		b.claim.Cancel()
	}
}

// prepareLocked fills in the n items. Those of ranges know theirs already, and get buffers on the memories. With
// moved, the tasks have the buffers, and only data segments are new.
func (b *batch) prepareLocked(n int, moved bool) error {
	item, k, pair := 0, 0, 0
	if !moved {
		b.routes.Rewind()
	}
	for i := range b.groups {
		g := &b.groups[i]
		if g.kind == ofNothing {
			k += g.n
			continue
		}
		done, err := g.n, error(nil)
		switch {
		case g.kind == ofBuffers:
			done, err = b.aimBuffersLocked(b.items[item:][:g.n], n, pair, moved)
			pair += g.n
		case !moved:
			done, err = b.holdLocked(b.items[item:][:g.n], item)
		}
		if err != nil {
			return ofCopy(err, k+done)
		}
		item, k = item+g.n, k+g.n
	}
	if moved {
		b.still = true
		return nil
	}
	return b.exchangeLocked(n)
}

// exchangeLocked has the n items give tasks their buffers, and allocates the tasks that there are not.
func (b *batch) exchangeLocked(n int) error {
	b.still = false
	for ; b.exchanging < n; b.exchanging++ {
		b.items[b.exchanging].Exchange = 1
	}
	if b.epoch == b.c.epoch {
		return nil
	}
	for k, i := range b.slots {
		if b.c.inC[i].Task == nil {
			k = min(k, n-1) // a slot more than there are copies: a later run gives its task other buffers
			if err := b.c.allocTaskLocked(i, b.items[k].Src.Buf, b.items[k].Dst.Buf); err != nil {
				return ofCopy(err, b.copyOf(k))
			}
		}
	}
	return nil
}

// ofCopy returns the error of a batch of which copy k has failed.
func ofCopy(err error, k int) error { return fmt.Errorf("%w (copy %d of the batch)", err, k) }

// recallLocked takes back the buffers that the items have on memories that are to be closed. The batch does not run.
func (b *batch) recallLocked() {
	b.routes.Recall(0)
	b.epoch = 0
}

// aimBuffersLocked gives items, of n in all, the buffers of the claim from a pair on. It returns which of them has failed.
func (b *batch) aimBuffersLocked(items []gen.TaskMemcpyItem, n, pair int, moved bool) (int, error) {
	for j := 0; j < len(items); j++ {
		rest := items[j:]
		done := b.claim.Aim(pair+j, bind.ViewsOf(rest, &rest[0].Src, &rest[0].Dst), b.largest)
		if j += done; done == len(rest) {
			break
		}
		if err := b.aimListsLocked(&items[j], 2*(pair+j)); err != nil {
			return j, err
		}
	}
	if n > len(b.slots) {
		return b.sendLocked(items)
	}
	if moved && !b.still {
		b.exchanging = 0
		for j := range items {
			items[j].Exchange = 0
		}
	}
	return len(items), nil
}

// sendLocked sets the data segments of sources now, because their items may be taken long after the submission.
func (b *batch) sendLocked(items []gen.TaskMemcpyItem) (int, error) {
	for j := range items {
		if items[j].Src.Data == 0 {
			continue
		}
		rest := items[j:]
		if err := common.BufViewsSetData(&rest[0].Src, uint32(len(rest)), uint64(unsafe.Sizeof(rest[0]))); err != nil {
			return j + slices.IndexFunc(rest, func(x gen.TaskMemcpyItem) bool { return x.Src.Data != 0 }), b.c.fail(err, "")
		}
		break
	}
	return len(items), nil
}

// aimListsLocked gives an item the buffers that begin at a place in the claim, which may head lists.
func (b *batch) aimListsLocked(item *gen.TaskMemcpyItem, at int) error {
	if err := b.measureListsLocked(at); err != nil {
		return err
	}
	item.Src, item.Dst = b.claim.View(at), b.claim.View(at+1)
	return nil
}

// measureListsLocked checks a copy of buffers that may be lists.
func (b *batch) measureListsLocked(at int) error {
	size, err := b.c.measureLocked(&b.claim, at, &b.src, &b.dst)
	if err != nil {
		return err
	}
	if !b.c.fitsLocked(&b.claim, at, size, len(b.src)) {
		return b.c.fail(doca.ErrTooBig, fmt.Sprintf("the copy of %d bytes does not fit one task: use Copy", size))
	}
	return nil
}

// settleLocked reduces the first n items, of which some are settled already, to what each run has to do while nothing changes but
// ranges: set data segments, of buffers only those of destinations. It is for the second of such runs: where the buffers or their
// data change each time, it would be in vain.
func (b *batch) settleLocked(n int) {
	from := b.settled
	b.settled = n
	if n > len(b.slots) {
		return
	}
	b.exchanging = 0
	item := 0
	for i := range b.groups {
		g := &b.groups[i]
		if g.kind == ofNothing {
			continue
		}
		for range g.n {
			if item >= from {
				b.items[item].Exchange = 0
				if g.kind == ofBuffers {
					b.items[item].Src = common.BufView{}
				}
			}
			item++
		}
	}
}

// failedLocked records the error of copy k.
func (b *batch) failedLocked(k int, err error) {
	if b.errs == nil {
		b.errs = make([]error, b.len())
	}
	b.errs[k] = err
}

// batchEndedLocked handles the end of a batch's last task.
func (c *core) batchEndedLocked(b *batch) {
	b.running = false
	if len(c.waiting) > 0 {
		c.unholdLocked(b)
		c.grantLocked()
	} else {
		c.idle = append(c.idle, b)
	}
	if c.ranges.Wanted() {
		b.recallLocked()
	}
	if b.err = b.failureLocked(); b.here {
		return // the call that has submitted it holds the lock
	}
	b.busyLocked(false)
	b.end.Complete(b.err)
}

// failureLocked ends the claim of a batch that has ended. It returns the error of the batch.
func (b *batch) failureLocked() error {
	if b.errs == nil {
		if b.claim.Len() > 0 {
			b.claim.End(nil)
		}
		return nil
	}
	b.epoch = 0
	k := slices.IndexFunc(b.errs, func(err error) bool { return err != nil })
	for rest := int(b.inC[0].Taken); rest < b.used; rest++ { // those that never began
		b.failedLocked(b.copyOf(rest), b.errs[k])
	}
	if b.claim.Len() > 0 {
		b.claim.End(func(i int) bool { return b.errs[b.copyOfPair(i/2)] != nil })
	}
	return ofCopy(b.errs[k], k)
}

// holdLocked gives slots to a batch that does not run, which keeps them for runs with fewer copies, too.
func (c *core) holdLocked(b *batch, slots []int32) {
	b.slots, b.epoch = slots, 0
	for k, i := range slots {
		c.slots[i].forget() // the items exchange the buffers of the tasks
		b.tasks[k] = &c.inC[i]
	}
	c.idle = append(c.idle, b)
}

// unholdLocked takes the slots from a batch that does not run. Then they are free.
func (c *core) unholdLocked(b *batch) {
	c.removeIdleLocked(b)
	c.free = append(c.free, b.slots...)
	b.slots = b.slots[:0]
}

// spareLocked takes from the batches that run the slots for which they have no copy.
func (c *core) spareLocked() {
	for _, b := range c.batches {
		if b != nil && b.running {
			n := b.windowLocked()
			c.free = append(c.free, b.slots[n:]...)
			b.slots = b.slots[:n]
		}
	}
}

// removeIdleLocked removes a batch from the list of the idle ones.
func (c *core) removeIdleLocked(b *batch) {
	if last := len(c.idle) - 1; last >= 0 && c.idle[last] == b { // as most often: it was the last that has ended
		c.idle[last], c.idle = nil, c.idle[:last]
		return
	}
	if k := slices.Index(c.idle, b); k >= 0 {
		c.idle = slices.Delete(c.idle, k, k+1)
	}
}
