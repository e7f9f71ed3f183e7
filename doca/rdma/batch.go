package rdma

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/generated/abi"
)

// Batch is a list of operations of one kind on a connection, such as writes, that go to DOCA together:
// one call submits them, one takes all their completions, and nothing is allocated. The first operation
// that is added says which kind it is. If there are more than Config.MaxTasks, C keeps the tasks busy.
//
// A batch can be run again as it is, or filled anew after Reset, which costs little more. Its operations are
// carried out in order on RC connections. Only one goroutine at a time may use it. It belongs to its
// connection's context, and closing that frees it.
type Batch struct {
	conn *Conn
	b    *batch
	mems []*doca.Memory // so that their handles live as long as this one needs them

	// The last operation is a copy between ranges of these; nil if not.
	dst, src *doca.Memory
	route    bind.Route

	_ abi.Apart
}

// batch is the inner part of a Batch. Between runs it belongs to the goroutine that uses the Batch, else
// to the engine's lock.
type batch struct {
	o      *op // of the kind that it has had last; nil at first
	ops    [numKinds]*op
	kind   kind
	most   int
	copies copies   // the operations, if they are writes or reads
	list   []access // if they are of another kind
	end    Future
	closed bool
	ran    bool // there is a run to wait for, or that has ended

	_ abi.Apart
}

// NewBatch returns an empty batch for up to n operations. Errors: ErrInvalidValue if n is less than 1; a
// [*doca.StateError] if the connection is closed.
func (c *Conn) NewBatch(n int) (*Batch, error) {
	if c == nil || c.c == nil {
		return nil, noConn("new batch")
	}
	if n < 1 {
		return nil, c.c.fail("new batch", doca.ErrInvalidValue, fmt.Sprintf("a batch of %d operations: it needs room for at least 1", n))
	}
	c.c.r.link.LockAlways()
	defer c.c.r.link.Unlock()
	if c.c.closing {
		return nil, c.c.closedError("new batch")
	}
	b := &batch{most: n}
	b.copies.limit(c.c.r.caps.MaxMessageSize)
	b.end.c = c.c.r
	b.end.end.InitLocal(c.c.r.link)
	b.end.end.Complete(nil) // before the first run there is nothing to wait for
	return &Batch{conn: c, b: b, mems: abi.MakeApart[*doca.Memory](2 * min(n, reserved))[:0]}, nil
}

// reserved is for how many operations a batch has memory from the beginning. It gets more when more are added: the program may
// ask for any number.
const reserved = 1 << 16

// grown returns a full list with room for more, up to most.
func grown[T any](list []T, most int) []T {
	n := min(most, max(reserved, 2*len(list)))
	return append(abi.MakeApart[T](n)[:0:n], list...)
}

// room returns an error if an operation of a kind cannot be added.
func (b *Batch) room(k kind) error {
	if b == nil || b.b == nil {
		return noBatch("add")
	}
	if err := b.unused("add"); err != nil {
		return err
	}
	in := b.b
	if in.len() == in.most {
		return b.conn.c.fail("add", doca.ErrFull, fmt.Sprintf("the batch has all %d operations that it was made for", in.most))
	}
	if in.len() > 0 && in.kind != k {
		return b.conn.c.fail("add", doca.ErrInvalidValue, "a batch has operations of one kind: this one does not fit the first")
	}
	in.kind = k
	return nil
}

// len returns the number of operations.
func (b *batch) len() int { return len(b.list) + len(b.copies.list) }

// adding returns the place for one more operation. The caller fills it in, and keeps it with kept.
func (b *Batch) adding(k kind) (*access, error) {
	if err := b.room(k); err != nil {
		return nil, err
	}
	in := b.b
	if len(in.list) == cap(in.list) {
		in.list = grown(in.list, in.most)
	}
	a := &in.list[:len(in.list)+1][len(in.list)]
	*a = access{}
	return a, nil
}

// kept keeps the operation that adding has made room for, unless err says that it is wrong.
func (b *Batch) kept(err error, mems ...*doca.Memory) error {
	if err != nil {
		return err
	}
	in := b.b
	in.list = in.list[:len(in.list)+1]
	b.mems = append(b.mems, mems...)
	return nil
}

