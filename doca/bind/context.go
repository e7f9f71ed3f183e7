package bind

import (
	"errors"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// ContextConfig describes a context of a DOCA library: its place in the ownership tree, and
// the functions through which it is driven.
type ContextConfig struct {
	Kind   string               // for messages, such as "dma"
	Device *doca.Device         // the context is created on it
	Engine *doca.ProgressEngine // completes the context's work
	Parent Owner                // optional: closes the context before itself
	Memory *doca.Memory         // optional: memory that the context uses; closes the context before itself

	// OwnEngine gives the context an engine that nobody else uses. Engine is nil then. The
	// engine is closed with the context.
	OwnEngine bool

	// Create creates the library's object on the device, sets its options and callbacks,
	// and returns it as a context. If it fails, what it has created is left to Destroy. It must
	// keep the link: as soon as Create has returned, others may close the context, and the
	// other functions need the link.
	Create func(dev *common.Dev, link *Link) (*common.Ctx, error)

	// Destroy destroys the library's object. The context is idle, and the lock is held. After
	// an error the context stays open, and the next Close calls Destroy again. It is also called
	// after a Create that has failed, and destroys what there is; if it fails as well, the next
	// Close of the device or engine calls it again.
	//
	//doca:noblock
	Destroy func(ring *abi.Ring) error

	// Handle takes one or more records of the same kind, which the callbacks of the
	// context's tasks and events left behind. The records are valid during the call. Handle
	// runs with the lock held. It must not block, call the user's code, or call DOCA
	// functions for progress, start, stop and destroy; other DOCA functions are fine.
	//
	//doca:noblock
	Handle func(recs []abi.Record)

	// Release frees the tasks that the package holds. It is called with the lock held when
	// the context stops and no task is in flight. DOCA waits for it before the context is
	// idle. Optional.
	//
	//doca:noblock
	Release func()

	// Later is called with the lock held after all records of a step have been handled, if
	// Handle has called [Link.Later]. The states of all contexts are up to date then, and
	// tasks can be submitted. Optional; the rules of Handle apply.
	//
	//doca:noblock
	Later func()

	// Changed is called after each change of state. Optional; the rules of Handle apply.
	//
	//doca:noblock
	Changed func(doca.State)

	// Room returns the number of records that Handle can take now. The engine is driven no
	// further than that. At 0 it is not driven at all, so that senders have to wait, until
	// [Link.Resume]; only stops, closes and [Link.AwaitDrained] still drive it. Optional;
	// the rules of Handle apply.
	//
	//doca:noblock
	Room func() int

	// Halt is called at each Stop and Close before DOCA is called. Optional; the rules of
	// Handle apply.
	//
	//doca:noblock
	Halt func()

	// Failed is called when the context is about to be stopped because of an error that is not
	// DOCA's: a record was lost that may have been for it. Later records do not follow on from
	// the earlier ones. Optional; the rules of Handle apply.
	//
	//doca:noblock
	Failed func(error)

	// Owns reports whether a record that came without a context (see [abi.NoContext]) may be for
	// this one. If no context of the engine says so, those without Owns are meant. Optional; the
	// rules of Handle apply.
	//
	//doca:noblock
	Owns func(rec *abi.Record) bool

	// StopLimit limits Close, Stop and Shutdown when their ctx can never end. They return
	// ErrTimeOut then, and can be called again. 0 means no limit.
	StopLimit time.Duration

	// Endless says that tasks in flight may never end by themselves, such as posted
	// receives. Stopping the context then flushes them instead of waiting for them.
	Endless bool

	// NoNotification says that the engine's notification handle does not report this
	// context's work. Whoever waits then polls the engine, with pauses.
	NoNotification bool
}

// Owner is an object that other objects can be created below; they are closed before it.
// The objects of package doca are Owners, and so are objects that embed one, and each
// [Child].
type Owner interface{ owner }

type owner = core.Owner

// NewContext creates a context and connects it to its engine. The context is idle: call
// Start. NewContext returns ErrInvalidValue if cfg lacks a device, an engine, Create, Destroy or
// Handle, or if the memory is not registered with the device, a [*doca.StateError] if an owner is closed, and
// the errors of Create. Calls doca_pe_connect_ctx, doca_ctx_set_user_data and
// doca_ctx_set_state_changed_cb.
func NewContext(cfg ContextConfig) (*doca.Context, error) {
	if core.Of(cfg.Device) == nil || core.Of(cfg.Engine) == nil && !cfg.OwnEngine {
		return nil, core.Fail("create "+cfg.Kind, "", doca.ErrInvalidValue, "it needs an open device and a progress engine")
	}
	if cfg.Create == nil || cfg.Destroy == nil || cfg.Handle == nil {
		return nil, core.Fail("create "+cfg.Kind, "", doca.ErrInvalidValue, "ContextConfig needs Create, Destroy and Handle")
	}
	if cfg.Memory != nil && core.Of(cfg.Memory) == nil {
		return nil, core.Fail("create "+cfg.Kind, "", doca.ErrInvalidValue, "its memory is a zero value: make one with doca.NewMemory")
	}
	if !cfg.OwnEngine {
		return newContext(cfg)
	}
	e, err := core.NewPrivateEngine(core.Of(cfg.Device), cfg.Parent)
	if err != nil {
		return nil, err
	}
	cfg.Engine = new(doca.ProgressEngine)
	core.Adopt(cfg.Engine, e.Node, e)
	c, err := newContext(cfg)
	if err != nil {
		return nil, errors.Join(err, cfg.Engine.Close())
	}
	return c, nil
}

func newContext(cfg ContextConfig) (*doca.Context, error) {
	l := new(Link)
	inner := core.LinkConfig{
		Kind:           cfg.Kind,
		Device:         core.Of(cfg.Device),
		Engine:         core.Of(cfg.Engine),
		Parent:         cfg.Parent,
		Memory:         core.Of(cfg.Memory),
		Create:         func(dev *common.Dev) (*common.Ctx, error) { return cfg.Create(dev, l) },
		Destroy:        cfg.Destroy,
		Handle:         cfg.Handle,
		Release:        cfg.Release,
		Later:          cfg.Later,
		Room:           cfg.Room,
		Halt:           cfg.Halt,
		Failed:         cfg.Failed,
		Owns:           cfg.Owns,
		StopLimit:      cfg.StopLimit,
		Endless:        cfg.Endless,
		NoNotification: cfg.NoNotification,
	}
	if changed := cfg.Changed; changed != nil {
		inner.Changed = func(s core.State) { changed(doca.State(s)) }
	}
	if err := l.l.Create(inner); err != nil {
		return nil, err
	}
	c := new(doca.Context)
	core.Adopt(c, l.l.Node, &l.l)
	core.Tie(c, cfg.Device, cfg.Engine, [2]core.Owner{cfg.Parent, cfg.Memory})
	return c, nil
}
