package sha

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/examples/sha/internal/doca/sha"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// DefaultMaxTasks is the default of Config.MaxTasks.
const DefaultMaxTasks = 128

// Config holds the options of a SHA context. The zero value suits most programs.
type Config struct {
	Algorithm Algorithm // of all its digests; the zero value is SHA256

	// MaxTasks is the number of tasks that can be in flight at once; further sums wait. 0 means
	// DefaultMaxTasks, or the device's maximum if that is less.
	MaxTasks int
}

// SHA is a context that computes digests. The embedded Context starts, stops and closes it. Any
// goroutine may use it.
type SHA struct {
	*doca.Context
	c *core
}

// core is the inner part of a SHA. It never points to the SHA: a SHA that the program has lost is
// then garbage, which is how the leak is noticed. The engine's lock guards what changes.
type core struct {
	link      *bind.Link
	raw       *gen.SHA
	algorithm gen.Algorithm
	size      int // bytes of a digest
	limits    Limits

	slots []abi.Slot  // one for each task, in C memory
	free  []*abi.Slot // those whose task has no work

	jobs    []*job // the user data of a job is its index here; nil: a free place
	singles []*job // jobs of one sum that do not run, for later sums
}

// New creates a SHA context on a device, connects it to an engine and starts it. The device and the
// engine own it: closing either closes it. Errors: ErrNotSupported if the device does not have the
// algorithm; ErrInvalidValue for more tasks than the device supports, with the limit in the
// message. Calls doca_sha_create, doca_sha_task_hash_set_conf, doca_pe_connect_ctx and
// doca_ctx_start.
func New(dev *doca.Device, pe *doca.ProgressEngine, cfg Config) (*SHA, error) {
	c := &core{}
	ctx, err := bind.NewContext(bind.ContextConfig{
		Kind:    "sha",
		Device:  dev,
		Engine:  pe,
		Create:  func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) { return c.create(dev, link, cfg) },
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
	return &SHA{Context: ctx, c: c}, nil
}

// create creates DOCA's object. NewContext calls it, and connects the result to the engine.
func (c *core) create(dev *common.Dev, link *bind.Link, cfg Config) (*common.Ctx, error) {
	c.link = link
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return nil, err
	}
	if err := c.query(info, cfg.Algorithm); err != nil {
		return nil, err
	}
	if c.raw, err = gen.Create(dev); err != nil {
		return nil, err
	}
	return c.configure(cfg.MaxTasks)
}

// query asks what the device can do.
func (c *core) query(info *common.Devinfo, a Algorithm) (err error) {
	if c.algorithm, err = a.raw(); err != nil {
		return err
	}
	if err = gen.CapTaskHashGetSupported(info, c.algorithm); err != nil {
		return err
	}
	size, err := gen.CapGetMinDstBufSize(info, c.algorithm)
	if err != nil {
		return err
	}
	c.size = int(size)
	c.limits, err = limitsOf(info)
	return err
}

func (c *core) configure(n int) (*common.Ctx, error) {
	most, err := gen.CapGetMaxNumTasks(c.raw)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = int(min(DefaultMaxTasks, most))
	}
	if n < 0 || uint64(n) > uint64(most) {
		return nil, fmt.Errorf("%w: Config.MaxTasks is %d, the device supports 1 to %d", doca.ErrInvalidValue, n, most)
	}
	if err := gen.TaskHashSetConfBatched(c.raw, uint32(n)); err != nil {
		return nil, err
	}
	if err := c.allocSlots(n); err != nil {
		return nil, err
	}
	return gen.AsCtx(c.raw)
}

// destroy frees DOCA's object and the memory in C. It may be called again after an error.
func (c *core) destroy(ring *abi.Ring) error {
	if c.raw != nil {
		if err := gen.Destroy(ring, c.raw); err != nil {
			return err
		}
		c.raw = nil
	}
	for _, j := range c.jobs {
		if j != nil {
			j.freeLocked()
		}
	}
	c.freeSlots()
	return nil
}

// Size returns the number of bytes of a digest.
func (s *SHA) Size() int { return s.c.size }

// Limits returns the limits of one task of the device.
func (s *SHA) Limits() Limits { return s.c.limits }

// MaxTasks returns the number of tasks that can be in flight at once.
func (s *SHA) MaxTasks() int { return len(s.c.slots) }

// handleLocked handles what the callbacks of tasks have left behind: the ends of jobs, and
// failures.
func (c *core) handleLocked(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		j := c.jobs[r.User]
		if r.Kind == gen.KindTaskHashError {
			c.link.Faulted(r.Status) // for the errors of calls that come too late
			j.failedLocked(int(r.Args[2]), c.fail(r.Status, "a task failed, which stops the context: call Start to use it again"))
		}
		if r.Args[0] == 0 { // no task works for the job any more
			c.link.Finished(1)
			j.endedLocked()
		}
	}
}

// fail returns the error of a sum that failed: what was tried, on which object, why, and what to
// do.
func (c *core) fail(cause error, advice string) error {
	return &doca.OpError{Op: "sum", Object: c.link.String(), Err: cause, Advice: advice}
}
