package syncevent

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// DefaultMaxTasks is the default of Config.MaxTasks.
const DefaultMaxTasks = 16

// mostTasks limits Config.MaxTasks, before memory is allocated for each task. DOCA's own limit is lower.
const mostTasks = 1 << 20

// TaskEvent is a sync event whose operations are tasks on a progress engine. The device does them, and it waits: a wait task
// costs no looks at the value. The embedded Context starts, stops and closes the event. Any goroutine may use it.
//
// A task that fails stops the context, and with it the other tasks; Start makes it usable again. Stop and Close end tasks that are
// in flight.
type TaskEvent struct {
	*doca.Context
	c    *taskEvent
	keep *doca.Memory
}

// taskEvent is the inner part of a TaskEvent. It never points to it. The engine's lock guards what changes.
type taskEvent struct {
	link    *bind.Link
	raw     *gen.SyncEvent
	polling Polling
	slots   []slot
	free    [numKinds][]*slot
	values  []uint64 // where the tasks of the slots put values, in C memory
	stopped bool     // the program has asked for a stop
}

// NewTaskEvent creates an event on a device, connects it to an engine and starts it. The device, the engine and the memory own
// it: closing one closes the event. Errors are those of [New]. Calls doca_sync_event_create,
// doca_sync_event_add_publisher_location_cpu and its like, doca_sync_event_task_get_set_conf and its like, doca_pe_connect_ctx and
// doca_ctx_start.
func NewTaskEvent(dev *doca.Device, pe *doca.ProgressEngine, cfg Config) (*TaskEvent, error) {
	return newTaskEvent(dev, pe, cfg, func(raw *common.Dev) (*gen.SyncEvent, error) { return create(raw, cfg) })
}

// ImportTaskEvent is [Import] for an event with tasks. Calls doca_sync_event_create_from_export.
func ImportTaskEvent(dev *doca.Device, pe *doca.ProgressEngine, descriptor []byte, cfg Config) (*TaskEvent, error) {
	if err := cfg.checkImport(descriptor); err != nil {
		return nil, err
	}
	return newTaskEvent(dev, pe, cfg, func(raw *common.Dev) (*gen.SyncEvent, error) { return importEvent(raw, descriptor) })
}

