package rdma

import (
	"context"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/syncevent"
)

// aimEvent checks an operation on a sync event.
func (c *Conn) aimEvent(ctx context.Context, a *access, op string, event *syncevent.Remote, mem *doca.Memory, off int) error {
	if err := c.need(ctx, op); err != nil {
		return err
	}
	return a.aimEvent(c.c, event, mem, off, op)
}

// EventGet returns the value of a sync event of the peer. event is what [syncevent.ImportNet] has made of
// the peer's [syncevent.Event.ExportNet]. The device puts the value into the 8 bytes of result at
// resultOff, which is memory of this process, and operations at the same time need places of their own.
// The peer's program does nothing for it and does not learn of it. Otherwise EventGet is like
// [Conn.Write], with the same errors; ErrIOFailed also means that the peer has closed the event.
//
// While an operation is in flight, a Close of the event waits for it. Calls
// doca_rdma_task_remote_net_sync_event_get_allocate_init and doca_task_submit.
func (c *Conn) EventGet(ctx context.Context, event *syncevent.Remote, result *doca.Memory, resultOff int) (uint64, error) {
	var a access
	if err := c.aimEvent(ctx, &a, "get event", event, result, resultOff); err != nil {
		return 0, err
	}
	return c.c.runForValue(ctx, kindEventGet, &a)
}

// EventGetAsync is like EventGet but returns when the operation has started; [Future.Value] returns the
// value. It waits for a free task, and ctx limits only that wait.
func (c *Conn) EventGetAsync(ctx context.Context, event *syncevent.Remote, result *doca.Memory, resultOff int) (*Future, error) {
	var a access
	if err := c.aimEvent(ctx, &a, "get event", event, result, resultOff); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindEventGet, &a)
}

// EventSet sets the value of a sync event of the peer, whose waits see it. DOCA takes the new value from
// memory: EventSet puts it into the 8 bytes of src at srcOff. On an RC connection it is carried out after the
// writes that have begun before. Otherwise EventSet is like [Conn.EventGet]. Calls
// doca_rdma_task_remote_net_sync_event_notify_set_allocate_init and doca_task_submit.
func (c *Conn) EventSet(ctx context.Context, event *syncevent.Remote, src *doca.Memory, srcOff int, value uint64) error {
	a := access{operand: [2]uint64{value}}
	if err := c.aimEvent(ctx, &a, "set event", event, src, srcOff); err != nil {
		return err
	}
	return c.c.run(ctx, kindEventSet, &a)
}

// EventSetAsync is like EventSet but returns when the operation has started. It waits for a free task, and
// ctx limits only that wait.
func (c *Conn) EventSetAsync(ctx context.Context, event *syncevent.Remote, src *doca.Memory, srcOff int, value uint64) (*Future, error) {
	a := access{operand: [2]uint64{value}}
	if err := c.aimEvent(ctx, &a, "set event", event, src, srcOff); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindEventSet, &a)
}

// EventAdd adds delta to the value of a sync event of the peer, as EventSet sets it, and returns what it
// was; the device puts that into the 8 bytes of result at resultOff. The sum wraps around. Calls
// doca_rdma_task_remote_net_sync_event_notify_add_allocate_init and doca_task_submit.
func (c *Conn) EventAdd(ctx context.Context, event *syncevent.Remote, result *doca.Memory, resultOff int, delta uint64) (uint64, error) {
	a := access{operand: [2]uint64{delta}}
	if err := c.aimEvent(ctx, &a, "add to event", event, result, resultOff); err != nil {
		return 0, err
	}
	return c.c.runForValue(ctx, kindEventAdd, &a)
}

// EventAddAsync is like EventAdd but returns when the operation has started; [Future.Value] returns what
// the value was. It waits for a free task, and ctx limits only that wait.
func (c *Conn) EventAddAsync(ctx context.Context, event *syncevent.Remote, result *doca.Memory, resultOff int, delta uint64) (*Future, error) {
	a := access{operand: [2]uint64{delta}}
	if err := c.aimEvent(ctx, &a, "add to event", event, result, resultOff); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindEventAdd, &a)
}
