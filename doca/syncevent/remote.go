package syncevent

import (
	"context"
	"errors"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// Remote stands for an event of a process across the network. It is for the operations of an RDMA context that get, set or
// add to a remote event; it has none of its own. Its device owns it, and so does a DPA that has its handle. Any goroutine may use it.
type Remote struct {
	child *bind.Child
	in    *remote
	keep  any
}

// remote is the inner part of a Remote.
type remote struct {
	name string

	mu      sync.Mutex // nothing else is locked while it is held, but a DPA for its handle
	raw     *gen.RemoteNet
	closing bool // nobody gets it any more
	users   []user
}

// user is a context whose operations use a Remote.
type user struct {
	link *bind.Link
	n    int
}

// ImportNet makes a Remote of what another process has exported with [Event.ExportNet], for RDMA contexts of dev. Errors:
// ErrInvalidValue if dev is nil or DOCA notices that the descriptor is damaged, as the emulator does whichever byte differs;
// ErrNotSupported if the device cannot; a [*doca.StateError] if it is closed. ImportNet does not ask the other process: with a
// descriptor of an event that is closed, and with damage that DOCA has not noticed, the operations fail. Calls doca_sync_event_remote_net_create_from_export.
func ImportNet(dev *doca.Device, descriptor []byte) (*Remote, error) {
	if _, err := bind.RawDevice(dev); err != nil {
		return nil, err
	}
	if len(descriptor) == 0 {
		return nil, fail("import", "remote sync event", doca.ErrInvalidValue, "the descriptor is empty")
	}
	in := new(remote)
	child, err := bind.NewChild(bind.ChildConfig{Kind: "remote sync event", Detail: dev.Info().PCIAddr, Parent: dev, AfterContexts: true, Close: in.close})
	if err != nil {
		return nil, err
	}
	in.name = child.String()
	if err := in.create(dev, descriptor); err != nil {
		return nil, errors.Join(fail("import", in.name, err, ""), child.Close())
	}
	return &Remote{child: child, in: in, keep: dev}, nil
}

func (r *remote) create(dev *doca.Device, descriptor []byte) error {
	r.mu.Lock() // who closes the device meanwhile waits
	defer r.mu.Unlock()
	raw, err := bind.RawDevice(dev)
	if err == nil {
		r.raw, err = gen.RemoteNetCreateFromExport(raw, descriptor)
		err = explain(err, doca.ErrInvalidValue, "the descriptor is damaged, or it is not one of ExportNet")
	}
	return err
}

func (r *remote) close(ctx context.Context) error {
	for {
		link, err := r.destroy()
		if link == nil {
			return err
		}
		if err := r.await(ctx, link); err != nil {
			return fail("close", r.name, err, "an operation still uses it")
		}
	}
}

// destroy destroys DOCA's object, or returns a context whose operations use it.
func (r *remote) destroy() (*bind.Link, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = true
	for _, u := range r.users {
		if u.n > 0 {
			return u.link, nil
		}
	}
	if r.raw != nil {
		if err := gen.RemoteNetDestroy(nil, r.raw); err != nil {
			return nil, fail("close", r.name, err, "")
		}
		r.raw = nil
	}
	return nil, nil
}

// await waits until no operation of a context uses r, and drives the context's engine meanwhile.
func (r *remote) await(ctx context.Context, link *bind.Link) error {
	if err := link.LockAlwaysFor(ctx); err != nil {
		return err
	}
	defer link.Unlock()
	return link.Await(ctx, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		u := r.userLocked(link)
		return u == nil || u.n == 0
	})
}

func (r *remote) userLocked(link *bind.Link) *user {
	for i := range r.users {
		if r.users[i].link == link {
			return &r.users[i]
		}
	}
	return nil
}

// newUserLocked returns a place in the list of users.
func (r *remote) newUserLocked() *user {
	for i := range r.users {
		if r.users[i].n == 0 {
			return &r.users[i]
		}
	}
	r.users = append(r.users, user{})
	return &r.users[len(r.users)-1]
}

// HoldRemote returns DOCA's object for a task of a context, for packages that bind RDMA. The context has it until
// [ReleaseRemote] has been called as often; a Close of r waits for that, and drives the context's engine. Call both with the
// lock of the link. HoldRemote returns ErrInvalidValue for nil, and a [*doca.StateError] if r is closed or being closed.
func HoldRemote(link *bind.Link, r *Remote) (*gen.RemoteNet, error) {
	if r == nil || r.in == nil {
		return nil, noRemote("use")
	}
	in := r.in
	if link == nil {
		return nil, fail("use", in.name, doca.ErrInvalidValue, "the link is nil")
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.raw == nil || in.closing {
		return nil, &doca.StateError{Object: in.name, State: doca.StateClosed, Op: "use"}
	}
	u := in.userLocked(link)
	if u == nil {
		u = in.newUserLocked()
		u.link = link
	}
	u.n++
	return in.raw, nil
}

// ReleaseRemote takes back one [HoldRemote] of a context.
func ReleaseRemote(link *bind.Link, r *Remote) {
	if r == nil || r.in == nil {
		return
	}
	in := r.in
	in.mu.Lock()
	defer in.mu.Unlock()
	if u := in.userLocked(link); u != nil && u.n > 0 {
		if u.n--; u.n == 0 && in.closing {
			link.Wake()
		}
	}
}

// Close closes r; the event itself remains. It waits for operations that use r, and no new ones begin. Closing a closed one is
// no error. Calls doca_sync_event_remote_net_destroy.
func (r *Remote) Close() error { return r.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns an error that wraps ctx.Err(), and
// a later Close or Shutdown continues.
func (r *Remote) Shutdown(ctx context.Context) error {
	if r == nil || r.in == nil {
		return noRemote("close")
	}
	return r.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (r *Remote) String() string {
	if r == nil || r.in == nil {
		return "no remote sync event"
	}
	return r.in.name
}
