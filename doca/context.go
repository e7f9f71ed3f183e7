package doca

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// ContextConfig says how to make a context of a DOCA library.
type ContextConfig struct {
	Kind   string          // for messages, such as "dma"
	Device *Device         // what it is created on
	Engine *ProgressEngine // what completes its work
	Parent Owner           // optional: what has to outlive it, such as another context
	Memory *Memory         // optional: memory that it uses, which has to outlive it

	// OwnEngine gives the context an engine that nobody else uses and that is closed with
	// it; Engine is nil then.
	OwnEngine bool

	// Create creates the library's object on the device and returns it as a context. It
	// also sets its options and callbacks. If it fails after it has created the object
	// it destroys it again.
	Create func(dev *common.Dev) (*common.Ctx, error)

	// Destroy destroys the library's object. The context is idle.
	Destroy func(ring *abi.Ring) error

	// Handle takes the records that the callbacks of the context's tasks and events left
	// behind: one or more of the same kind. The records are valid during the call. It
	// may call DOCA, except for progress, start, stop and destroy functions, and it must
	// not block or call the user's code.
	Handle func(recs []abi.Record)

	// Release frees the tasks that the package holds. It is called when the context
	// stops and no task is in flight; DOCA waits for it before the context is idle.
	Release func()

	// Changed is called after each change of state. Optional; the rules of Handle hold.
	Changed func(State)

	// Room returns how many records Handle can take now. What is driven stops there; at 0 the
	// engine is not driven at all, so that whoever sends has to wait, until Link.Resume. Only
	// stops, closes and Link.Insist drive it then. Optional; the rules of Handle hold.
	Room func() int

	// Halt is called at each Stop and Close, before DOCA is told. Optional; the rules of Handle
	// hold.
	Halt func()

	// Endless says that tasks in flight may never end by themselves, such as posted
	// receives: stopping the context then flushes them. Otherwise it waits for them.
	Endless bool

	// NoNotification says that the engine's notification handle does not tell of this
	// context's work; the engine then polls, with pauses, while it waits.
	NoNotification bool
}

// Context is the life of a DOCA context: it is created idle, started, stopped and
// closed, and after a stop may be started again. Packages that bind a DOCA library
// build on it; their users find its methods on the objects of those packages. It may
// be used from any goroutine.
type Context struct {
	object
	c   *Link
	dev *Device
	eng *ProgressEngine
	top Owner
	mem *Memory
}

// Link is the inner part of a context, its place at the engine: what a package that
// binds a DOCA library works with. The package's own inner objects may refer to it, but
// not to the [Context], whose loss is how a leak is noticed.
//
// A Link must be locked wherever it says so; the lock is that of the engine.
type Link struct {
	node     *node
	eng      *engine
	dev      *device
	raw      *common.Ctx
	index    int
	state    State
	inflight int   // tasks DOCA has
	cause    error // why it stopped by itself
	stopErr  error // why doca_ctx_stop failed
	stop     bool  // it is to stop as soon as no task is in flight
	queued   bool  // it is in the engine's settling list
	released bool  // Release was called for this stop
	endless  bool
	noNotify bool

	handle  func([]abi.Record)
	release func()
	changed func(State)
	halted  func()
	room    func() int
	destroy func(*abi.Ring) error
}

// NewContext creates a context and connects it to its engine. It is idle: call Start.
// It is for packages that bind DOCA libraries on top of generated/common. Stands on
// doca_pe_connect_ctx, doca_ctx_set_user_data and doca_ctx_set_state_changed_cb.
func NewContext(cfg ContextConfig) (*Context, error) {
	if cfg.Device == nil || cfg.Engine == nil && !cfg.OwnEngine {
		return nil, fail("create "+cfg.Kind, "", ErrInvalidValue, "it needs an open device and a progress engine")
	}
	if !cfg.OwnEngine {
		return newContext(cfg)
	}
	var err error
	if cfg.Engine, err = newEngine(EngineConfig{}); err != nil {
		return nil, err
	}
	cfg.Engine.n.private = true
	c, err := newContext(cfg)
	if err != nil {
		return nil, errors.Join(err, cfg.Engine.Close())
	}
	return c, nil
}

