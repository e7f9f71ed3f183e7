package syncevent

import (
	"context"
	"fmt"
	"runtime"

	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// Get returns the value. Errors: ctx.Err() if ctx has ended; ErrIOFailed if the event is imported and its exporter has gone; a
// [*doca.StateError] if the event is closed. Calls doca_sync_event_get.
func (e *Event) Get(ctx context.Context) (uint64, error) {
	if e == nil || e.in == nil {
		return 0, noEvent("get")
	}
	if err := begin(ctx, "get", e); err != nil {
		return 0, err
	}
	defer runtime.KeepAlive(e)
	return e.in.get("get")
}

func (e *event) get(op string) (value uint64, err error) {
	err = e.use(op, func(raw *gen.SyncEvent) (err error) {
		value, err = gen.Get(raw)
		return err
	})
	return value, err
}

// Set sets the value. On an imported event, Set, Add and Get may have to ask the process that has exported it; if that is stopped,
// they return ErrIOFailed after a while (10 seconds on the emulator), even if ctx ends before. Errors are as for [Event.Get]. Calls doca_sync_event_update_set.
func (e *Event) Set(ctx context.Context, value uint64) error {
	if e == nil || e.in == nil {
		return noEvent("set")
	}
	if err := begin(ctx, "set", e); err != nil {
		return err
	}
	defer runtime.KeepAlive(e)
	return e.in.use("set", func(raw *gen.SyncEvent) error { return gen.UpdateSet(raw, value) })
}

// Add adds n to the value, which wraps around, and returns the value before. Additions of several publishers at once all count.
// Errors are as for [Event.Get]. Calls doca_sync_event_update_add.
func (e *Event) Add(ctx context.Context, n uint64) (before uint64, err error) {
	if e == nil || e.in == nil {
		return 0, noEvent("add")
	}
	if err := begin(ctx, "add", e); err != nil {
		return 0, err
	}
	defer runtime.KeepAlive(e)
	err = e.in.use("add", func(raw *gen.SyncEvent) (err error) {
		before, err = gen.UpdateAdd(raw, n)
		return err
	})
	return before, err
}

// begin returns an error if ctx is nil or has ended.
func begin(ctx context.Context, op string, object fmt.Stringer) error {
	if err := bind.NeedContext(ctx, op, object); err != nil {
		return err
	}
	return ctx.Err()
}
