package dpa

import (
	"context"
	"math"
	"runtime"

	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// DefaultQueueSize is the default of CompletionConfig.QueueSize and AsyncOpsConfig.QueueSize.
const DefaultQueueSize = 64

// CompletionConfig holds the options of a Completion.
type CompletionConfig struct {
	QueueSize int     // completions that fit, rounded up to a power of two; 0 is DefaultQueueSize
	Thread    *Thread // whom completions wake; nil: nobody, kernels look. It is closed after the completion.
}

// Completion is a queue of completions for device code: asynchronous operations, RDMA contexts and others report to it. The DPA owns it, and it is closed
// after those and before its thread. Any goroutine may use it.
type Completion struct {
	*child
	o *object[*gen.Completion]
}

// NewCompletion creates a completion and starts it. Errors: ErrInvalidValue if the size is negative, or the thread is a zero value or of another DPA;
// [ErrFatal]; a [*doca.StateError] if the DPA or the thread is closed. Calls doca_dpa_completion_create, doca_dpa_completion_set_thread and
// doca_dpa_completion_start.
func (d *DPA) NewCompletion(cfg CompletionConfig) (*Completion, error) {
	const op = "create completion"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	size, err := queueSize(op, d.c.name, cfg.QueueSize)
	if err != nil {
		return nil, err
	}
	p := place{kind: "dpa completion"}
	if cfg.Thread != nil {
		if cfg.Thread.o == nil {
			return nil, noThread(op)
		}
		p.owners = append(p.owners, cfg.Thread)
	}
	destroy := func(q *gen.Completion) error { return gen.CompletionDestroy(nil, q) }
	child, o, err := newObject(d, p, func(raw *common.DPA) (*gen.Completion, error) {
		q, err := gen.CompletionCreate(raw, size)
		if err != nil {
			return nil, err
		}
		return steps(q,
			func() error {
				if cfg.Thread == nil {
					return nil
				}
				t, err := cfg.Thread.o.ofLocked(op, d.c.process)
				if err != nil {
					return err
				}
				return gen.CompletionSetThread(q, t)
			},
			func() error { return gen.CompletionStart(nil, q) })
	}, destroy)
	if err != nil {
		return nil, err
	}
	return &Completion{child, o}, nil
}

func queueSize(op, object string, n int) (uint32, error) {
	if n < 0 || n > math.MaxInt32 {
		return 0, wrong(op, object, "QueueSize is %d", n)
	}
	if n == 0 {
		n = DefaultQueueSize
	}
	return uint32(n), nil
}

// QueueSize returns how many completions fit. Errors: [ErrFatal]; a [*doca.StateError] if q is closed. Calls doca_dpa_completion_get_queue_size.
func (q *Completion) QueueSize() (int, error) {
	const op = "get queue size"
	if q == nil || q.o == nil {
		return 0, noCompletion(op)
	}
	defer runtime.KeepAlive(q)
	n, err := got(q.o, op, gen.CompletionGetQueueSize)
	return int(n), err
}

// Handle returns the handle for device code, valid until Close. Errors: [ErrFatal]; a [*doca.StateError] if q is closed. Calls
// doca_dpa_completion_get_dpa_handle.
func (q *Completion) Handle() (dpadev.Completion, error) {
	const op = "get DPA handle"
	if q == nil || q.o == nil {
		return 0, noCompletion(op)
	}
	defer runtime.KeepAlive(q)
	return got(q.o, op, gen.CompletionGetDPAHandle)
}

// got returns what DOCA says of an object.
func got[R comparable, V any](o *object[R], op string, get func(R) (V, error)) (v V, err error) {
	err = o.use(op, func(raw R) (err error) {
		v, err = get(raw)
		return err
	})
	return v, err
}

// Close closes the completion, after what reports to it. Closing a closed one is no error. Calls doca_dpa_completion_destroy.
func (q *Completion) Close() error { return q.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx for what reports to it.
func (q *Completion) Shutdown(ctx context.Context) error {
	if q == nil || q.o == nil {
		return noCompletion("close")
	}
	return q.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (q *Completion) String() string {
	if q == nil || q.o == nil {
		return "no dpa completion"
	}
	return q.o.name
}