func newContext(cfg ContextConfig) (*Context, error) {
	parents := []*node{cfg.Device.n, cfg.Engine.n}
	if cfg.Parent != nil {
		parents = append(parents, cfg.Parent.owner())
	}
	if cfg.Memory != nil {
		if !cfg.Memory.m.reaches(cfg.Device.d) {
			return nil, fail("create "+cfg.Kind, "", ErrInvalidValue,
				fmt.Sprintf("%v is not registered with %v: name it in MemoryConfig.Devices", cfg.Memory, cfg.Device))
		}
		parents = append(parents, cfg.Memory.n)
	}
	n, err := newNode(rankContext, cfg.Kind, text("%s", cfg.Device.d.info.PCIAddr), parents...)
	if err != nil {
		return nil, err
	}
	e := cfg.Engine.e
	c := &Link{node: n, eng: e, dev: cfg.Device.d, endless: cfg.Endless, noNotify: cfg.NoNotification,
		handle: cfg.Handle, release: cfg.Release, changed: cfg.Changed, halted: cfg.Halt, room: cfg.Room, destroy: cfg.Destroy}
	if c.raw, err = cfg.Create(c.dev.raw); err == nil {
		e.lock()
		if err = c.connect(); err != nil {
			err = errors.Join(err, c.destroy(e.ring))
			e.drain()
		}
		e.mu.Unlock()
	}
	if err != nil {
		n.abandon()
		return nil, fail("create", n.String(), err, "")
	}
	n.commit(c.close)
	return guard(&Context{object: object{n}, c: c, dev: cfg.Device, eng: cfg.Engine, top: cfg.Parent, mem: cfg.Memory}, n), nil
}

func (c *Link) connect() error {
	c.eng.connect(c)
	err := common.CtxSetUserData(c.raw, abi.Data(c.index))
	if err == nil {
		err = common.CtxSetStateChangedCB(c.raw)
	}
	if err == nil {
		err = common.PEConnectCtx(c.eng.pe, c.raw)
	}
	if err != nil {
		c.eng.forget(c)
	}
	return err
}

// Link returns the inner part, for the package that created the context.
func (c *Context) Link() *Link { return c.c }

// Device returns the device the context was created on.
func (c *Context) Device() *Device { return c.dev }

// Engine returns the engine that completes the context's work.
func (c *Context) Engine() *ProgressEngine { return c.eng }

// State returns the context's state as of the last time the engine was driven. A
// context that has been asked to stop is StateStopping even while DOCA still runs it.
func (c *Context) State() State {
	e := c.c.eng
	e.lock()
	defer e.mu.Unlock()
	return c.c.stateNow()
}

func (c *Link) stateNow() State {
	switch {
	case c.node.phase.Load() == phaseClosed:
		return StateClosed
	case c.stop:
		return StateStopping
	}
	return c.state
}

// check returns a *StateError if the state forbids the operation. mu is held.
func (c *Link) check(op Op, name string) error {
	s := c.stateNow()
	if s.Allows(op) && (c.node.phase.Load() == phaseOpen || op == OpStop || op == OpDestroy) {
		return nil
	}
	if c.node.phase.Load() != phaseOpen {
		s = StateClosed
	}
	return &StateError{Object: c.node.String(), State: s, Need: allowed[op], Op: name, Cause: c.cause}
}

// Start starts the context and waits until it runs. A context that is stopping is
// waited for first; one that runs is a [*StateError]. If ctx ends first the start goes
// on; it can be waited for with [Context.WaitRunning]. Stands on doca_ctx_start.
func (c *Context) Start(ctx context.Context) error {
	l := c.c
	e := l.eng
	e.lock()
	defer e.mu.Unlock()
	if err := e.await(ctx, func() bool { return l.stateNow() != StateStopping }); err != nil {
		return fail("start", c.String(), err, "the context is still stopping")
	}
	if err := l.check(OpStart, "start"); err != nil {
		return err
	}
	l.cause = nil
	err := common.CtxStart(e.ring, l.raw)
	e.drain()
	switch {
	case err == nil:
		if l.state == StateIdle || l.state == StateStarting { // its callback may have told already
			l.enter(StateRunning)
		}
		return nil
	case !errors.Is(err, ErrInProgress):
		return fail("start", c.String(), err, "")
	}
	if l.state == StateIdle {
		l.enter(StateStarting)
	}
	return l.waitRunning(ctx)
}

// WaitRunning waits until a start that is under way has ended. A context that does not
// run then is a [*StateError].
func (c *Context) WaitRunning(ctx context.Context) error {
	c.c.eng.lock()
	defer c.c.eng.mu.Unlock()
	return c.c.waitRunning(ctx)
}

