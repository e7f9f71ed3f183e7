package dma

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// Batch is a set of copies that is prepared once and run many times. One call into DOCA submits
// it, one call takes all its completions, and a run allocates nothing. If a batch has more copies
// than tasks, C keeps the tasks busy: a task that has ended takes the next copy.
//
// A copy is one of ranges of memories ([Batch.AddRange]) or of buffers ([Batch.Add]); a batch may
// have both. For other ranges in each run, or more or fewer of them, call Reset and AddRange, which make
// nothing anew: such a batch is nearly as fast as one that stays the same, most of all on the memories of
// the run before. Each run reads the data segments that the sources have at that time.
//
// A batch keeps its tasks, between runs and during runs that need fewer, while nobody else needs them. It
// belongs to its DMA, and closing the DMA closes it. Only one goroutine at a time may use it.
type Batch struct {
	d    *DMA
	b    *batch
	bufs []*doca.Buffer // source and destination of each copy of buffers; their handles live as long as this one
	mems []*doca.Memory // so that their handles do, too

	last     *group       // of the last copy; nil: there is none
	dst, src *doca.Memory // it is one of ranges of these; nil if not
	route    bind.Route   // from src to dst
	most     uint64       // bytes of a further copy on the route; 0 if there is none

	_ abi.Apart
}

// batch is the inner part of a Batch. The engine's lock guards it. What is marked with "ready" belongs
// to the goroutine that uses the Batch while the state is batchReady, without the lock.
type batch struct {
	c       *core
	most    int
	largest uint64       // bytes of a copy
	state   atomic.Int32 // batchReady and so on; written with the lock

	used   int                  // ready: number of copies that have bytes, and an item
	room   []gen.TaskMemcpyItem // ready: the items that such copies may have
	empty  int                  // ready: number of the others
	groups []group              // ready: what they are, in their order
	routes bind.Routes          // ready: of copies of ranges
	fresh  bool                 // ready: there was a Reset since the last run
	told   int                  // ready: how many buffers the claim has; -1: other ones

	claim      bind.Claim // of the buffers
	inC        []abi.Batch
	items      []gen.TaskMemcpyItem // AddRange writes to them without the lock, so only Close frees them, or the cleanup
	cleanup    runtime.Cleanup
	slots      []int32     // the slots that it holds: one for each copy at least, or all that exist; or none
	tasks      []*abi.Slot // the counterparts of slots in C
	epoch      uint32      // the core's epoch when the items were prepared; 0: prepare them
	aimed      []group     // what they were prepared for
	prepared   int         // and how many they were
	settled    int         // of these, how many say no more than a run needs that is like the last one
	exchanging int         // the first items that give their tasks buffers
	still      bool        // in the last run that has prepared items, the tasks had the buffers already

	src, dst []bind.Segment // for copies of buffers that are being checked
	running  bool
	here     bool        // the call that has submitted it makes a step of the engine, and holds the lock
	copies   int         // of the last run, also those without bytes
	err      error       // of the run that has ended last
	ran      atomic.Bool // there is a run to wait for, or that has ended
	errs     []error     // the error of each copy; nil if all have succeeded
	why      reason      // of the failure that ended the last run
	end      bind.Completion

	_ abi.Apart
}

// maxMemories is how many memories of ranges a batch remembers from one Reset to the next. It allocates for further ones. It is changed
// in tests only.
var maxMemories = 4096

// The states of a batch.
const (
	batchReady = iota // it can be changed and run
	batchBusy         // it runs, or waits for tasks
	batchClosed
)

// NewBatch returns an empty batch for up to n copies. If n is more than the context's MaxTasks,
// MaxTasks of them are in flight at a time. Each copy must fit into one task: see [Limits].
// Errors: ErrInvalidValue if n is less than 1; ErrNoMemory; a [*doca.StateError] if the context
// does not run.
func (d *DMA) NewBatch(n int) (*Batch, error) {
	if d == nil || d.c == nil {
		return nil, noDMA("new batch")
	}
	c := d.c
	if n < 1 {
		return nil, c.fail(doca.ErrInvalidValue, fmt.Sprintf("a batch of %d copies: it needs room for at least 1", n))
	}
	if err := c.link.Lock(bind.OpSubmit, "new batch"); err != nil {
		return nil, err
	}
	defer c.link.Unlock()
	if c.idle == nil {
		c.idle = abi.MakeApart[*batch](0)
	}
	b := &batch{c: c, most: n, largest: c.limits.MaxBufferSize}
	if err := b.alloc(n); err != nil {
		b.dropLocked()
		return nil, c.fail(err, fmt.Sprintf("there is no memory for a batch of %d copies: make a smaller one, or several", n))
	}
	b.claim.Init(c.link, true)
	b.end.InitLocal(c.link)
	b.end.Complete(nil) // before the first run there is nothing to wait for
	place := slices.Index(c.batches, nil)
	if place < 0 {
		place = len(c.batches)
		c.batches = append(c.batches, nil)
	}
	c.batches[place] = b
	b.inC[0].User = abi.Data(len(c.slots) + place)
	if c.together {
		b.inC[0].Together = 1
	}
	return &Batch{d: d, b: b}, nil
}

