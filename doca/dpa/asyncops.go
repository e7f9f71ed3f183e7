package dpa

import (
	"context"
	"math/bits"
	"runtime"

	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// MaxUserData is the largest user data of asynchronous operations, of RDMA contexts and of producers on the DPA.
const MaxUserData = 1<<24 - 1

// AsyncOpsConfig holds the options of AsyncOps. Completion is mandatory.
type AsyncOpsConfig struct {
	QueueSize  int         // operations that fit, rounded up to a power of two; 0 is DefaultQueueSize
	UserData   uint32      // what each of their completions carries, up to MaxUserData
	Completion *Completion // where they report; it is closed after the AsyncOps
}

// AsyncOps is a queue of asynchronous operations of device code, such as doca_dpa_dev_post_memcpy. The DPA owns it. Any goroutine may use it.
type AsyncOps struct {
	*child
	o *object[*gen.AsyncOps]
}

// NewAsyncOps creates a queue of operations and starts it. Errors: ErrInvalidValue for a wrong AsyncOpsConfig; [ErrFatal]; a [*doca.StateError] if the DPA or the completion is
// closed. Calls doca_dpa_async_ops_create, doca_dpa_async_ops_attach and doca_dpa_async_ops_start.
func (d *DPA) NewAsyncOps(cfg AsyncOpsConfig) (*AsyncOps, error) {
	const op = "create async ops"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	size, err := queueSize(op, d.c.name, cfg.QueueSize)
	switch {
	case err != nil:
		return nil, err
	case cfg.UserData > MaxUserData:
		return nil, wrong(op, d.c.name, "UserData is %d: at most %d", cfg.UserData, MaxUserData)
	case cfg.Completion == nil || cfg.Completion.o == nil:
		return nil, noCompletion(op)
	}
	size = 1 << bits.Len32(size-1) // DOCA takes powers of two alone
	destroy := func(a *gen.AsyncOps) error { return gen.AsyncOpsDestroy(nil, a) }
	child, o, err := newObject(d, place{kind: "dpa async ops", owners: owners(cfg.Completion)}, func(raw *common.DPA) (*gen.AsyncOps, error) {
		q, err := cfg.Completion.o.ofLocked(op, d.c.process)
		if err != nil {
			return nil, err
		}
		a, err := gen.AsyncOpsCreate(raw, size, uint64(cfg.UserData))
		if err != nil {
			return nil, err
		}
		return steps(a,
			func() error { return gen.AsyncOpsAttach(a, q) },
			func() error { return gen.AsyncOpsStart(nil, a) })
	}, destroy)
	if err != nil {
		return nil, err
	}
	return &AsyncOps{child, o}, nil
}

// QueueSize returns how many operations fit. Errors: [ErrFatal]; a [*doca.StateError] if a is closed. Calls doca_dpa_async_ops_get_queue_size.
func (a *AsyncOps) QueueSize() (int, error) {
	const op = "get queue size"
	if a == nil || a.o == nil {
		return 0, noAsyncOps(op)
	}
	defer runtime.KeepAlive(a)
	n, err := got(a.o, op, gen.AsyncOpsGetQueueSize)
	return int(n), err
}

// Handle returns the handle for device code, valid until Close. Errors: [ErrFatal]; a [*doca.StateError] if a is closed. Calls
// doca_dpa_async_ops_get_dpa_handle.
func (a *AsyncOps) Handle() (dpadev.AsyncOps, error) {
	const op = "get DPA handle"
	if a == nil || a.o == nil {
		return 0, noAsyncOps(op)
	}
	defer runtime.KeepAlive(a)
	return got(a.o, op, gen.AsyncOpsGetDPAHandle)
}

// Close closes the queue. Closing a closed one is no error. Calls doca_dpa_async_ops_destroy.
func (a *AsyncOps) Close() error { return a.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (a *AsyncOps) Shutdown(ctx context.Context) error {
	if a == nil || a.o == nil {
		return noAsyncOps("close")
	}
	return a.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (a *AsyncOps) String() string {
	if a == nil || a.o == nil {
		return "no dpa async ops"
	}
	return a.o.name
}
