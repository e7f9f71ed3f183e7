package bind

import (
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// ContextConfig says how to make a context of a DOCA library.
type ContextConfig struct {
	Kind   string               // for messages, such as "dma"
	Device *doca.Device         // what it is created on
	Engine *doca.ProgressEngine // what completes its work
	Parent Owner                // optional: what has to outlive it, such as another context
	Memory *doca.Memory         // optional: memory that it uses, which has to outlive it

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
	Changed func(doca.State)

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

// Owner is an object that others can be created below: they are closed before it. All
// objects of package doca are, those of packages that embed them, and [Child].
type Owner interface{ owner }

type owner = core.Owner

// NewContext creates a context and connects it to its engine. It is idle: call Start.
// Stands on doca_pe_connect_ctx, doca_ctx_set_user_data and doca_ctx_set_state_changed_cb.
func NewContext(cfg ContextConfig) (*doca.Context, error) {
	if core.Of(cfg.Device) == nil || core.Of(cfg.Engine) == nil && !cfg.OwnEngine {
		return nil, core.Fail("create "+cfg.Kind, "", doca.ErrInvalidValue, "it needs an open device and a progress engine")
	}
	if !cfg.OwnEngine {
		return newContext(cfg)
	}
	e, err := core.NewEngine(false, true)
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
		Room:           cfg.Room,
		Halt:           cfg.Halt,
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