func (b *batch) alloc(n int) (err error) {
	if b.inC, err = abi.Alloc[abi.Batch](1); err != nil {
		return err
	}
	if b.tasks, err = abi.Alloc[*abi.Slot](min(n, len(b.c.slots))); err != nil {
		return err
	}
	if b.items, err = abi.Alloc[gen.TaskMemcpyItem](n); err != nil {
		return err
	}
	b.inC[0].Items, b.room = unsafe.Pointer(&b.items[0]), b.items
	b.routes.Init(&b.c.ranges, maxMemories)
	b.groups, b.aimed = abi.MakeApart[group](1)[:0], abi.MakeApart[group](1)[:0]
	b.cleanup = runtime.AddCleanup(b, abi.Free[gen.TaskMemcpyItem], b.items)
	return nil
}

// Add adds a copy of buffers to the batch. They are checked when the batch is run. Errors: ErrFull if
// the batch has the n copies of NewBatch; ErrInUse while the batch runs; ErrInvalidValue if dst or
// src is nil.
func (b *Batch) Add(dst, src *doca.Buffer) error {
	if b == nil || b.b == nil {
		return noBatch("add")
	}
	in := b.b
	if in.state.Load() != batchReady || in.used >= len(in.room) {
		return in.noRoom()
	}
	if !bind.IsBuffer(dst) || !bind.IsBuffer(src) {
		return in.c.fail(doca.ErrInvalidValue, "source or destination is nil")
	}
	g := b.last
	if g == nil || g.kind != ofBuffers {
		b.dropKept()
		in.groups = append(in.groups, group{kind: ofBuffers})
		g = in.lastGroup()
		b.last = g
		b.noRoute()
	}
	g.n++
	in.used++
	if b.bufs == nil {
		b.bufs = abi.MakeApart[*doca.Buffer](2 * in.most)[:0]
	}
	b.bufs = append(b.bufs, src, dst)
	return nil
}

// AddRange adds a copy of the n bytes of src that begin at srcOff to dst, from dstOff on. The memory
// is not in use before the batch is run. If n is 0, the copy does nothing. Errors: ErrFull if the
// batch has the n copies of NewBatch; ErrInUse while the batch runs; ErrTooBig if the copy does not
// fit into one task (see [Limits]; CopyRange can do it); ErrInvalidValue and a [*doca.StateError] as
// [DMA.CopyRange] for the ranges. Whether the device can reach the memories and write to dst, Submit checks.
func (b *Batch) AddRange(dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if b == nil || b.b == nil {
		return noBatch("add")
	}
	in := b.b
	k, room := in.used, in.room
	if in.state.Load() != batchReady || uint(k) >= uint(len(room)) {
		return in.noRoom()
	}
	if b.dst != dst || b.src != src || uint64(n-1) >= b.most {
		return b.addRange(dst, dstOff, src, srcOff, n)
	}
	r := &b.route
	if !r.Fits(dstOff, srcOff, n) {
		return b.addRange(dst, dstOff, src, srcOff, n)
	}
	to, from := r.Dst(dstOff), r.Src(srcOff)
	if r.Overlap(to, from, n) {
		return b.addRange(dst, dstOff, src, srcOff, n)
	}
	b.put(&room[k], to, from, n)
	return nil
}

// put has the next item be for a range. What C is to know of it goes into the item at once. The length of the
// destination is 0 in all items.
func (b *Batch) put(item *gen.TaskMemcpyItem, to, from uintptr, n int) {
	item.Src.Data, item.Src.Len, item.Dst.Data = from, uint64(n), to
	b.last.n++
	b.b.used++
}

// addRange is AddRange for a copy that is not on the memories of the last one, that has no bytes, or that
// is wrong.
func (b *Batch) addRange(dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	in := b.b
	known := b.dst == dst && b.src == src && dst != nil // AddRange has looked at the range
	switch {
	case known && b.route.Renew(dst, src):
		return b.AddRange(dst, dstOff, src, srcOff, n)
	case !known && n > 0 && b.begin(dst, src):
		// As AddRange does. To call it takes longer, and many batches have other memories in each copy.
		if r := &b.route; uint64(n-1) < b.most && r.Fits(dstOff, srcOff, n) {
			if to, from := r.Dst(dstOff), r.Src(srcOff); !r.Overlap(to, from, n) {
				b.put(&in.room[in.used], to, from, n)
				return nil
			}
		}
		err := b.AddRange(dst, dstOff, src, srcOff, n) // says what is wrong
		if err != nil {
			b.takeBack()
		}
		return err
	}
	var p pair
	if err := p.aim(in.c, dst, dstOff, src, srcOff, n); err != nil {
		return err
	}
	if n != 0 { // nothing else is wrong with it
		return in.c.fail(doca.ErrTooBig, fmt.Sprintf("the copy of %d bytes does not fit one task: use CopyRange", n))
	}
	b.dropKept()
	b.mems = append(b.mems, dst, src)
	in.groups = append(in.groups, group{kind: ofNothing, n: 1})
	in.empty, in.room = in.empty+1, in.room[:len(in.room)-1]
	b.last = in.lastGroup()
	b.noRoute()
	return nil
}

