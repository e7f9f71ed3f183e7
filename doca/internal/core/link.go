package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Link is a context and its place at the engine.
type Link struct {
	Node     *Node
	eng      *Engine
	dev      *Device
	raw      *common.Ctx
	index    int
	state    State
	inflight int    // number of tasks that DOCA has
	cause    error  // why the context stopped by itself
	stopErr  error  // why doca_ctx_stop failed
	stop     bool   // stop the context as soon as no task is in flight
	queued   bool   // the context is in the engine's settling list
	failing  bool   // failLocked stops it
	flush    bool   // it stops with tasks in flight
	released bool   // Release was called for this stop
	started  bool   // it has run before
	stops    uint64 // how often it has become idle
	endless  bool
	noNotify bool
	limit    time.Duration // of a stop without another limit; 0: none

	wantsLater bool // it is in the engine's later list

	failed  func(error)
	owns    func(*abi.Record) bool
	handle  func([]abi.Record)
	release func()
	later   func()
	changed func(State)
	halted  func()
	room    func() int
	destroy func(*abi.Ring) error

	_ abi.Apart
}

// LinkConfig describes a context; see bind.ContextConfig.
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
	Later   func()
	Changed func(State)
	Room    func() int
	Halt    func()
	Failed  func(error)
	Owns    func(rec *abi.Record) bool

	StopLimit      time.Duration
	Endless        bool
	NoNotification bool
}

// Create makes c, a zero value, a context that is connected to its engine.
func (c *Link) Create(cfg LinkConfig) error {
	parents := []*Node{cfg.Device.Node, cfg.Engine.Node}
	if cfg.Parent != nil {
		p := ownerNode(cfg.Parent)
		if p == nil {
			return Fail("create "+cfg.Kind, "", abi.ErrorInvalidValue, "its parent is nil or a zero value")
		}
		parents = append(parents, p)
	}
	if cfg.Memory != nil {
		if !cfg.Memory.reaches(cfg.Device) {
			return Fail("create "+cfg.Kind, "", abi.ErrorInvalidValue,
				fmt.Sprintf("%v is not registered with %v: name it in MemoryConfig.Devices", cfg.Memory.Node, cfg.Device.Node))
		}
		parents = append(parents, cfg.Memory.Node)
	}
	n, err := newNode(rankContext, cfg.Kind, cfg.Device.PCIAddr, parents...)
	if err != nil {
		return err
	}
	e := cfg.Engine
	if e.Node.private {
		e.Node.stack.CompareAndSwap(nil, n.stack.Load())
	}
	*c = Link{Node: n, eng: e, dev: cfg.Device, endless: cfg.Endless, noNotify: cfg.NoNotification,
		limit: cfg.StopLimit, failed: cfg.Failed, owns: cfg.Owns,
		handle: cfg.Handle, release: cfg.Release, later: cfg.Later, changed: cfg.Changed, halted: cfg.Halt, room: cfg.Room, destroy: cfg.Destroy}
	if c.raw, err = cfg.Create(c.dev.raw); err == nil && c.raw == nil {
		err = abi.ErrorUnexpected
	}
	if err == nil {
		e.lock()
		err = c.connectLocked()
		e.mu.Unlock()
	}
	if err != nil {
		return errors.Join(n.Fail("create", err, ""), n.undo(c.takeBack))
	}
	resumed := c.resumed
	n.body.(*plain).resumed.Store(&resumed)
	n.commit(c.close)
	return nil
}

// takeBack destroys what there is of a context that is not connected.
func (c *Link) takeBack(context.Context) error {
	c.eng.lock()
	defer c.eng.mu.Unlock()
	err := c.destroy(c.eng.ring)
	c.eng.drainLocked()
	return c.Node.Fail("close", err, "")
}

