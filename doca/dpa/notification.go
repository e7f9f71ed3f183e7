package dpa

import (
	"context"
	"runtime"

	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// NotificationCompletion lets threads of the DPA wake another one, with doca_dpa_dev_thread_notify. The DPA owns it, and it is closed before its thread.
// Any goroutine may use it.
type NotificationCompletion struct {
	*child
	o *object[*gen.NotificationCompletion]
}

// NewNotificationCompletion creates what wakes a thread, and starts it. Errors: ErrInvalidValue if t is nil or of another DPA; [ErrFatal]; a
// [*doca.StateError] if the DPA or the thread is closed. Calls doca_dpa_notification_completion_create and
// doca_dpa_notification_completion_start.
func (d *DPA) NewNotificationCompletion(t *Thread) (*NotificationCompletion, error) {
	const op = "create notification completion"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	if t == nil || t.o == nil {
		return nil, noThread(op)
	}
	destroy := func(n *gen.NotificationCompletion) error { return gen.NotificationCompletionDestroy(nil, n) }
	child, o, err := newObject(d, place{kind: "dpa notification completion", owners: owners(t)}, func(raw *common.DPA) (*gen.NotificationCompletion, error) {
		thread, err := t.o.ofLocked(op, d.c.process)
		if err != nil {
			return nil, err
		}
		n, err := gen.NotificationCompletionCreate(raw, thread)
		if err != nil {
			return nil, err
		}
		return steps(n, func() error { return gen.NotificationCompletionStart(nil, n) })
	}, destroy)
	if err != nil {
		return nil, err
	}
	return &NotificationCompletion{child, o}, nil
}

// Handle returns the handle for device code, valid until Close. Errors: [ErrFatal]; a [*doca.StateError] if n is closed. Calls
// doca_dpa_notification_completion_get_dpa_handle.
func (n *NotificationCompletion) Handle() (dpadev.NotificationCompletion, error) {
	const op = "get DPA handle"
	if n == nil || n.o == nil {
		return 0, noNotification(op)
	}
	defer runtime.KeepAlive(n)
	return got(n.o, op, gen.NotificationCompletionGetDPAHandle)
}

// Close closes it; the thread remains. Closing a closed one is no error. Calls doca_dpa_notification_completion_destroy.
func (n *NotificationCompletion) Close() error { return n.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (n *NotificationCompletion) Shutdown(ctx context.Context) error {
	if n == nil || n.o == nil {
		return noNotification("close")
	}
	return n.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (n *NotificationCompletion) String() string {
	if n == nil || n.o == nil {
		return "no dpa notification completion"
	}
	return n.o.name
}