// Write adds a write: see [Conn.Write] for it and its errors. The memories are not in use before the
// batch is run. Errors of all methods that add: ErrFull if the batch has the n operations of NewBatch,
// ErrInUse while it runs, ErrInvalidValue if it has operations of another kind.
func (b *Batch) Write(dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	return b.copy(kindWrite, dst, dstOff, src, srcOff, n)
}

// WriteImm adds a write with immediate data: see [Conn.WriteImm].
func (b *Batch) WriteImm(imm uint32, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	a, err := b.adding(kindWriteImm)
	if err != nil {
		return err
	}
	a.imm = imm
	if err = a.aimSource(b.conn.c, src, srcOff, n, "write"); err == nil {
		err = a.aimRemote(b.conn.c, dst, dstOff, n, "write")
	}
	return b.kept(err, dst, src)
}

// Read adds a read: see [Conn.Read].
func (b *Batch) Read(dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	return b.copy(kindRead, dst, dstOff, src, srcOff, n)
}

// Send adds a message: see [Conn.Send].
func (b *Batch) Send(src *doca.Memory, off, n int) error {
	a, err := b.adding(kindSend)
	if err != nil {
		return err
	}
	return b.kept(a.aimSource(b.conn.c, src, off, n, "send"), src)
}

// SendImm adds a message with immediate data: see [Conn.SendImm].
func (b *Batch) SendImm(imm uint32, src *doca.Memory, off, n int) error {
	a, err := b.adding(kindSendImm)
	if err != nil {
		return err
	}
	return b.kept(a.aimMessage(b.conn.c, imm, src, off, n), src)
}

// CompareAndSwap adds a compare-and-swap: see [Conn.CompareAndSwap]. What the word was is in the result's
// memory after the run.
func (b *Batch) CompareAndSwap(dst *doca.Memory, off int, result *doca.Memory, resultOff int, old, new uint64) error {
	a, err := b.adding(kindCompareAndSwap)
	if err != nil {
		return err
	}
	a.operand = [2]uint64{old, new}
	return b.kept(a.aimAtomic(b.conn.c, dst, off, result, resultOff, "compare and swap"), dst, result)
}

// FetchAdd adds a fetch-and-add: see [Conn.FetchAdd]. What the word was is in the result's memory after
// the run.
func (b *Batch) FetchAdd(dst *doca.Memory, off int, result *doca.Memory, resultOff int, delta uint64) error {
	a, err := b.adding(kindFetchAdd)
	if err != nil {
		return err
	}
	a.operand = [2]uint64{delta}
	return b.kept(a.aimAtomic(b.conn.c, dst, off, result, resultOff, "fetch and add"), dst, result)
}

// EventGet adds a read of a sync event: see [Conn.EventGet]. The value is in the result's memory after the
// run.
func (b *Batch) EventGet(event *syncevent.Remote, result *doca.Memory, resultOff int) error {
	a, err := b.adding(kindEventGet)
	if err != nil {
		return err
	}
	return b.kept(a.aimEvent(b.conn.c, event, result, resultOff, "get event"), result)
}

// EventSet adds a change of a sync event: see [Conn.EventSet]. value is put into src when the batch is
// submitted.
func (b *Batch) EventSet(event *syncevent.Remote, src *doca.Memory, srcOff int, value uint64) error {
	a, err := b.adding(kindEventSet)
	if err != nil {
		return err
	}
	a.operand = [2]uint64{value}
	return b.kept(a.aimEvent(b.conn.c, event, src, srcOff, "set event"), src)
}

// EventAdd adds an addition to a sync event: see [Conn.EventAdd]. What the value was is in the result's
// memory after the run.
func (b *Batch) EventAdd(event *syncevent.Remote, result *doca.Memory, resultOff int, delta uint64) error {
	a, err := b.adding(kindEventAdd)
	if err != nil {
		return err
	}
	a.operand = [2]uint64{delta}
	return b.kept(a.aimEvent(b.conn.c, event, result, resultOff, "add to event"), result)
}

// Len returns the number of operations in the batch.
func (b *Batch) Len() int {
	if b == nil || b.b == nil {
		return 0
	}
	return b.b.len()
}

