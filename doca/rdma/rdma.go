package rdma

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// RDMA is a context that has connections to peers, and exchanges messages and memory with them. The
// embedded Context starts, stops and closes it. Any goroutine may use it.
//
// A failed operation stops the context, as DOCA demands, and all its connections end. It is idle
// then: call Start, and connect again. See docs/rdma.md.
type RDMA struct {
	*doca.Context
	c *core
}

// core is the inner part of an RDMA. The engine's lock guards what changes.
type core struct {
	link       *bind.Link
	raw        *gen.RDMA
	caps       Capabilities
	maxListLen int
	ranges     bind.Ranges

	tasks [numKinds]tasks
	ops   []*op // the user data of an op is its index here
	idle  [numKinds][]*op

	conns    map[abi.Data]*conn // by user data
	lastUser abi.Data
	byRaw    map[*gen.Connection]*conn
	peerEnd  *PeerError // how the last connection ended, if its peer has ended it
	lastEnd  *PeerError // the same, if no connection is left
	listener *listener
	addrs    []*gen.Addr // that DOCA has not destroyed yet

	leaving    *conn           // one that is being disconnected, whose last messages are about to be reported
	leavingRaw *gen.Connection // what DOCA calls it

	recv receives

	asked  bool // leavesTargetLocked has looked
	leaves bool // what it has found

	runs      int   // how often it was started
	stopAsked bool  // somebody has asked the context to stop
	fault     error // the failure that has stopped it

	_ abi.Apart
}

// New creates an RDMA context on a device, connects it to an engine and starts it. The device and
// the engine own it: closing either closes it. Errors: ErrNotSupported if the device has no RDMA;
// ErrInvalidValue for a config that the device does not support, with the field in the message.
// Calls doca_rdma_create, the doca_rdma_set_ functions, doca_rdma_task_..._set_conf,
// doca_pe_connect_ctx and doca_ctx_start.
func New(dev *doca.Device, pe *doca.ProgressEngine, cfg Config) (*RDMA, error) {
	c := &core{conns: map[abi.Data]*conn{}, byRaw: map[*gen.Connection]*conn{}}
	ctx, err := bind.NewContext(bind.ContextConfig{
		Kind:    "rdma",
		Device:  dev,
		Engine:  pe,
		Create:  func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) { return c.create(dev, link, cfg) },
		Destroy: c.destroy,
		Handle:  c.handleLocked,
		Release: c.releaseLocked,
		Changed: c.changedLocked,
		Later:   c.stoppingLocked,
		Halt:    c.haltLocked,
		Endless: true, // a peer may never answer, nor send
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Start(context.Background()); err != nil {
		return nil, errors.Join(err, ctx.Close())
	}
	return &RDMA{Context: ctx, c: c}, nil
}

func (c *core) create(dev *common.Dev, link *bind.Link, cfg Config) (*common.Ctx, error) {
	c.link = link
	c.ranges.Init(link, c.recallLocked)
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return nil, err
	}
	if err := gen.CapTaskWriteIsSupported(info); err != nil {
		return nil, err
	}
	if c.caps, err = capabilities(info); err != nil {
		return nil, err
	}
	if err := cfg.numbers("Config"); err != nil {
		return nil, err
	}
	if c.raw, err = gen.Create(dev); err != nil {
		return nil, err
	}
	return c.configure(cfg)
}

func (c *core) configure(cfg Config) (*common.Ctx, error) {
	if err := cfg.apply(c.raw, "Config"); err != nil {
		return nil, err
	}
	if err := gen.SetConnectionStateCallbacks(c.raw); err != nil {
		return nil, err
	}
	most, err := gen.GetMaxSendBufListLen(c.raw)
	if err != nil {
		return nil, err
	}
	c.maxListLen = max(1, int(most))
	for k := range kinds {
		if kinds[k].has(c.caps) {
			if err := c.tasks[k].configure(c.raw, &kinds[k], cfg.MaxTasks); err != nil {
				return nil, fmt.Errorf("%w: Config.MaxTasks is %d", err, cfg.MaxTasks)
			}
		}
	}
	if c.caps.Receive {
		if err := c.recv.configure(c, cfg.MaxReceives, cfg.ReceiveListLen); err != nil {
			return nil, fmt.Errorf("%w: Config.MaxReceives is %d", err, cfg.MaxReceives)
		}
	}
	return gen.AsCtx(c.raw)
}