// begin has the copies that follow be ranges of the two memories. It reports whether they are memories.
func (b *Batch) begin(dst, src *doca.Memory) bool {
	in := b.b
	b.dropKept()
	if !in.routes.Find(&b.route, dst, src, in.used) {
		return false
	}
	if b.last == nil || b.last.kind != ofRanges {
		in.groups = append(in.groups, group{kind: ofRanges})
		b.last = in.lastGroup()
	}
	b.mems = append(b.mems, dst, src)
	b.dst, b.src, b.most = dst, src, in.largest
	return true
}

// takeBack takes back the last begin: the copy that it was for is not added.
func (b *Batch) takeBack() {
	in := b.b
	if in.routes.Forget(); b.last.n == 0 {
		in.groups = in.groups[:len(in.groups)-1]
	}
	b.mems = b.mems[:len(b.mems)-2]
	b.last = in.lastGroup()
	b.noRoute()
}

// noRoute says that the next copy is not on the memories of the last one.
func (b *Batch) noRoute() { b.dst, b.src, b.most = nil, nil, 0 }

// noRoom returns an error if no copy can be added.
func (b *batch) noRoom() error {
	if err := b.unused("add"); err != nil {
		return err
	}
	if b.len() == b.most {
		return b.c.fail(doca.ErrFull, fmt.Sprintf("the batch has all %d copies that it was made for", b.most))
	}
	return nil
}

// Len returns the number of copies in the batch.
func (b *Batch) Len() int {
	if b == nil || b.b == nil {
		return 0
	}
	return b.b.len()
}

// Reset removes all copies from the batch. It may keep the handles of their memories reachable until other copies
// are added. It returns ErrInUse while the batch runs.
func (b *Batch) Reset() error {
	if b == nil || b.b == nil {
		return noBatch("reset")
	}
	in := b.b
	if err := in.unused("reset"); err != nil {
		return err
	}
	in.used, in.empty, in.room, in.told = 0, 0, in.items, -1
	in.errs = nil
	in.fresh = true
	if len(in.groups) == 1 && b.last.kind == ofRanges && len(b.mems) == 2 && in.routes.Again() {
		b.last.n = 0 // all were on one route: most often the next copies take it, too
		return nil
	}
	b.forget()
	return nil
}

// dropKept is for copies that do not take the route that the last Reset has kept.
func (b *Batch) dropKept() {
	if b.last != nil && b.b.len() == 0 {
		b.forget()
	}
}

// forget is the rest of Reset, if it keeps nothing.
func (b *Batch) forget() {
	in := b.b
	in.groups = in.groups[:0]
	in.routes.Reset()
	clear(b.bufs)
	clear(b.mems)
	b.bufs, b.mems = b.bufs[:0], b.mems[:0]
	b.last = nil
	b.noRoute()
}

// Run submits the batch and waits for it: it does what Submit and Wait do.
func (b *Batch) Run(ctx context.Context) error {
	if b == nil || b.b == nil {
		return noBatch("run batch")
	}
	if err := bind.NeedContext(ctx, "run batch", b.b.c.link); err != nil {
		b.b.refused()
		return err
	}
	ended, err := b.b.submit(ctx, true, b.bufs)
	if ended {
		return b.b.outcome(ctx, err)
	}
	if err != nil {
		return err
	}
	return b.b.wait(ctx)
}

// Submit starts all copies of the batch. If others have the tasks, it waits for them; ctx limits
// only that wait. If DOCA refuses a copy, those before it still run: Wait returns the error, and
// Err the error of each copy. The context goes on, unless [Config.OptimizeReports] is set.
// Errors: ErrEmpty for an empty batch; ErrInUse if the batch runs or a
// buffer is in use; ErrTooBig for a copy that does not fit into one task (see [Limits]; Copy can
// do it); and those of Copy. Calls doca_dma_task_memcpy_alloc_init and doca_task_submit_ex.
func (b *Batch) Submit(ctx context.Context) error {
	if b == nil || b.b == nil {
		return noBatch("run batch")
	}
	if err := bind.NeedContext(ctx, "run batch", b.b.c.link); err != nil {
		b.b.refused()
		return err
	}
	_, err := b.b.submit(ctx, false, b.bufs)
	return err
}