// Reset removes all operations. It returns ErrInUse while the batch runs.
func (b *Batch) Reset() error {
	if b == nil || b.b == nil {
		return noBatch("reset")
	}
	if err := b.unused("reset"); err != nil {
		return err
	}
	b.b.copies.reset()
	b.b.list, b.b.ran = b.b.list[:0], false
	clear(b.mems)
	b.mems = b.mems[:0]
	b.dst, b.src = nil, nil
	return nil
}

// Run submits the batch and waits for it: it does what Submit and Wait do.
func (b *Batch) Run(ctx context.Context) error {
	ended, err := b.submit(ctx, true)
	if ended || err != nil {
		return err
	}
	return b.Wait(ctx)
}

// Submit starts all operations of the batch. Those that find no task wait in C. If one fails, those after
// it that have not begun do not begin, and the context stops. If DOCA refuses one, those after it do not
// begin either, and the context goes on. Wait returns the error, and Err the error of each operation.
// Errors: ErrEmpty for an empty batch; ErrInUse if the batch runs; and those of
// [Conn.Write] and its like. Calls doca_rdma_task_..._allocate_init and doca_task_submit_ex.
func (b *Batch) Submit(ctx context.Context) error {
	_, err := b.submit(ctx, false)
	return err
}

// submit is Submit. If here, the caller is to wait, so the submission makes a step of the engine; ended reports that all operations
// have ended well in it.
func (b *Batch) submit(ctx context.Context, here bool) (ended bool, err error) {
	if b == nil || b.b == nil {
		return false, noBatch("run batch")
	}
	if err := b.unused("run batch"); err != nil {
		return false, err
	}
	b.b.ran = false // of what was before, nobody asks any more
	if err := bind.NeedContext(ctx, "run batch", b.conn.obj); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if b.b.len() == 0 {
		return false, b.conn.c.fail("run batch", doca.ErrEmpty, "the batch has no operations: add some")
	}
	c := b.conn.c
	if err := c.r.link.LockAlwaysFor(ctx); err != nil {
		return false, err
	}
	if err = c.usableLocked("run batch"); err == nil {
		ended, err = b.b.launchLocked(c, here)
	}
	c.r.link.Unlock()
	return ended, err
}

// launchLocked submits the operations. It reports whether they have ended well in the step of the engine that the submission has
// made, if it has.
func (b *batch) launchLocked(c *conn, here bool) (ended bool, err error) {
	if err := b.opLocked(c); err != nil {
		return false, c.fail("run batch", err, "")
	}
	o := b.o
	o.conn = c
	if i, err := b.fillLocked(); err != nil {
		o.freeEventsLocked()
		return false, fmt.Errorf("%w (operation %d of the batch)", err, i)
	}
	if here {
		o.beginStepLocked()
	}
	if err := o.launchLocked(b.len()); err != nil {
		o.step = nil
		o.freeEventsLocked()
		b.copies.filled, o.aimedFor = 0, nil // it is not known how far DOCA has them
		return false, err
	}
	o.aimedFor = c.raw
	b.ran = true
	// Then nobody has seen the batch run, and what its end says of the last run, which has succeeded, too, is right.
	ended = o.batch[0].Quiet == abi.QuietlyEnded && b.end.end.Err() == nil
	if o.future = nil; !ended {
		b.end.beginLocked(o)
	}
	o.stepLocked()
	return ended, nil
}

