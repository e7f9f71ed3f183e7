package rdma

import (
	"context"
	"errors"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/generated/common"
	gendpa "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// DPAConfig holds the options of a DPARDMA. Completion is mandatory. The other fields are as those of [Config].
type DPAConfig struct {
	Completion *dpa.Completion // where operations and receives are reported; it is closed after the context

	Permissions                  doca.Access // what peers may do on this context; 0 means DefaultPermissions
	Transport                    Transport   // the zero value is TransportRC
	MaxConnections               int         // open at once; 0 means DOCA's default, which is 1
	SendQueueSize, RecvQueueSize int         // of each connection, and of the context; 0 means DOCA's default
	GIDIndex                     *uint32     // nil means DOCA's default
	GRH                          bool
	MTU                          *MTU // nil means DOCA's default
	SL                           uint32
	RNRRetries                   *uint8 // nil means DOCA's default
}

// options returns the fields that a Config has too.
func (cfg *DPAConfig) options() Config {
	return Config{
		Permissions: cfg.Permissions, Transport: cfg.Transport, MaxConnections: cfg.MaxConnections, SendQueueSize: cfg.SendQueueSize,
		RecvQueueSize: cfg.RecvQueueSize, GIDIndex: cfg.GIDIndex, GRH: cfg.GRH, MTU: cfg.MTU, SL: cfg.SL, RNRRetries: cfg.RNRRetries,
	}
}

// DPARDMA is an RDMA context with which code on a DPA works: the program makes its connections, and device code posts the operations and
// the receives, with the functions of doca_dpa_dev_rdma.h. It has no engine, and it runs from [NewOnDPA] to Close. The peers are contexts on
// a DPA or an [RDMA], in this process or in another one. Any goroutine may use it.
//
// A failed operation ends its connection, and not the context. Device code hears of it alone, from the completion.
type DPARDMA struct {
	*child
	c *dpaCore
	d *dpa.DPA // so that its handle lives as long as this one
}

type child = bind.Child

// dpaCore is the inner part of a DPARDMA. It never points to it.
type dpaCore struct {
	name  string
	check func(ctx context.Context, op string) error // an error that is dpa.ErrFatal, if the DPA has had a fatal error

	mu     sync.Mutex // guards what follows, and DOCA's object
	raw    *gen.RDMA  // nil: closed, or not created
	handle dpadev.RDMA
}

// NewOnDPA creates an RDMA context for code on a DPA and starts it. Its device is that of d: for another one, extend the DPA with
// [dpa.DPA.Extend] and make the completion from that as well. The DPA and the completion own the context.
//
// Errors: ErrInvalidValue if d or the completion is nil, and for options that the device does not support, with the field in the message;
// ErrNotSupported if the device has no RDMA; ErrInitialization if the completion is of another DPA; [dpa.ErrFatal]; a
// [*doca.StateError] if d or the completion is closed. Calls doca_rdma_create, the doca_rdma_set_ functions, doca_ctx_set_datapath_on_dpa,
// doca_rdma_dpa_completion_attach, doca_ctx_start and doca_rdma_get_dpa_handle.
func NewOnDPA(d *dpa.DPA, cfg DPAConfig) (*DPARDMA, error) {
	const op = "create"
	check, err := bind.DPACheck(d, op)
	if err != nil {
		return nil, err
	}
	options := cfg.options()
	if err := options.numbers("DPAConfig"); err != nil {
		return nil, &doca.OpError{Op: op, Object: "dpa rdma", Err: err}
	}
	var completion *gendpa.Completion // stays: its owner closes the context first
	if err := dpa.UseCompletion(cfg.Completion, op, func(raw *gendpa.Completion) error { completion = raw; return nil }); err != nil {
		return nil, err
	}
	c := &dpaCore{check: check}
	c.mu.Lock() // who closes an owner meanwhile waits
	child, err := bind.NewChild(bind.ChildConfig{Kind: "dpa rdma", Detail: "of " + d.String(), Parent: d, Owners: []bind.Owner{cfg.Completion}, Close: c.close})
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	c.name = child.String()
	err = c.createLocked(d, completion, options)
	c.mu.Unlock()
	if err != nil {
		return nil, errors.Join(c.why(op, c.name, err, ""), child.Close())
	}
	return &DPARDMA{child: child, c: c, d: d}, nil
}

// createLocked creates and starts DOCA's context. If that fails, what there is of it is left to close.
func (c *dpaCore) createLocked(d *dpa.DPA, completion *gendpa.Completion, options Config) error {
	dev, err := bind.RawDevice(d.Device())
	if err != nil {
		return err
	}
	return bind.UseDPA(d, "create", func(rawDPA *common.DPA) error {
		if c.raw, err = gen.Create(dev); err != nil {
			return err
		}
		return c.start(c.raw, rawDPA, completion, options)
	})
}

func (c *dpaCore) start(raw *gen.RDMA, rawDPA *common.DPA, completion *gendpa.Completion, options Config) error {
	if err := options.apply(raw, "DPAConfig"); err != nil {
		return err
	}
	ctx, err := gen.AsCtx(raw)
	if err != nil {
		return err
	}
	if err := common.CtxSetDatapathOnDPA(ctx, rawDPA); err != nil {
		return err
	}
	if err := gen.DPACompletionAttach(raw, completion); err != nil {
		return err
	}
	if err := common.CtxStart(nil, ctx); err != nil {
		return err
	}
	c.handle, err = gen.GetDPAHandle(raw)
	return err
}

// destroyOnDPA stops a context, unless it does not run, and destroys it.
func destroyOnDPA(raw *gen.RDMA) error {
	ctx, err := gen.AsCtx(raw)
	if err != nil {
		return err
	}
	if err := common.CtxStop(nil, ctx); err != nil && !errors.Is(err, doca.ErrBadState) {
		return err
	}
	return gen.Destroy(nil, raw)
}

func (c *dpaCore) close(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.raw == nil {
		return nil
	}
	if err := destroyOnDPA(c.raw); err != nil {
		return failOnDPA("close", c.name, err, "")
	}
	c.raw = nil
	return nil
}

// openLocked returns an error if the context cannot do an operation.
func (c *dpaCore) openLocked(op string) error {
	if c.raw == nil {
		return &doca.StateError{Object: c.name, State: doca.StateClosed, Op: op}
	}
	return c.check(context.Background(), op)
}

// why returns the error of an operation that failed: the DPA's, if that has had a fatal error.
func (c *dpaCore) why(op, object string, err error, advice string) error {
	if fatal := c.check(context.Background(), op); fatal != nil {
		return fatal
	}
	return failOnDPA(op, object, err, advice)
}

func failOnDPA(op, object string, err error, advice string) error {
	switch err.(type) {
	case *doca.OpError, *doca.StateError:
		return err
	}
	if advice == "" {
		advice = bind.Advice(err)
	}
	return &doca.OpError{Op: op, Object: object, Err: err, Advice: advice}
}

// DPA returns the DPA of the context; nil for a context that is nil.
func (r *DPARDMA) DPA() *dpa.DPA {
	if r == nil {
		return nil
	}
	return r.d
}

// Handle returns the handle for device code, valid until Close. Errors: a [*doca.StateError] if r is closed. Calls
// doca_rdma_get_dpa_handle.
func (r *DPARDMA) Handle() (dpadev.RDMA, error) {
	const op = "get DPA handle"
	if r == nil || r.c == nil {
		return 0, noDPARDMA(op)
	}
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if r.c.raw == nil {
		return 0, &doca.StateError{Object: r.c.name, State: doca.StateClosed, Op: op}
	}
	return r.c.handle, nil
}

// Close ends the connections, stops the context and destroys it. What device code has in flight is dropped, without completions: wait for it
// before. Device code that uses the handle afterwards makes a fatal error. Closing a closed context is no error. If Close returns an
// error, the context stays open: call Close again. Calls doca_rdma_connection_disconnect, doca_ctx_stop and doca_rdma_destroy.
func (r *DPARDMA) Close() error { return r.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (r *DPARDMA) Shutdown(ctx context.Context) error {
	if r == nil || r.c == nil {
		return noDPARDMA("close")
	}
	return r.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (r *DPARDMA) String() string {
	if r == nil || r.c == nil {
		return "no dpa rdma"
	}
	return r.c.name
}
