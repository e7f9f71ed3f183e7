package syncevent

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/syncevent"
)

// Remote stands for an event of a process across the network. It is for the operations of an RDMA context that get, set or
// add to a remote event; it has none of its own. Its device owns it. Any goroutine may use it.
type Remote struct {
	child *bind.Child
	in    *remote
	keep  any
}

// remote is the inner part of a Remote.
type remote struct {
	name string
	mu   sync.RWMutex
	raw  *gen.RemoteNet
}

// ImportNet makes a Remote of what another process has exported with [Event.ExportNet], for RDMA contexts of dev. Errors:
// ErrInvalidValue if dev is nil or the descriptor is damaged; ErrNotSupported if the device cannot; a [*doca.StateError] if it is
// closed. Calls doca_sync_event_remote_net_create_from_export.
func ImportNet(dev *doca.Device, descriptor []byte) (*Remote, error) {
	if _, err := bind.RawDevice(dev); err != nil {
		return nil, err
	}
	if len(descriptor) == 0 {
		return nil, fail("import", "remote sync event", doca.ErrInvalidValue, "the descriptor is empty")
	}
	in := new(remote)
	in.mu.Lock() // who closes the device meanwhile waits
	child, err := bind.NewChild(bind.ChildConfig{Kind: "remote sync event", Detail: dev.Info().PCIAddr, Parent: dev, Close: in.close})
	if err != nil {
		in.mu.Unlock()
		return nil, err
	}
	in.name = child.String()
	raw, err := bind.RawDevice(dev)
	if err == nil {
		in.raw, err = gen.RemoteNetCreateFromExport(raw, unsafe.Pointer(unsafe.SliceData(descriptor)), uint64(len(descriptor)))
	}
	in.mu.Unlock()
	if err != nil {
		return nil, errors.Join(fail("import", in.name, err, ""), child.Close())
	}
	return &Remote{child: child, in: in, keep: dev}, nil
}

func (r *remote) close(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.raw == nil {
		return nil
	}
	if err := gen.RemoteNetDestroy(nil, r.raw); err != nil {
		return fail("close", r.name, err, "")
	}
	r.raw = nil
	return nil
}

// RawRemote returns DOCA's object, for packages that bind RDMA. Close waits until done has been called. RawRemote
// returns ErrInvalidValue for nil, and a [*doca.StateError] if r is closed.
func RawRemote(r *Remote) (raw *gen.RemoteNet, done func(), err error) {
	if r == nil || r.in == nil {
		return nil, nil, noRemote("use")
	}
	r.in.mu.RLock()
	if r.in.raw == nil {
		r.in.mu.RUnlock()
		return nil, nil, &doca.StateError{Object: r.in.name, State: doca.StateClosed, Op: "use"}
	}
	return r.in.raw, r.in.mu.RUnlock, nil
}

// Close closes r; the event itself remains. It waits for operations that use r. Closing a closed one is no error. Calls
// doca_sync_event_remote_net_destroy.
func (r *Remote) Close() error { return r.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx for others that close r.
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
