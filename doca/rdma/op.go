package rdma

import (
	"context"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// op is one or more operations of one kind that go to C together: what a call such as Write does, or
// a batch. It is kept for later ones. The engine's lock guards it.
type op struct {
	c    *core
	kind kind
	conn *conn // of the last run

	batch    []abi.Batch         // a single one, in C memory
	items    []byte              // in C memory: room for items of the kind
	room     int                 // how many
	held     []bind.Held         // for each item: of the local and of the remote range
	events   []*syncevent.Remote // for each item that runs, if the kind works on events
	routes   *bind.Routes        // of a Batch of writes or reads: the items have their buffers from it, not from held
	aimedFor *gen.Connection     // the connection of the tasks that have carried them out; nil: none have
	claim    bind.Claim          // of the program's buffer, for a single operation
	claimed  bool
	segments []bind.Segment
	word     []byte // of the local memory, if a single operation has a result there
	value    uint64 // and that, once it has ended: then the memory may be closed

	n       int // items of the last run
	running bool
	kept    bool      // it belongs to a Batch
	same    uint32    // what the next run has of the last one, which has succeeded: see abi.Batch
	here    bool      // the call that has begun it ends it, with the lock that it holds since
	step    *abi.Step // of the engine, that its submission makes or has made; nil: none
	future  *Future   // nil: nobody waits, or not any more
	first   int       // the first item that failed, if err says that one has
	err     error
	errs    []error // of a Batch: the error of each item; nil if none has failed

	_ abi.Apart
}

func (o *op) info() *kindInfo { return &kinds[o.kind] }

func (o *op) item(i int) unsafe.Pointer { return unsafe.Pointer(&o.items[uintptr(i)*o.info().size]) }

// newOpLocked makes an op that does not run yet.
func (c *core) newOpLocked(k kind) (*op, error) {
	o := &op{c: c, kind: k}
	batch, err := abi.Alloc[abi.Batch](1)
	if err != nil {
		return nil, err
	}
	o.batch = batch
	o.batch[0].User = abi.Data(len(c.ops))
	o.claim.Init(c.link, false)
	c.ops = append(c.ops, o)
	return o, nil
}

// takeOpLocked returns an op with room for n items, which does not run.
func (c *core) takeOpLocked(k kind, n int) (o *op, err error) {
	if idle := c.idle[k]; len(idle) > 0 {
		o = idle[len(idle)-1]
		c.idle[k] = idle[:len(idle)-1]
	} else if o, err = c.newOpLocked(k); err != nil {
		return nil, err
	}
	if err := o.growLocked(n); err != nil {
		c.giveOpLocked(o)
		return nil, err
	}
	return o, nil
}

// giveOpLocked takes an op back that takeOpLocked has returned.
func (c *core) giveOpLocked(o *op) {
	o.conn, o.future, o.err, o.here, o.step, o.word, o.value = nil, nil, nil, false, nil, nil, 0
	if o.claimed {
		o.claimed = false
		o.claim.Reset()
		clear(o.segments) // the op outlives the memories
	}
	if c.ranges.Wanted() {
		o.releaseLocked()
	}
	if c.idle[o.kind] == nil {
		c.idle[o.kind] = abi.MakeApart[*op](0)
	}
	c.idle[o.kind] = append(c.idle[o.kind], o)
}

// growLocked makes room for n items.
func (o *op) growLocked(n int) error {
	if n <= o.room {
		return nil
	}
	items, err := abi.Alloc[byte](n * int(o.info().size))
	if err != nil {
		return err
	}
	o.releaseLocked()
	abi.Free(o.items)
	o.items, o.room, o.held = items, n, abi.MakeApart[bind.Held](2*n)
	if o.kind >= kindEventGet {
		o.events = make([]*syncevent.Remote, n)
	}
	o.batch[0].Items = unsafe.Pointer(&o.items[0])
	return nil
}

// releaseLocked takes the buffers back that the items have on ranges. The op does not run.
func (o *op) releaseLocked() {
	if o.routes != nil {
		o.routes.Release(0)
		return
	}
	for i := range o.room {
		o.releaseItemLocked(i)
	}
}

// recallLocked takes the buffers back of an item and all behind it, with which no task works, at least those on memories that are to be closed.
func (o *op) recallLocked(first int) {
	if o.routes != nil {
		o.routes.Recall(first)
		return
	}
	for i := first; i < o.room; i++ {
		o.releaseItemLocked(i)
	}
}

// dropLocked frees the memory of an op that does not run.
func (o *op) dropLocked() {
	o.releaseLocked()
	o.claim.Reset()
	abi.Free(o.batch)
	abi.Free(o.items)
	o.batch, o.items, o.room, o.held = nil, nil, 0, nil
}

// beginLocked starts a single operation on a connection. With here, its submission makes a step of the engine,
// and the caller ends it. beginLocked takes the lock, and keeps it if there is no error.
func (c *conn) beginLocked(ctx context.Context, k kind, a *access, here bool) (*op, error) {
	name := kinds[k].name
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.r.link.LockAlwaysFor(ctx); err != nil {
		return nil, err
	}
	o, err := c.fillLocked(k, name, a)
	if err == nil {
		if o.here = here; here {
			o.beginStepLocked()
		}
		if err = o.launchLocked(1); err == nil {
			return o, nil
		}
	}
	if o != nil {
		if o.claimed {
			o.claim.Cancel()
		}
		o.freeEventsLocked()
		c.r.giveOpLocked(o)
	}
	c.r.link.Unlock()
	return nil, err
}

// fillLocked returns an op for a single operation, filled in. After an error the op, if there is one, is the
// caller's to give back.
func (c *conn) fillLocked(k kind, name string, a *access) (*op, error) {
	if err := c.usableLocked(name); err != nil {
		return nil, err
	}
	o, err := c.r.takeOpLocked(k, 1)
	if err != nil {
		return nil, c.r.fail(name, err, "")
	}
	if o.conn = c; k != kindEventSet {
		o.word = a.word
	}
	return o, o.fillLocked(0, a)
}

// launchLocked submits n items, which are filled in. Those that find no task wait in C. After an
// error nothing is in flight.
func (o *op) launchLocked(n int) error {
	c, info, same := o.c, o.info(), o.same
	o.same = 0
	t := &c.tasks[o.kind]
	if t.info == nil {
		return o.conn.fail(info.name, doca.ErrNotSupported, "the device cannot do this: see CapabilitiesOf")
	}
	if !t.prepared {
		if err := c.prepareLocked(t, o.conn.raw); err != nil {
			return err
		}
	}
	b := &o.batch[0]
	b.Count, b.Step, b.Quiet, b.Same = uint32(n), o.step, abi.QuietEnd, same
	o.n, o.err, o.errs = n, nil, nil
	if err := info.submit(c.link.Ring(), &t.queue[0], b, true); err != nil {
		o.step = nil // there was none
		err = o.conn.refusedLocked(info.name, err)
		if b.Pending == 0 {
			return err
		}
		o.failedLocked(int(b.Taken), err)
	}
	if o.claimed {
		o.claim.Submitted(true)
	}
	if b.Quiet == abi.QuietlyEnded { // within the step, so that nobody has seen it run
		return nil
	}
	o.running = true
	o.conn.inflight++
	c.link.Submitted(1) // all items together count as one task
	return nil
}

// beginStepLocked has the submission make a step of the engine.
func (o *op) beginStepLocked() {
	if o.info().local {
		o.step = o.c.link.BeginLocalStep()
	} else {
		o.step = o.c.link.BeginStep()
	}
}

// stepLocked ends the step of the engine that the submission has made, if it has.
func (o *op) stepLocked() {
	if o.step == nil {
		return
	}
	o.step = nil
	if o.batch[0].Quiet == abi.QuietlyEnded {
		o.endedLocked()
	}
	o.c.link.EndStep()
}

// failedLocked records the error of item i.
func (o *op) failedLocked(i int, err error) {
	if o.err == nil || i < o.first {
		o.first, o.err = i, err
	}
	if o.kept {
		if o.errs == nil {
			o.errs = make([]error, o.n)
		}
		if i < o.n {
			o.errs[i] = err
		}
	}
}

// endLocked handles the end: no item is in flight or waits.
func (o *op) endLocked() {
	o.running = false
	o.c.link.Finished(1)
	if o.conn.inflight--; o.conn.inflight == 0 && o.conn.closing {
		o.c.link.Wake()
	}
	o.endedLocked()
}

// endedLocked is the end of an op that does not run any more, or that has run only within its submission.
func (o *op) endedLocked() {
	c := o.c
	o.freeEventsLocked()
	if o.word != nil && o.err == nil {
		o.value = binary.NativeEndian.Uint64(o.word)
	}
	if o.claimed {
		if o.err == nil {
			o.claim.End(nil)
		} else {
			o.claim.End(func(int) bool { return true })
		}
	}
	if o.errs != nil { // those that never began
		for i := int(o.batch[0].Taken); i < o.n; i++ {
			o.failedLocked(i, o.err)
		}
	}
	f := o.future
	if o.kept {
		if o.err != nil {
			o.err = fmt.Errorf("%w (operation %d of the batch)", o.err, o.first)
		}
		if c.ranges.Wanted() {
			o.recallLocked(0)
		}
	}
	if f != nil {
		f.finishLocked(o)
	}
	if !o.kept && !o.here {
		c.giveOpLocked(o)
	}
}

// withdrawLocked takes back the items that wait for a task. If none is in flight, the op has ended.
func (o *op) withdrawLocked(cause error) {
	b := &o.batch[0]
	if !o.running || !b.Waits() {
		return
	}
	o.c.tasks[o.kind].queue[0].Withdraw(b)
	o.failedLocked(int(b.Taken), cause)
	if b.Pending == 0 {
		o.endLocked()
	}
}