// Wait waits until all copies of the last Submit have ended, and drives the engine while it waits.
// It returns the first error; the copies for which Err returns nil have succeeded. If ctx ends
// first, Wait returns ctx.Err() and may be called again. It returns ErrBadState if nothing was
// submitted since NewBatch, Reset or a Submit that failed, and a [*doca.StateError] if the batch is
// closed.
func (b *Batch) Wait(ctx context.Context) error {
	if b == nil || b.b == nil {
		return noBatch("wait")
	}
	if err := bind.NeedContext(ctx, "wait", b.b.c.link); err != nil {
		return err
	}
	if b.b.fresh || !b.b.ran.Load() {
		return b.b.notRun("wait")
	}
	return b.b.wait(ctx)
}

func (b *batch) wait(ctx context.Context) error {
	err := b.end.Wait(ctx)
	if err == nil || !b.end.Completed() {
		return err
	}
	return b.outcome(ctx, err)
}

// outcome returns the error of a batch that has ended.
func (b *batch) outcome(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	b.c.link.WaitIdle(ctx) // a failed task stops the context: the caller finds it idle
	return b.why.of(ctx, b.c, err)
}

// notRun returns why there is no run to ask for.
func (b *batch) notRun(op string) error {
	b.c.link.LockAlways()
	defer b.c.link.Unlock()
	return b.notRunLocked(op)
}

func (b *batch) notRunLocked(op string) error {
	if b.state.Load() == batchClosed {
		return b.closedError(op)
	}
	return b.c.fail(doca.ErrBadState, "the batch was not submitted: call Submit or Run")
}

// Err returns the error of copy i of the last run, or nil if it has succeeded. The copies are
// counted from 0, in the order of Add and AddRange. Errors: ErrInvalidValue if the batch has no copy i;
// ErrInProgress while the batch runs; ErrBadState for a copy that was added since the run; ErrBadState and a
// [*doca.StateError] as [Batch.Wait]. It may wait as [Future.Err] does.
func (b *Batch) Err(i int) error {
	if b == nil || b.b == nil {
		return noBatch("look at a copy")
	}
	in := b.b
	return in.why.of(context.Background(), in.c, in.errOf(i))
}

func (b *batch) errOf(i int) error {
	b.c.link.LockAlways()
	defer b.c.link.Unlock()
	n := b.len()
	switch {
	case b.state.Load() == batchClosed:
		return b.notRunLocked("look at a copy")
	case i < 0 || i >= n:
		return b.c.fail(doca.ErrInvalidValue, fmt.Sprintf("the batch has %d copies, from 0 on, and no copy %d", n, i))
	case b.fresh || !b.ran.Load():
		return b.notRunLocked("look at a copy")
	case b.running:
		return b.c.fail(doca.ErrInProgress, "the batch is running: Wait for it")
	case i >= b.copies:
		return b.c.fail(doca.ErrBadState, fmt.Sprintf("copy %d was added after the last run: call Submit or Run", i))
	case b.errs == nil: // all have succeeded
		return nil
	}
	return b.errs[i]
}

// Close waits until the batch does not run, and frees it. A Run or Submit that waits for tasks fails at once. The
// buffers stay open. Close is idempotent.
func (b *Batch) Close() error {
	if b == nil || b.b == nil {
		return noBatch("close")
	}
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
	if in.state.Load() != batchClosed {
		in.c.endWaitLocked(in, in.closedError("run batch"))
		in.c.unholdLocked(in)
		in.c.grantLocked()
		in.dropLocked()
	}
	in.cleanup.Stop()
	abi.Free(in.items)
	in.items, in.room = nil, nil
	return nil
}

// dropLocked closes a batch that does not run, and frees its memory but the items. What is marked with "ready"
// may be in use.
func (b *batch) dropLocked() {
	b.routes.Release(0)
	b.epoch = 0
	b.ran.Store(false)
	abi.Free(b.inC)
	abi.Free(b.tasks)
	b.inC, b.tasks = nil, nil
	b.state.Store(batchClosed)
	if place := slices.Index(b.c.batches, b); place >= 0 {
		b.c.batches[place] = nil
	}
}

// unused returns an error if the batch cannot be changed or run.
func (b *batch) unused(op string) error {
	switch b.state.Load() {
	case batchClosed:
		return b.closedError(op)
	case batchBusy:
		return b.c.fail(doca.ErrInUse, "the batch is running: Wait for it")
	}
	return nil
}

func (b *batch) closedError(op string) error {
	return &doca.StateError{Object: "batch of " + b.c.link.String(), State: doca.StateClosed, Op: op}
}