// fillLocked fills in the items. After an error it returns the operation that is wrong.
func (b *batch) fillLocked() (int, error) {
	if len(b.copies.list) > 0 {
		return b.o.fillCopiesLocked(&b.copies)
	}
	for i := range b.list {
		if err := b.o.fillLocked(i, &b.list[i]); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// opLocked makes b.o that of the batch's kind.
func (b *batch) opLocked(c *conn) error {
	n := cap(b.list)
	if b.kind == kindWrite || b.kind == kindRead {
		n = cap(b.copies.list)
	}
	if o := b.ops[b.kind]; o == nil {
		o, err := c.r.takeOpLocked(b.kind, n)
		if err != nil {
			return err
		}
		o.releaseLocked() // of single operations
		o.kept = true
		b.ops[b.kind] = o
	} else if o.room < n {
		if err := o.growLocked(n); err != nil {
			return err
		}
		o.aimedFor, b.copies.filled = nil, 0 // the items are new
	}
	if b.o != nil && b.o != b.ops[b.kind] {
		b.o.releaseLocked()
		b.o.routes = nil // the other op may run when this one is released again
	}
	if b.o = b.ops[b.kind]; b.kind == kindWrite || b.kind == kindRead {
		b.o.routes = &b.copies.routes
	}
	return nil
}

// Wait waits until all operations of the last Submit have ended, and drives the engine meanwhile. It
// returns the first error; the operations for which Err returns nil have succeeded. If ctx ends first,
// Wait returns ctx.Err() and may be called again. It returns ErrBadState if nothing was submitted since
// NewBatch, Reset or a Submit that failed, and a [*doca.StateError] if the batch is closed.
func (b *Batch) Wait(ctx context.Context) error {
	if b == nil || b.b == nil {
		return noBatch("wait")
	}
	if err := bind.NeedContext(ctx, "wait", b.conn.obj); err != nil {
		return err
	}
	if !b.b.ran {
		return b.notRun("wait")
	}
	return b.b.end.Wait(ctx)
}

// Done returns a channel that is closed when all operations of the last Submit have ended; nil if nothing
// was submitted. Until then a goroutine drives the engine.
func (b *Batch) Done() <-chan struct{} {
	if b == nil || b.b == nil || !b.b.ran {
		return nil
	}
	return b.b.end.Done()
}

// Ended reports whether all operations of the last Submit have ended. It does not drive the engine, and is cheap: it is for
// programs that drive it by [doca.ProgressEngine.Progress]. It returns false if nothing was submitted.
func (b *Batch) Ended() bool { return b != nil && b.b != nil && b.b.ran && b.b.end.end.Completed() }

// Err returns the error of operation i of the last run, and nil if it has succeeded. The operations are
// counted from 0, in the order in which they were added. Errors: ErrInvalidValue if the batch has no
// operation i; ErrInProgress while it runs; ErrBadState for an operation that was added since the run, and as [Batch.Wait].
func (b *Batch) Err(i int) error {
	if b == nil || b.b == nil {
		return noBatch("look at an operation")
	}
	in := b.b
	c := b.conn.c
	switch {
	case in.closed:
		return b.notRun("look at an operation")
	case i < 0 || i >= in.len():
		return c.fail("look at an operation", doca.ErrInvalidValue, fmt.Sprintf("the batch has %d operations, from 0 on, and no operation %d", in.len(), i))
	case !in.ran:
		return b.notRun("look at an operation")
	}
	c.r.link.LockAlways()
	defer c.r.link.Unlock()
	if in.o.running {
		return c.fail("look at an operation", doca.ErrInProgress, "the batch is running: Wait for it")
	}
	if i >= in.o.n {
		return c.fail("look at an operation", doca.ErrBadState, fmt.Sprintf("operation %d was added after the last run: call Submit or Run", i))
	}
	if i < len(in.o.errs) {
		return in.o.errs[i]
	}
	return nil
}

// notRun returns why there is no run to ask for.
func (b *Batch) notRun(op string) error {
	if b.b.closed {
		return b.closedError(op)
	}
	return b.conn.c.fail(op, doca.ErrBadState, "the batch was not submitted")
}

func (b *Batch) closedError(op string) error {
	return &doca.StateError{Object: "batch of " + b.conn.String(), State: doca.StateClosed, Op: op}
}

// unused returns an error if the batch cannot be changed or run.
func (b *Batch) unused(op string) error {
	in := b.b
	switch {
	case in.closed:
		return b.closedError(op)
	case in.ran && !in.end.end.Completed():
		return b.conn.c.fail(op, doca.ErrInUse, "the batch is running: Wait for it")
	}
	return nil
}

// Close waits until the batch does not run, and frees it. The memories stay open. Close is idempotent.
func (b *Batch) Close() error {
	if b == nil || b.b == nil {
		return noBatch("close")
	}
	in := b.b
	if in.ran {
		in.end.end.Wait(context.Background())
	}
	c := b.conn.c.r
	c.link.LockAlways()
	defer c.link.Unlock()
	in.closed, in.ran, in.o = true, false, nil
	for _, o := range in.ops {
		if o != nil && slices.Contains(c.ops, o) {
			o.releaseLocked()
			o.kept, o.errs, o.routes = false, nil, nil
			c.giveOpLocked(o) // for others, which keep its memory
		}
	}
	in.ops = [numKinds]*op{}
	return nil
}