func (c *Link) connectLocked() error {
	c.eng.connectLocked(c)
	err := common.CtxSetUserData(c.raw, c.eng.first+abi.Data(c.index))
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

// Lock takes the engine's lock for an operation. If the state does not allow it, Lock
// returns a StateError and does not hold the lock. See bind.Link for this method and those
// that follow: all need the lock, except LockAlways and String.
func (c *Link) Lock(op Op, name string) error {
	c.eng.lock()
	return c.keepLocked(op, name)
}

// LockFor is Lock that does not wait longer than ctx, and returns ctx.Err() then.
func (c *Link) LockFor(ctx context.Context, op Op, name string) error {
	if err := c.eng.lockFor(ctx); err != nil {
		return err
	}
	if c.allowsLocked(op) {
		return nil
	}
	return c.keepLocked(op, name)
}

// keepLocked keeps the lock if the state allows an operation.
func (c *Link) keepLocked(op Op, name string) error {
	err := c.checkLocked(op, name)
	if err != nil {
		c.eng.mu.Unlock()
	}
	return err
}

// LockAlwaysFor is LockAlways that does not wait longer than ctx, and returns ctx.Err() then.
func (c *Link) LockAlwaysFor(ctx context.Context) error {
	if err := c.Node.noneError("lock"); err != nil {
		return err
	}
	return c.eng.lockFor(ctx)
}

// LockAlways takes the engine's lock in every state.
func (c *Link) LockAlways() { c.eng.lock() }

// Unlock releases the engine's lock.
func (c *Link) Unlock() { c.eng.mu.Unlock() }

// Check returns a StateError if the state does not allow the operation.
func (c *Link) Check(op Op, name string) error {
	if c.allowsLocked(op) {
		return nil
	}
	return c.checkLocked(op, name)
}

// Running reports whether tasks can be submitted.
func (c *Link) Running() bool {
	return c.stateLocked() == StateRunning && c.Node.phase.Load() == phaseOpen
}

// Raw returns DOCA's context.
func (c *Link) Raw() *common.Ctx { return c.raw }

// Payload returns the bytes that came with a record.
func (c *Link) Payload(r *abi.Record) []byte { return c.eng.ring.Payload(r) }

// Step drives the engine one step. Whoever waits next finds its errors.
func (c *Link) Step() { c.eng.progressLocked(stepLimit) }

// StepFor is Step for a caller that knows how many completions it is worth a step to handle.
func (c *Link) StepFor(n int) { c.eng.progressLocked(min(max(n, 1), stepLimit)) }

// LocalStep is Step that waits in C for some microseconds, if there is nothing to do and nobody else waits. It returns how many
// completions and events it has handled.
func (c *Link) LocalStep() int { return c.LocalStepFor(stepLimit) }

// LocalStepFor is LocalStep for a caller that knows how many completions it is worth a step to handle.
func (c *Link) LocalStepFor(most int) int {
	linger := uint32(0)
	if c.eng.alone() {
		linger = c.eng.linger
	}
	n, _ := c.eng.progressForLocked(min(max(most, 1), stepLimit), linger) // whoever waits next finds its error
	return n
}

// Ring returns the ring of the engine.
func (c *Link) Ring() *abi.Ring { return c.eng.ring }

// Call makes a DOCA call during which callbacks may run, and passes their records to their
// contexts.
func (c *Link) Call(f func(ring *abi.Ring) error) error {
	if c.eng.dead { // the ring is freed
		return c.Node.closedError("call DOCA")
	}
	err := f(c.eng.ring)
	c.eng.drainLocked()
	return err
}

// String returns the name of the context.
func (c *Link) String() string { return c.Node.String() }

// Submitted counts n tasks as submitted. If a batch waits in C, for which there may be no event, who sleeps must not do so for long.
func (c *Link) Submitted(n int) {
	c.inflight += n
	if c.eng.ring.Waiting() {
		c.eng.sleep.kick()
	}
}

// Finished counts n tasks as ended.
func (c *Link) Finished(n int) {
	c.inflight -= n
	c.nudgeLocked()
}

// Later asks for a call of the Later function when the records of this step have been handled.
func (c *Link) Later() {
	if !c.wantsLater {
		c.wantsLater = true
		c.eng.later = append(c.eng.later, c)
	}
}

// Faulted notes why the context stops by itself. Only the first cause after a start counts.
func (c *Link) Faulted(err error) {
	if c.cause == nil {
		c.cause = err
	}
}

// allowsLocked reports whether the state allows an operation on a context that nobody closes or stops. Else checkLocked knows.
func (c *Link) allowsLocked(op Op) bool {
	return !c.stop && op.In(c.state) && c.Node.phase.Load() == phaseOpen
}

// checkLocked returns a StateError if the state forbids the operation.
func (c *Link) checkLocked(op Op, name string) error {
	s := c.stateLocked()
	if op.In(s) && (c.Node.phase.Load() == phaseOpen || op == OpStop || op == OpDestroy) {
		return nil
	}
	if err := c.Node.noneError(name); err != nil {
		return err
	}
	if c.Node.phase.Load() != phaseOpen {
		s = StateClosed
	}
	return newStateError(c.Node.String(), s, op.allowedIn(), name, c.cause)
}
