// Package dma copies memory with a device's DMA engine: DOCA DMA.
//
// [DMA.Copy] copies one buffer to another and waits; [DMA.CopyAsync] returns a future;
// a [Batch] is prepared once and run many times, at the speed of a loop in C.
//
// A copy reads the data segments of the source and writes from the head of the
// destination's region on; what the destination held is replaced, and afterwards its
// data segment is what was copied. Both may be lists of buffers, cut in any way.
//
// While a copy is in flight its buffers are the device's (see [doca.Buffer]). Two
// copies at once may read the same source; a destination is for one copy alone.
//
// A task that fails stops the whole context, as DOCA has it: all other copies in
// flight fail too, and the context becomes idle. Start on the same object starts it
// again.
package dma

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// DefaultMaxTasks is the number of tasks of a context whose Config names none.
const DefaultMaxTasks = 128

// Config are the options of a DMA context.
type Config struct {
	// MaxTasks is how many tasks can be in flight at once; copies beyond it wait. 0 is
	// DefaultMaxTasks, or what the device can do if that is less.
	MaxTasks int
}

// DMA is a context that copies memory. Its embedded Context starts and stops it. It may
// be used from any goroutine.
type DMA struct {
	*doca.Context
	c *core
}

// core is the inner part of a DMA. What changes is guarded by the engine's lock.
type core struct {
	link   *bind.Link
	raw    *gen.DMA
	limits Limits
	parts  *bind.Parts // made when the first copy is cut

	slots []slot
	inC   tasksInC
	free  []int32
	queue []*applicant
	epoch uint32 // counts the times that the tasks were freed
	ops   []*op  // not in use

	batches []*batch // a batch's place, behind the slots, is its user data; nil if free
	idle    []*batch // not running, but holding slots
}

// New creates a DMA context on a device, connects it to an engine and starts it. The
// device and the engine own it. A device that cannot copy is ErrNotSupported; more
// tasks than it can have are ErrInvalidValue, and the message names the limit. Stands
// on doca_dma_create, doca_dma_task_memcpy_set_conf and doca_ctx_start.
func New(dev *doca.Device, pe *doca.ProgressEngine, cfg Config) (*DMA, error) {
	c := &core{epoch: 1}
	ctx, err := bind.NewContext(bind.ContextConfig{
		Kind:    "dma",
		Device:  dev,
		Engine:  pe,
		Create:  func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) { return c.create(dev, link, cfg) },
		Destroy: c.destroy,
		Handle:  c.handle,
		Release: c.release,
		Changed: c.changed,
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
	ctx, err := c.configure(cfg)
	if err != nil {
		err = errors.Join(err, c.destroy(nil))
	}
	return ctx, err
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
		return nil, fmt.Errorf("%w: Config.MaxTasks is %d, the device can have 1 to %d", doca.ErrInvalidValue, n, most)
	}
	if err := gen.TaskMemcpySetConfBatched(c.raw, uint32(n)); err != nil {
		return nil, err
	}
	if err := c.inC.alloc(n); err != nil {
		return nil, err
	}
	c.slots = make([]slot, n)
	for i := range n {
		c.free = append(c.free, int32(n-1-i))
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
	c.inC.free()
	for _, b := range c.batches {
		if b != nil {
			b.drop()
		}
	}
	return c.parts.Close()
}

// Limits returns the limits of the device's tasks.
func (d *DMA) Limits() Limits { return d.c.limits }

// MaxTasks returns how many tasks can be in flight at once.
func (d *DMA) MaxTasks() int { return len(d.c.slots) }

// release frees the tasks of a context that is stopping.
func (c *core) release() {
	for i := range c.slots {
		s := &c.slots[i]
		if s.memcpy != nil {
			common.TaskFree(s.task) // it returns nothing in C, and the function was found before
			s.memcpy, s.task, s.src, s.dst = nil, nil, nil, nil
		}
	}
	c.epoch++
}

// changed fails those who wait for a task when there will be none.
func (c *core) changed(s doca.State) {
	if s != doca.StateStopping && s != doca.StateIdle {
		return
	}
	for _, a := range c.queue {
		a.done.Complete(c.link.Check(bind.OpSubmit, a.op))
	}
	clear(c.queue)
	c.queue = c.queue[:0]
}

// handle takes the records of one step of the engine, all of one kind: ends of copies and of
// batches, and failures.
func (c *core) handle(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		var err error
		if r.Kind == gen.KindTaskMemcpyError {
			c.link.Faulted(r.Status)
			err = c.fail(r.Status, "a task failed, which stops the context: call Start to use it again")
		}
		if r.User < abi.Data(len(c.slots)) {
			c.link.Finished(1)
			c.taskEnded(int32(r.User), err)
			continue
		}
		b := c.batches[int(r.User)-len(c.slots)]
		if err != nil {
			b.failed(int(r.Args[2]), err)
		}
		if r.Args[0] == 0 { // no task of it is in flight
			c.link.Finished(1)
			c.batchEnded(b)
		}
	}
}

// fail wraps the cause of a copy that failed.
func (c *core) fail(cause error, advice string) error {
	return &doca.OpError{Op: "copy", Object: c.link.String(), Err: cause, Advice: advice}
}
