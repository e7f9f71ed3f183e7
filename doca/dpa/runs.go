package dpa

import (
	"context"
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// runs are the kernels of a context that report their end to the package. Each has an event for itself, to which it adds 1. The
// context's lock guards all.
type runs struct {
	events []*gen.SyncEvent // all
	free   []*gen.SyncEvent
	active map[*run]struct{}
}

// run is a kernel that was launched.
type run struct {
	name  string
	event *gen.SyncEvent // nil: the kernel has ended
	goal  uint64
	waits bool // it may wait for an event
	err   error
}

// startLocked launches a kernel with an event of the package.
func (c *instance) startLocked(d *DPA, name string, raw RawLaunch, start func(RawLaunch) error) (*run, error) {
	c.sweepLocked(looksPerLaunch)
	ev, before, err := c.runs.eventLocked(d, c.raw)
	if err != nil {
		return nil, err
	}
	raw.Completion, raw.CompletionCount, raw.Add = ev, 1, true
	if err := start(raw); err != nil {
		c.runs.free = append(c.runs.free, ev)
		return nil, err
	}
	r := &run{name: name, event: ev, goal: before + 1, waits: raw.Wait != nil}
	if c.runs.active == nil {
		c.runs.active = map[*run]struct{}{}
	}
	c.runs.active[r] = struct{}{}
	return r, nil
}

// eventLocked returns an event that no kernel uses, and its value.
func (r *runs) eventLocked(d *DPA, raw *common.DPA) (*gen.SyncEvent, uint64, error) {
	if n := len(r.free); n > 0 {
		ev := r.free[n-1]
		value, err := gen.Get(ev)
		if err == nil {
			r.free = r.free[:n-1]
		}
		return ev, value, err
	}
	dev, err := bind.RawDevice(d.dev)
	if err != nil {
		return nil, 0, err
	}
	ev, err := gen.Create()
	if err != nil {
		return nil, 0, err
	}
	ev, err = steps(ev,
		func() error { return gen.AddPublisherLocationDPA(ev, raw) },
		func() error { return gen.AddSubscriberLocationCPU(ev, dev) },
		func() error { return gen.Start(nil, ev) })
	if err != nil {
		left := gen.Destroy(nil, ev)
		if left == nil {
			return nil, 0, err
		}
		err = errors.Join(err, left)
	}
	r.events = append(r.events, ev)
	return ev, 0, err
}

// sweepLocked takes back the events of kernels that have ended, also of those that nobody waits for. It looks at as many kernels, whichever.
func (c *instance) sweepLocked(many int) {
	for r := range c.runs.active {
		if many--; many < 0 {
			return
		}
		c.lookAtLocked(r)
	}
}

// looksPerLaunch is at how many kernels a launch looks, so that events of kernels that nobody waits for come back faster than new ones are
// needed, and a launch costs the same however many kernels wait for an event.
const looksPerLaunch = 16

// lookAtLocked reports whether a kernel has ended.
func (c *instance) lookAtLocked(r *run) bool {
	if r.event == nil {
		return true
	}
	value, err := gen.Get(r.event)
	switch {
	case err == nil && value == r.goal:
		c.runs.free = append(c.runs.free, r.event)
	case err != nil:
		r.err = c.causeLocked(err)
	case c.fatal != nil:
		r.err = c.fatal
	default:
		return false
	}
	r.event = nil
	delete(c.runs.active, r)
	return true
}

// await waits for the end of a kernel.
func (c *instance) await(ctx context.Context, r *run) error {
	looks := 0
	return poll(ctx, func() (bool, error) {
		if err := c.lockFor(ctx); err != nil {
			return false, err
		}
		defer c.mu.Unlock()
		if looks++; looks%looksPerPeek == 0 && r.event != nil {
			_ = c.lookLocked() // a kernel that has crashed does not change its event
		}
		if !c.lookAtLocked(r) {
			return false, nil
		}
		return true, r.err
	})
}

// looksPerPeek is how many looks at an event go by before DOCA is asked for fatal errors.
const looksPerPeek = 16

// wait waits for the ends of the kernels that have started. A kernel that may still wait for its event does not keep a Close: what
// the event was in the meantime, nobody knows.
func (r *runs) wait(ctx context.Context, c *instance) error {
	var name string
	err := poll(ctx, func() (bool, error) {
		if err := c.lockFor(ctx); err != nil {
			return false, fail("close", c.name, err, busyAdvice)
		}
		defer c.mu.Unlock()
		if c.raw == nil || c.lookLocked() != nil {
			return true, nil
		}
		c.sweepLocked(len(r.active))
		for run := range r.active {
			if !run.waits {
				name = run.name
				return false, nil
			}
		}
		return true, nil
	})
	return fail("close", c.name, err, "it waits for the kernel "+name)
}

// destroyLocked destroys the events. It may be called again after an error.
func (r *runs) destroyLocked() error {
	for run := range r.active {
		run.event, run.err = nil, &doca.StateError{Object: run.name, State: doca.StateClosed, Op: "wait"}
		delete(r.active, run)
	}
	r.free = nil
	for n := len(r.events); n > 0; n-- {
		if err := gen.Destroy(nil, r.events[n-1]); err != nil {
			return err
		}
		r.events = r.events[:n-1]
	}
	return nil
}
