package mmapadvise

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// DefaultMaxTasks is the default of Config.MaxTasks.
const DefaultMaxTasks = 16

// mostTasks limits Config.MaxTasks. DOCA's own limit is lower.
const mostTasks = 1 << 20

// Config holds the options of a MmapAdvise. The zero value suits most programs.
type Config struct {
	MaxTasks int // invalidations in flight at once; further ones wait. 0 means DefaultMaxTasks
}

// MmapAdvise is a context that gives advice on memory. The embedded Context starts, stops and closes it. Any goroutine may use it.
// A task that fails stops nothing on the emulator, but it stops the context on hardware: call Start then.
type MmapAdvise struct {
	*doca.Context
	c *advise
}

// advise is the inner part of a MmapAdvise. It never points to it. The engine's lock guards what changes.
type advise struct {
	link    *bind.Link
	raw     *common.MmapAdvise
	maxSize uint64
	jobs    []job
	free    []*job
}

// job is one invalidation. What C works with is in C memory.
type job struct {
	claim bind.Claim
	inC   []abi.Batch                                // one
	item  []common.MmapAdviseTaskInvalidateCacheItem // one
	slot  []abi.Slot                                 // one
	tasks []*abi.Slot                                // one, the slot
	err   error
	end   *bind.Completion // who is told of the end; nil: nobody
}

// Supported returns nil if the device can invalidate caches, ErrNotSupported if it cannot, and another error if the query fails.
// Calls doca_mmap_advise_cap_task_cache_invalidate_is_supported.
func Supported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, common.MmapAdviseCapTaskCacheInvalidateIsSupported)
}

// New creates a context on a device, connects it to an engine and starts it. The device and the engine own it: closing either
// closes it. Errors: ErrNotSupported if the device cannot invalidate caches; ErrInvalidValue if dev or pe is nil, or MaxTasks is
// negative or more than DOCA can; a [*doca.StateError] if the device or the engine is closed. Calls doca_mmap_advise_create,
// doca_mmap_advise_task_invalidate_cache_set_conf, doca_pe_connect_ctx and doca_ctx_start.
func New(dev *doca.Device, pe *doca.ProgressEngine, cfg Config) (*MmapAdvise, error) {
	c := new(advise)
	ctx, err := bind.NewContext(bind.ContextConfig{
		Kind:    "mmap advise",
		Device:  dev,
		Engine:  pe,
		Create:  func(raw *common.Dev, link *bind.Link) (*common.Ctx, error) { return c.create(raw, link, cfg.MaxTasks) },
		Destroy: c.destroy,
		Handle:  c.handleLocked,
		Release: c.releaseLocked,
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Start(context.Background()); err != nil {
		return nil, errors.Join(err, ctx.Close())
	}
	return &MmapAdvise{Context: ctx, c: c}, nil
}

func (c *advise) create(dev *common.Dev, link *bind.Link, n int) (_ *common.Ctx, err error) {
	c.link = link
	if n < 0 || n > mostTasks {
		return nil, fmt.Errorf("%w: Config.MaxTasks is %d, it can be up to %d", doca.ErrInvalidValue, n, mostTasks)
	}
	if n == 0 {
		n = DefaultMaxTasks
	}
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return nil, err
	}
	if err = common.MmapAdviseCapTaskCacheInvalidateIsSupported(info); err != nil {
		return nil, err
	}
	if c.maxSize, err = common.MmapAdviseTaskCacheInvalidateGetMaxBufSize(info); err != nil {
		return nil, err
	}
	if c.raw, err = common.MmapAdviseCreate(dev); err != nil {
		return nil, err
	}
	return c.configure(n)
}

func (c *advise) configure(n int) (*common.Ctx, error) {
	if err := common.MmapAdviseTaskInvalidateCacheSetConfBatched(c.raw, uint32(n)); err != nil {
		return nil, err
	}
	c.jobs = make([]job, n)
	for i := range c.jobs {
		if err := c.jobs[i].alloc(i); err != nil {
			return nil, err
		}
		c.jobs[i].claim.Init(c.link, false)
		c.free = append(c.free, &c.jobs[i])
	}
	return common.MmapAdviseAsCtx(c.raw)
}

func (c *advise) destroy(ring *abi.Ring) error {
	if c.raw != nil {
		if err := common.MmapAdviseDestroy(ring, c.raw); err != nil {
			return err
		}
		c.raw = nil
	}
	for i := range c.jobs {
		c.jobs[i].drop()
	}
	return nil
}

// MaxSize returns the largest buffer that one call can invalidate, in bytes.
func (m *MmapAdvise) MaxSize() uint64 {
	if m == nil || m.c == nil {
		return 0
	}
	return m.c.maxSize
}

// handleLocked handles the ends of tasks.
func (c *advise) handleLocked(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		j := &c.jobs[r.User]
		if r.Kind == common.KindMmapAdviseTaskInvalidateCacheError {
			j.err = c.fail(r.Status, "the device could not do it; if the context has stopped, call Start to use it again")
		}
		if r.Args[0] != 0 { // a task still works for the job
			continue
		}
		c.link.Finished(1)
		j.claim.End(nil)
		if j.end != nil {
			j.end.Complete(j.err)
		}
		c.putLocked(j)
	}
}

// releaseLocked frees the tasks. The context is stopping, and none is in flight.
func (c *advise) releaseLocked() {
	for i := range c.jobs {
		s := &c.jobs[i].slot[0]
		if s.Task != nil {
			common.TaskFree((*common.Task)(s.Task)) // it cannot fail: it returns nothing in C, and DOCA has the function
			s.Task, s.Typed = nil, nil
		}
	}
}

func (c *advise) fail(cause error, advice string) error {
	return &doca.OpError{Op: "invalidate cache", Object: c.link.String(), Err: cause, Advice: advice}
}
