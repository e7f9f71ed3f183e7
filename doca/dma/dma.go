package dma

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// DefaultMaxTasks is the default of Config.MaxTasks.
const DefaultMaxTasks = 128

// Config holds the options of a DMA context. The zero value suits most programs.
type Config struct {
	// MaxTasks is the number of tasks that can be in flight at once; further copies wait. 0
	// means DefaultMaxTasks, or the device's maximum if that is less.
	MaxTasks int
	// Order is the order in which tasks complete. Another one than OrderDefault needs DOCA 3.2: before,
	// New returns ErrNotSupported.
	Order Order
	// OptimizeReports lets DOCA report the copies of a [Batch] together, with the last one, which costs less than a report for each.
	// It counts for batches of no more copies than MaxTasks. Longer ones, and copies without a batch, are reported one by one. If DOCA
	// refuses a copy of such a batch after it has accepted others, it may never report these: then the context stops, and Start starts
	// it again. It needs doca_task_submit_ex, which DOCA has since 2.10: before, New returns ErrNotSupported.
	OptimizeReports bool
}

// DMA is a context that copies memory. The embedded Context starts, stops and closes it. Any
// goroutine may use it.
type DMA struct {
	*doca.Context
	c *core
}

// core is the inner part of a DMA. The engine's lock guards what changes.
type core struct {
	link     *bind.Link
	raw      *gen.DMA
	limits   Limits
	ranges   bind.Ranges
	together bool // Config.OptimizeReports

	slots   []slot
	inC     []abi.Slot // their counterparts, in C memory
	singles []*single  // that no task has
	chunks  [][]singleInC
	free    []int32 // indices of slots
	waiting []*waiter
	waiters []*waiter // for later waits
	epoch   uint32    // grows whenever the tasks are freed
	ops     []*copyOp // for later copies
	resume  []int32   // slots that go on with a copy in parts when the step's records are handled

	batches []*batch // the user data of a batch is len(slots) plus its index here; nil: a free place
	idle    []*batch // those that hold slots and do not run

	leftMu sync.Mutex
	left   []func() error // what CopyThrough, CopyFile and NewStream could not close; guarded by leftMu

	_ abi.Apart
}

// New creates a DMA context on a device, connects it to an engine and starts it. The device and
// the engine own it: closing either closes it. Errors: ErrNotSupported if the device cannot
// copy, and for an Order before DOCA 3.2; ErrInvalidValue for more tasks than the device supports, with
// the limit in the message.
// Calls doca_dma_create, doca_dma_task_memcpy_set_conf, doca_pe_connect_ctx and doca_ctx_start.
func New(dev *doca.Device, pe *doca.ProgressEngine, cfg Config) (*DMA, error) {
	c := &core{epoch: 1}
	ctx, err := bind.NewContext(bind.ContextConfig{
		Kind:    "dma",
		Device:  dev,
		Engine:  pe,
		Create:  func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) { return c.create(dev, link, cfg) },
		Destroy: c.destroy,
		Handle:  c.handleLocked,
		Release: c.releaseLocked,
		Later:   c.resumeLocked,
		Changed: c.changedLocked,
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Start(context.Background()); err != nil {
		return nil, errors.Join(err, ctx.Close())
	}
	return &DMA{Context: ctx, c: c}, nil
}

func (c *core) create(dev *common.Dev, link *bind.Link, cfg Config) (*common.Ctx, error) {
	c.link = link
	c.ranges.Init(link, c.recallLocked)
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return nil, err
	}
	if err := gen.CapTaskMemcpyIsSupported(info); err != nil {
		return nil, err
	}
	if c.limits, err = limitsOf(info); err != nil {
		return nil, err
	}
	if c.raw, err = gen.Create(dev); err != nil {
		return nil, err
	}
	return c.configure(cfg)
}

func (c *core) configure(cfg Config) (*common.Ctx, error) {
	most, err := gen.CapGetMaxNumTasks(c.raw)
	if err != nil {
		return nil, err
	}
	n := cfg.MaxTasks
	if n == 0 {
		n = int(min(DefaultMaxTasks, most))
	}
	if n < 0 || uint64(n) > uint64(most) {
		return nil, fmt.Errorf("%w: Config.MaxTasks is %d, the device supports 1 to %d", doca.ErrInvalidValue, n, most)
	}
	if err := c.setOrder(cfg.Order); err != nil {
		return nil, err
	}
	if err := c.setReports(cfg.OptimizeReports); err != nil {
		return nil, err
	}
	if err := gen.TaskMemcpySetConfBatched(c.raw, uint32(n)); err != nil {
		return nil, err
	}
	if c.inC, err = abi.Alloc[abi.Slot](n); err != nil {
		return nil, err
	}
	c.slots, c.free = abi.MakeApart[slot](n), abi.MakeApart[int32](n)
	for i := range c.free {
		c.free[i] = int32(n - 1 - i)
	}
	return gen.AsCtx(c.raw)
}