func newTaskEvent(dev *doca.Device, pe *doca.ProgressEngine, cfg Config, create func(*common.Dev) (*gen.SyncEvent, error)) (*TaskEvent, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &taskEvent{polling: cfg.Polling}
	var parent bind.Owner
	if cfg.DPA != nil {
		parent = cfg.DPA
	}
	ctx, err := bind.NewContext(bind.ContextConfig{
		Kind:   "sync event",
		Device: dev,
		Engine: pe,
		Memory: cfg.Memory,
		Parent: parent,
		Create: func(raw *common.Dev, link *bind.Link) (_ *common.Ctx, err error) {
			c.link = link
			if c.raw, err = create(raw); err != nil {
				return nil, err
			}
			return c.configure(raw, cfg.MaxTasks)
		},
		Destroy: c.destroy,
		Handle:  c.handleLocked,
		Release: c.releaseLocked,
		Changed: func(s doca.State) { c.stopped = c.stopped && s != doca.StateIdle },
		Halt:    func() { c.stopped = true },
		Endless: true, // what a wait waits for may never come
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Start(context.Background()); err != nil {
		return nil, errors.Join(err, ctx.Close())
	}
	return &TaskEvent{Context: ctx, c: c, keep: cfg.Memory}, nil
}

// configure sets the tasks that the device supports.
func (c *taskEvent) configure(dev *common.Dev, n int) (*common.Ctx, error) {
	if n == 0 {
		n = DefaultMaxTasks
	}
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return nil, err
	}
	if c.values, err = abi.Alloc[uint64](int(numKinds) * n); err != nil {
		return nil, err
	}
	c.slots = make([]slot, int(numKinds)*n)
	for k := range numKinds {
		if err := kinds[k].supported(info); errors.Is(err, doca.ErrNotSupported) {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := kinds[k].setConf(c.raw, uint32(n)); err != nil {
			return nil, err
		}
		for i := range n {
			place := int(k)*n + i
			s := &c.slots[place]
			*s = slot{kind: k, place: place}
			c.free[k] = append(c.free[k], s)
		}
	}
	return gen.AsCtx(c.raw)
}

// destroy frees DOCA's object and the memory in C. It may be called again after an error.
func (c *taskEvent) destroy(ring *abi.Ring) error {
	if c.raw != nil {
		if err := gen.Destroy(ring, c.raw); err != nil {
			return err
		}
		c.raw = nil
	}
	abi.Free(c.values)
	c.values = nil
	return nil
}

// ExportPCI is as [Event.ExportPCI]. The descriptor is valid until the event stops. It returns a [*doca.StateError] if the event
// does not run. Calls doca_sync_event_export_to_remote_pci.
func (e *TaskEvent) ExportPCI(dev *doca.Device) ([]byte, error) {
	if e == nil || e.c == nil {
		return nil, noTaskEvent("export")
	}
	return e.c.export(func() ([]byte, error) { return exportPCI(e.c.raw, dev) })
}

// ExportNet is as [Event.ExportNet]. The descriptor is valid until the event stops. It returns a [*doca.StateError] if the event
// does not run. Calls doca_sync_event_export_to_remote_net.
func (e *TaskEvent) ExportNet() ([]byte, error) {
	if e == nil || e.c == nil {
		return nil, noTaskEvent("export")
	}
	return e.c.export(func() ([]byte, error) { return exportNet(e.c.raw) })
}

func (c *taskEvent) export(export func() ([]byte, error)) ([]byte, error) {
	if err := c.link.Lock(bind.OpSubmit, "export"); err != nil {
		return nil, err
	}
	defer c.link.Unlock()
	out, err := export()
	return out, c.fail("export", err, "")
}

// MaxTasks returns the number of tasks of each kind that can be in flight.
func (e *TaskEvent) MaxTasks() int {
	if e == nil || e.c == nil {
		return 0
	}
	return len(e.c.slots) / int(numKinds)
}

// handleLocked handles the ends of tasks.
func (c *taskEvent) handleLocked(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		s := &c.slots[r.User]
		var err error
		if r.Status != 0 {
			err = c.endErrorLocked(s.op, r.Status)
		}
		c.link.Finished(1)
		if s.future != nil {
			s.future.value = c.values[s.place]
			s.future.slot = nil
			s.future.end.Complete(err)
		}
		s.future = nil
		s.busy = false
		c.free[s.kind] = append(c.free[s.kind], s)
	}
	c.link.Wake()
}

// endErrorLocked returns the error of a task that has failed or was flushed.
func (c *taskEvent) endErrorLocked(op string, status abi.Error) error {
	if c.stopped {
		if err := c.link.Check(bind.OpSubmit, op); err != nil {
			return err
		}
	}
	c.link.Faulted(status)
	return c.fail(op, status, "a task failed, which stops the context: call Start to use it again; if the event was imported, its exporter may have gone")
}

func (c *taskEvent) fail(op string, err error, advice string) error {
	return fail(op, c.link.String(), err, advice)
}

// releaseLocked frees the tasks. The context is stopping, and none is in flight.
func (c *taskEvent) releaseLocked() {
	for i := range c.slots {
		s := &c.slots[i]
		if s.task != nil {
			common.TaskFree(s.task) // it cannot fail: it returns nothing in C, and DOCA has the function
			s.task, s.typed = nil, nil
		}
	}
}

// check that both kinds of events are what they are said to be.
var (
	_ Publisher  = (*Event)(nil)
	_ Subscriber = (*Event)(nil)
	_ Publisher  = (*TaskEvent)(nil)
	_ Subscriber = (*TaskEvent)(nil)
)

// supports reports whether the event has tasks of a kind.
func (c *taskEvent) supports(k kind) error {
	if c.slots[int(k)*(len(c.slots)/int(numKinds))].kind == k {
		return nil
	}
	return fmt.Errorf("%w: the device has no %s tasks", doca.ErrNotSupported, kinds[k].name)
}