func (c *Link) waitRunning(ctx context.Context) error {
	if err := c.eng.await(ctx, func() bool { return c.state != StateStarting }); err != nil {
		return fail("start", c.node.String(), err, "the start goes on")
	}
	return c.check(OpSubmit, "start")
}

// Stop stops the context and waits until it is idle; Start starts it again. It takes
// no new tasks at once and first lets those in flight end. If ctx ends first the stop
// goes on, and Stop can be called again to wait for it. Stopping an idle context is no
// error. Stands on doca_ctx_stop.
func (c *Context) Stop(ctx context.Context) error {
	return c.c.halt(ctx, "stop")
}

// WaitIdle waits until a stop that is under way has ended, such as that after a fatal
// error. It returns at once if the context is not stopping.
func (c *Context) WaitIdle(ctx context.Context) error { return c.c.WaitIdle(ctx) }

// halt stops the context and waits until it is idle.
func (c *Link) halt(ctx context.Context, op string) error {
	e := c.eng
	e.lock()
	defer e.mu.Unlock()
	if c.halted != nil {
		c.halted()
	}
	if c.state == StateIdle {
		return nil
	}
	c.stopErr = nil
	c.setStop(true)
	c.enqueue()
	if e.settle() {
		if _, err := e.progress(stepLimit); err != nil {
			return fail(op, c.node.String(), err, "")
		}
	}
	err := e.await(ctx, func() bool { return c.state == StateIdle || c.stopErr != nil })
	if err == nil {
		err = c.stopErr
	}
	if c.state == StateIdle {
		return nil
	}
	advice := ""
	if ctx.Err() != nil {
		advice = "the stop goes on"
	}
	return fail(op, c.node.String(), err, advice)
}

// setStop notes whether the context is to stop, which no lack of room keeps it from.
func (c *Link) setStop(stop bool) {
	if stop == c.stop {
		return
	}
	c.stop = stop
	if stop {
		c.eng.insist(1)
	} else {
		c.eng.insist(-1)
	}
}

// enqueue puts the context on the list of those that settle moves on.
func (c *Link) enqueue() {
	if !c.queued {
		c.queued = true
		c.eng.settling = append(c.eng.settling, c)
	}
}

// settle does the next thing on the way to idle, if it is time for one, and tells
// whether it did. mu is held.
func (c *Link) settle() bool {
	switch {
	case c.stop && (c.state == StateStarting || c.state == StateRunning && (c.inflight == 0 || c.endless)):
		c.stopDOCA()
		return true
	case c.state == StateStopping && c.inflight == 0 && !c.released:
		c.released = true
		if c.release != nil {
			c.release()
		}
		return true
	}
	return false
}

// settled tells whether settle has nothing more to do for the context.
func (c *Link) settled() bool {
	if c.stop || c.state == StateStopping {
		return false
	}
	c.queued = false
	return true
}

func (c *Link) stopDOCA() {
	e := c.eng
	if c.inflight == 0 && c.release != nil && c.state == StateRunning {
		c.released = true
		c.release()
	}
	err := common.CtxStop(e.ring, c.raw)
	e.drain()
	switch {
	case err == nil:
		c.enter(StateIdle)
	case errors.Is(err, ErrInProgress), errors.Is(err, ErrAgain), errors.Is(err, ErrInUse):
		if c.state == StateRunning || c.state == StateStarting { // its callback may have told already
			c.enter(StateStopping)
		}
	default:
		c.setStop(false)
		c.released, c.stopErr = false, err
		e.changed()
	}
}

// enter notes a change of state. mu is held.
func (c *Link) enter(s State) {
	if s == c.state {
		return
	}
	c.state = s
	switch s {
	case StateStopping:
		c.enqueue()
	case StateIdle:
		c.setStop(false)
		c.released = false
	}
	if c.changed != nil {
		c.changed(s)
	}
	c.eng.changed()
}

// close stops the context, waits until it is idle and destroys it.
func (c *Link) close(ctx context.Context) error {
	if err := c.halt(ctx, "close"); err != nil {
		return err
	}
	e := c.eng
	e.lock()
	defer e.mu.Unlock()
	err := c.destroy(e.ring)
	e.drain()
	if err != nil {
		return fail("close", c.node.String(), err, "")
	}
	e.forget(c)
	e.changed()
	return nil
}