func (c *core) destroy(ring *abi.Ring) error {
	for len(c.addrs) > 0 {
		if err := gen.AddrDestroy(ring, c.addrs[0]); err != nil {
			return err
		}
		c.addrs = c.addrs[1:]
	}
	if c.raw != nil {
		if err := gen.Destroy(ring, c.raw); err != nil {
			return err
		}
		c.raw = nil
	}
	for _, o := range c.ops {
		o.dropLocked()
	}
	c.ops, c.idle = nil, [numKinds][]*op{}
	for k := range c.tasks {
		c.tasks[k].drop(ring)
	}
	c.recv.drop()
	return c.ranges.Close()
}

// Capabilities returns what the device supports.
func (r *RDMA) Capabilities() Capabilities {
	if r == nil || r.c == nil {
		return Capabilities{}
	}
	return r.c.caps
}

// handleLocked handles records of one kind from a step of the engine.
func (c *core) handleLocked(recs []abi.Record) {
	switch recs[0].Kind {
	case gen.KindTaskReceiveSuccessfulTaskCompletion:
		c.recv.arrivedLocked()
		return
	case gen.KindTaskReceiveErrorTaskCompletion:
		for i := range recs {
			c.recv.failedLocked(int32(recs[i].User), recs[i].Status)
		}
		return
	case gen.KindConnectionStateConnectRequest:
		for i := range recs {
			c.requestedLocked((*gen.Connection)(recs[i].Object))
		}
		return
	case gen.KindConnectionStateConnectEstablished, gen.KindConnectionStateConnectFailure, gen.KindConnectionStateDisconnect:
		for i := range recs {
			c.connEventLocked(recs[i].Kind, (*gen.Connection)(recs[i].Object), recs[i].User)
		}
		return
	}
	for i := range recs {
		c.opRecordLocked(&recs[i])
	}
}

// opRecordLocked handles a record of an operation: it goes on, has failed or has ended.
func (c *core) opRecordLocked(r *abi.Record) {
	o := c.ops[r.User]
	switch item, name := int(r.Args[2]), o.info().name; {
	case r.Kind != o.info().failed:
	case item >= int(o.batch[0].Taken): // DOCA has refused it, which does not stop the context
		o.failedLocked(item, o.conn.refusedLocked(name, r.Status))
	default:
		o.failedLocked(item, o.conn.taskErrorLocked(name, r.Status))
	}
	if r.Args[0] == 0 {
		o.endLocked()
	} else if o.future != nil && !o.batch[0].Waits() {
		o.future.acceptLocked()
	}
}

// releaseLocked frees the tasks. The context is stopping, and none is in flight.
func (c *core) releaseLocked() {
	for k := range c.tasks {
		c.tasks[k].releaseLocked()
	}
	c.recv.releaseLocked()
}

// haltLocked is called when the context is to stop.
func (c *core) haltLocked() {
	c.stopAsked = true
	c.withdrawAllLocked()
	c.link.Wake()
}

// changedLocked is called when the state of the context changes.
func (c *core) changedLocked(s doca.State) {
	switch s {
	case doca.StateRunning:
		c.runs++
		c.stopAsked, c.fault, c.peerEnd, c.lastEnd = false, nil, nil, nil
	case doca.StateStopping:
		c.link.Later() // the failure that stops the context may follow
	case doca.StateIdle:
		c.stoppingLocked()
		c.endConnsLocked(true)
	}
	c.recv.wakeAllLocked()
}

// stoppingLocked ends what cannot go on, because the context stops.
func (c *core) stoppingLocked() {
	if !c.link.Running() {
		c.withdrawAllLocked()
		c.endConnsLocked(false)
	}
}

// withdrawAllLocked ends the operations that wait for a task, because the context stops.
func (c *core) withdrawAllLocked() {
	for _, o := range c.ops {
		if o.running && o.batch[0].Waits() {
			o.withdrawLocked(o.conn.stoppedErrorLocked(o.info().name))
		}
	}
}

// recallLocked is called when a memory is to be closed. A batch that runs may have items of earlier runs, with more operations.
func (c *core) recallLocked() {
	for _, o := range c.ops {
		if o.running {
			o.recallLocked(o.n)
		} else {
			o.recallLocked(0)
		}
	}
}

// fail returns the error of an operation that failed.
func (c *core) fail(op string, cause error, advice string) error {
	if advice == "" {
		advice = bind.Advice(cause)
	}
	return &doca.OpError{Op: op, Object: c.link.String(), Err: cause, Advice: advice}
}
