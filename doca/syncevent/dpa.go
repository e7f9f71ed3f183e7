package syncevent

import (
	"runtime"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dpadev"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// DPAHandle returns the handle of the event for code on a DPA, which must be one of its locations: d is Config.DPA, or a context
// that extends it. The handle is valid until the event is closed. Errors: ErrInvalidValue if d is nil, or no location of
// the event; ErrNotSupported if the device cannot; a [*doca.StateError] if the event or d is closed. Any goroutine may call it.
// Calls doca_sync_event_get_dpa_handle.
func (e *Event) DPAHandle(d bind.DPA) (h dpadev.SyncEvent, err error) {
	const op = "get DPA handle"
	if e == nil || e.in == nil {
		return 0, noEvent(op)
	}
	defer runtime.KeepAlive(e)
	err = e.in.use(op, func(raw *gen.SyncEvent) (err error) {
		h, err = dpaHandle(raw, d, gen.GetDPAHandle)
		return err
	})
	return h, err
}

// DPAHandle is as [Event.DPAHandle]. The handle is valid until the event stops.
func (e *TaskEvent) DPAHandle(d bind.DPA) (h dpadev.SyncEvent, err error) {
	const op = "get DPA handle"
	if e == nil || e.c == nil {
		return 0, noTaskEvent(op)
	}
	c := e.c
	if err := c.link.Lock(bind.OpSubmit, op); err != nil {
		return 0, err
	}
	defer c.link.Unlock()
	h, err = dpaHandle(c.raw, d, gen.GetDPAHandle)
	return h, c.fail(op, err, "")
}

// DPAHandle returns the handle of the remote event for code on a DPA, which signals it through RDMA. It is valid until r is closed, and
// from then on d owns r, too: closing d closes r. Errors: ErrInvalidValue if d is nil; ErrNotSupported if the device cannot; a
// [*doca.StateError] if r or d is closed. Any goroutine may call it. Calls doca_sync_event_remote_net_get_dpa_handle.
func (r *Remote) DPAHandle(d bind.DPA) (h dpadev.SyncEventRemoteNet, err error) {
	const op = "get DPA handle"
	if r == nil || r.in == nil {
		return 0, noRemote(op)
	}
	defer runtime.KeepAlive(r)
	in := r.in
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.raw == nil || in.closing {
		return 0, &doca.StateError{Object: in.name, State: doca.StateClosed, Op: op}
	}
	err = bind.UseDPA(d, op, func(dpa *common.DPA) error {
		disown, err := bind.AddOwner(op, r.child, d) // DOCA does not destroy a DPA whose code has a handle
		if err != nil {
			return err
		}
		if h, err = gen.RemoteNetGetDPAHandle(in.raw, dpa); err != nil {
			disown()
		}
		return err
	})
	return h, fail(op, in.name, err, "")
}

// UseEvent calls f with DOCA's object of an event, for packages that bind DPA contexts. op names the operation in errors. The event is
// not closed during the call. UseEvent returns ErrInvalidValue if e is nil or a zero value or f is nil, a [*doca.StateError] if e is closed, and the error
// of f.
func UseEvent(e *Event, op string, f func(*gen.SyncEvent) error) error {
	if e == nil || e.in == nil {
		return noEvent(op)
	}
	if f == nil {
		return fail(op, e.in.name, doca.ErrInvalidValue, "the function is nil")
	}
	defer runtime.KeepAlive(e)
	if err := e.in.rlock(op); err != nil {
		return err
	}
	defer e.in.mu.RUnlock()
	return f(e.in.raw)
}

func dpaHandle[R, H any](raw R, d bind.DPA, get func(R, *common.DPA) (H, error)) (h H, err error) {
	err = bind.UseDPA(d, "get DPA handle", func(dpa *common.DPA) (err error) {
		h, err = get(raw, dpa)
		return err
	})
	return h, err
}

func addDPA(raw *gen.SyncEvent, d bind.DPA, add func(*gen.SyncEvent, *common.DPA) error) error {
	return bind.UseDPA(d, "create", func(dpa *common.DPA) error { return add(raw, dpa) })
}
