package core

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Link is a context: its place at the engine.
type Link struct {
	Node     *Node
	eng      *Engine
	dev      *Device
	raw      *common.Ctx
	index    int
	state    State
	inflight int   // tasks DOCA has
	cause    error // why it stopped by itself
	stopErr  error // why doca_ctx_stop failed
	stop     bool  // it is to stop as soon as no task is in flight
	closing  bool  // somebody is closing it
	queued   bool  // it is in the engine's settling list
	failing  bool  // failLocked stops it
	released bool  // Release was called for this stop
	endless  bool
	noNotify bool
	limit    time.Duration // of a stop without another limit; 0: none

	failed  func(error)
	owns    func(*abi.Record) bool
	handle  func([]abi.Record)
	release func()
	changed func(State)
	halted  func()
	room    func() int
	destroy func(*abi.Ring) error
}

// LinkConfig says how to make a context; see bind.ContextConfig.
type LinkConfig struct {
	Kind   string
	Device *Device
	Engine *Engine
	Parent Owner   // optional
	Memory *Memory // optional

	Create  func(dev *common.Dev) (*common.Ctx, error)
	Destroy func(ring *abi.Ring) error
	Handle  func(recs []abi.Record)
	Release func() // optional, as are those that follow
	Changed func(State)
	Room    func() int
	Halt    func()
	Failed  func(error)
	Owns    func(rec *abi.Record) bool

	StopLimit      time.Duration
	Endless        bool
	NoNotification bool
}

// Create makes c, a zero value, a new context that is connected to its engine.
func (c *Link) Create(cfg LinkConfig) error {
	parents := []*Node{cfg.Device.Node, cfg.Engine.Node}
	if cfg.Parent != nil {
		parents = append(parents, cfg.Parent.node())
	}
	if cfg.Memory != nil {
		if !cfg.Memory.reaches(cfg.Device) {
			return Fail("create "+cfg.Kind, "", abi.ErrorInvalidValue,
				fmt.Sprintf("%v is not registered with %v: name it in MemoryConfig.Devices", cfg.Memory.Node, cfg.Device.Node))
		}
		parents = append(parents, cfg.Memory.Node)
	}
	n, err := newNode(rankContext, cfg.Kind, text("%s", cfg.Device.PCIAddr), parents...)
	if err != nil {
		return err
	}
	e := cfg.Engine
	*c = Link{Node: n, eng: e, dev: cfg.Device, endless: cfg.Endless, noNotify: cfg.NoNotification,
		limit: cfg.StopLimit, failed: cfg.Failed, owns: cfg.Owns,
		handle: cfg.Handle, release: cfg.Release, changed: cfg.Changed, halted: cfg.Halt, room: cfg.Room, destroy: cfg.Destroy}
	if c.raw, err = cfg.Create(c.dev.raw); err == nil {
		e.lock()
		if err = c.connectLocked(); err != nil {
			err = errors.Join(err, c.destroy(e.ring))
			e.drainLocked()
		}
		e.mu.Unlock()
	}
	if err != nil {
		n.abandon()
		return Fail("create", n.String(), err, "")
	}
	n.commit(c.close)
	return nil
}

func (c *Link) connectLocked() error {
	c.eng.connectLocked(c)
	err := common.CtxSetUserData(c.raw, abi.Data(c.index))
	if err == nil {
		err = common.CtxSetStateChangedCB(c.raw)
	}
	if err == nil {
		err = common.PEConnectCtx(c.eng.pe, c.raw)
	}
	if err != nil {
		c.eng.forgetLocked(c)
	}
	return err
}

// Lock takes the engine's lock for an operation; every DOCA call on the context and
// its tasks is made under it. If the state does not allow the operation it returns a
// [*StateError], and the lock is not held. What is done under the lock must not block.
func (c *Link) Lock(op Op, name string) error {
	c.eng.lock()
	if err := c.checkLocked(op, name); err != nil {
		c.eng.mu.Unlock()
		return err
	}
	return nil
}

// LockAlways is Lock for what is possible in every state and after Close, such as
// looking at the package's own data.
func (c *Link) LockAlways() { c.eng.lock() }

// Unlock ends what Lock began.
func (c *Link) Unlock() { c.eng.mu.Unlock() }

// Check returns a [*StateError] if the state does not allow the operation. The lock is
// held.
func (c *Link) Check(op Op, name string) error { return c.checkLocked(op, name) }

// Running tells whether tasks can be submitted, like Check without the error. The lock is held.
func (c *Link) Running() bool {
	return c.stateLocked() == StateRunning && c.Node.phase.Load() == phaseOpen
}

// Raw returns DOCA's own object, for use under the lock.
func (c *Link) Raw() *common.Ctx { return c.raw }

// Payload returns the bytes that came with a record, such as a message. They are valid during
// the call of Handle that has the record.
func (c *Link) Payload(r *abi.Record) []byte { return c.eng.ring.Payload(r) }

// Step drives the engine one step, which does as much as a step can: for who may find afterwards
// that there is nothing to wait for. What is wrong with it comes out when somebody waits. The
// lock is held; it must not be called from Handle and its like.
func (c *Link) Step() { c.eng.progressLocked(stepLimit) }

// Ring returns the ring of the engine, for submissions to a queue (see abi.Queue).
func (c *Link) Ring() *abi.Ring { return c.eng.ring }

// Call makes a DOCA call during which callbacks may run, and hands their records to their
// contexts. The lock is held; it must not be called from Handle and its like.
func (c *Link) Call(f func(ring *abi.Ring) error) error {
	err := f(c.eng.ring)
	c.eng.drainLocked()
	return err
}

// String names the context.
func (c *Link) String() string { return c.Node.String() }

// Submitted says that n tasks were submitted: until as many have Finished, the context
// does not become idle. The lock is held.
func (c *Link) Submitted(n int) { c.inflight += n }

// Finished says that n tasks have ended. The lock is held.
func (c *Link) Finished(n int) { c.inflight -= n }

// Faulted notes why the context stops by itself, for the [StateError] of later calls.
// The first cause since the start counts. The lock is held.
func (c *Link) Faulted(err error) {
	if c.cause == nil {
		c.cause = err
	}
}

// checkLocked returns a *StateError if the state forbids the operation. mu is held.
func (c *Link) checkLocked(op Op, name string) error {
	s := c.stateLocked()
	if op.In(s) && (c.Node.phase.Load() == phaseOpen || op == OpStop || op == OpDestroy) {
		return nil
	}
	if c.Node.phase.Load() != phaseOpen {
		s = StateClosed
	}
	return newStateError(c.Node.String(), s, allowed[op], name, c.cause)
}
