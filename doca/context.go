package doca

import (
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
	// it destroys it again. It keeps the link: once Create has returned, others may close
	// the context, and Halt and its like need it.
	Create func(dev *common.Dev, link *Link) (*common.Ctx, error)

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
	closing  bool  // somebody is closing it
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
	if c.raw, err = cfg.Create(c.dev.raw, c); err == nil {
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