func (c *core) destroy(ring *abi.Ring) error {
	if c.raw != nil {
		if err := gen.Destroy(ring, c.raw); err != nil {
			return err
		}
		c.raw = nil
	}
	c.dropSinglesLocked()
	abi.Free(c.inC)
	c.inC = nil
	for _, b := range c.batches {
		if b != nil {
			b.dropLocked()
		}
	}
	return c.ranges.Close()
}

// Limits returns the limits of one task of the device.
func (d *DMA) Limits() Limits {
	if d == nil || d.c == nil {
		return Limits{}
	}
	return d.c.limits
}

// MaxTasks returns the number of tasks that can be in flight at once.
func (d *DMA) MaxTasks() int {
	if d == nil || d.c == nil {
		return 0
	}
	return len(d.c.slots)
}

// changedLocked is called when the state of the context changes. If no task can be submitted any
// more, it ends the waits for one.
func (c *core) changedLocked(s doca.State) {
	if s != doca.StateStopping && s != doca.StateIdle {
		return
	}
	for _, a := range c.waiting {
		a.done.Complete(c.link.Check(bind.OpSubmit, a.op))
	}
	clear(c.waiting)
	c.waiting = c.waiting[:0]
}

// handleLocked handles records of one kind from a step of the engine: ends of copies and batches, or
// failures.
func (c *core) handleLocked(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		failed := r.Kind == gen.KindTaskMemcpyError
		if r.User < abi.Data(len(c.slots)) {
			var err error
			if failed {
				err = c.taskErrorLocked(r.Status)
			}
			c.link.Finished(1)
			c.taskEndedLocked(int32(r.User), err)
			continue
		}
		b := c.batches[int(r.User)-len(c.slots)]
		switch item := int(r.Args[2]); {
		case failed && item >= int(b.inC[0].Taken):
			b.failedLocked(b.copyOf(item), c.refusedLocked(r.Status))
		case failed:
			b.failedLocked(b.copyOf(item), c.taskErrorLocked(r.Status))
		}
		if r.Args[0] == 0 { // none of its tasks is in flight
			c.link.Finished(1)
			c.batchEndedLocked(b)
		}
	}
}

// taskErrorLocked returns the error of a task that has failed, which stops the context.
func (c *core) taskErrorLocked(status abi.Error) error {
	c.link.Faulted(status)
	return c.fail(status, failedAdvice)
}

// refusedLocked returns the error of a copy of a batch that DOCA has refused while others were in flight. That does not
// stop the context, but the context may stop, and therefore refuse it.
func (c *core) refusedLocked(status abi.Error) error {
	if err := c.link.Check(bind.OpSubmit, "run batch"); err != nil {
		return err
	}
	return c.fail(status, "DOCA has refused the task: the rest of the batch did not begin")
}

const failedAdvice = "a task failed, which stops the context: call Start to use it again. If Start or the next copy fails, too, the device is gone, " +
	"or the process that exported the memory: close everything on the device and open the device again, or import the memory again"

// reason keeps what DOCA says of the failure of a task beyond its code, so that every call says the same of a copy, also
// after the program has closed the memory.
type reason struct{ found atomic.Pointer[error] }

// of returns why a copy or batch has failed whose error is err. No lock is held.
func (r *reason) of(ctx context.Context, c *core, err error) error {
	if err == nil {
		return nil
	}
	failed := new(doca.OpError)
	if !errors.As(err, &failed) || failed.Advice != failedAdvice {
		return err
	}
	if r.found.Load() == nil {
		why := c.link.Explain(ctx, "copy", failed.Err, err)
		if why == err { // DOCA may tell later
			return err
		}
		r.found.CompareAndSwap(nil, &why)
	}
	return *r.found.Load()
}

// reset forgets it, for another copy or run.
func (r *reason) reset() {
	if r.found.Load() != nil {
		r.found.Store(nil)
	}
}

// fail returns the error of a copy that failed.
func (c *core) fail(cause error, advice string) error {
	return &doca.OpError{Op: "copy", Object: c.link.String(), Err: cause, Advice: advice}
}
