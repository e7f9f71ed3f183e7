package doca

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// EngineConfig are the options of a progress engine. The zero value is good for most
// programs.
type EngineConfig struct {
	// BusyPoll makes those who wait poll without ever sleeping: the lowest latency, at the
	// price of a core for as long as something is waited for. Goroutines of these packages,
	// such as those behind Done channels, sleep all the same.
	BusyPoll bool
}

// ProgressEngine completes the work of the contexts connected to it. DOCA's engine is
// single-threaded; this one may be used from any goroutine, and it needs no loop:
// whoever waits for a completion drives it. Independent engines run in parallel, so a
// program that wants more cores uses more engines. It owns its contexts; closing it
// closes them.
type ProgressEngine struct {
	object
	e *engine
}

// engine is the inner part. mu serializes all calls on the DOCA engine, its contexts
// and their tasks.
type engine struct {
	node *node
	busy bool

	mu       sync.Mutex
	wanted   atomic.Int32 // goroutines that wait for mu
	pe       *common.PE
	ring     *abi.Ring
	contexts []*Link // index is the context's user data; nil if free
	settling []*Link // contexts that are to stop
	dead     bool
	bounded  []*Link // contexts that may run out of room
	insisted int     // reasons to drive it when they have
	lost     uint64  // callbacks that found no memory for their record

	lead      atomic.Pointer[waiter] // who drives the engine
	parkMu    sync.Mutex
	parked    []*waiter
	numParked atomic.Int32
	changes   []*waiter // who waits for any change of state; guarded by mu

	watched    int // operations whose end is awaited through a channel; guarded by mu
	background bool

	pace  pace // guarded by mu
	sleep sleeper
	polls uint64 // calls of the DOCA engine; guarded by mu
}

// NewProgressEngine creates an engine. Stands on doca_pe_create.
func NewProgressEngine(cfg EngineConfig) (*ProgressEngine, error) {
	p, err := newEngine(cfg)
	if err != nil {
		return nil, err
	}
	return guard(p, p.n), nil
}

func newEngine(cfg EngineConfig) (*ProgressEngine, error) {
	n, err := newNode(rankEngine, "engine", nil)
	if err != nil {
		return nil, err
	}
	e := &engine{node: n, busy: cfg.BusyPoll}
	e.sleep.init()
	if e.pe, err = common.PECreate(); err == nil {
		if e.ring, err = abi.NewRing(); err != nil {
			err = errors.Join(err, common.PEDestroy(nil, e.pe))
		}
	}
	if err != nil {
		n.abandon()
		return nil, fail("create", n.String(), err, "")
	}
	n.commit(e.close)
	return &ProgressEngine{object: object{n}, e: e}, nil
}

// close runs when no context is connected any more.
func (e *engine) close(context.Context) error {
	e.lock()
	defer e.mu.Unlock()
	if err := common.PEDestroy(e.ring, e.pe); err != nil {
		return fail("close", e.node.String(), err, "")
	}
	e.dead = true
	e.ring.Free()
	e.changed()
	e.wakeAll()
	e.sleep.close()
	return nil
}

// lock takes mu and lets the one who drives the engine know that it is wanted.
func (e *engine) lock() {
	if e.mu.TryLock() {
		return
	}
	e.wanted.Add(1)
	e.mu.Lock()
	e.wanted.Add(-1)
}

// Progress drives the engine one step: it handles what has completed by now and
// returns how many things that were; 0 means that there was nothing to do. Stands on
// doca_pe_progress.
func (p *ProgressEngine) Progress() (int, error) {
	e := p.e
	e.lock()
	defer e.mu.Unlock()
	return e.progress(stepLimit)
}

// Run drives the engine until ctx ends and returns ctx.Err(). It waits without using a
// core (see [EngineConfig] for the opposite). A program that waits with the blocking
// calls of these packages does not need it. If the engine is closed it returns a
// [*StateError]. Stands on doca_pe_progress.
func (p *ProgressEngine) Run(ctx context.Context) error {
	return p.e.wait(ctx, newWaiter())
}

// NotificationHandle returns the file descriptor that becomes readable after [Arm] when
// there is something to do, for programs with an event loop of their own. It stays
// DOCA's: do not read it, change its flags or close it. The cycle is: Progress until it
// returns 0, Arm, wait for the descriptor, ClearNotification. Stands on
// doca_pe_get_notification_handle.
//
// [Arm]: ProgressEngine.Arm
func (p *ProgressEngine) NotificationHandle() (int, error) {
	e := p.e
	e.lock()
	defer e.mu.Unlock()
	if e.dead {
		return -1, e.node.closedError("get notification handle")
	}
	fd, err := common.PEGetNotificationHandle(e.pe)
	return int(fd), fail("get notification handle", e.node.String(), err, "")
}

// Arm asks for a notification through the engine's handle. Stands on
// doca_pe_request_notification.
func (p *ProgressEngine) Arm() error {
	e := p.e
	e.lock()
	defer e.mu.Unlock()
	if e.dead {
		return e.node.closedError("arm")
	}
	return fail("arm", e.node.String(), e.arm(), "")
}

// ClearNotification ends what Arm began. Progress does so by itself. Stands on
// doca_pe_clear_notification.
func (p *ProgressEngine) ClearNotification() error {
	e := p.e
	e.lock()
	defer e.mu.Unlock()
	if e.dead {
		return e.node.closedError("clear notification")
	}
	return fail("clear notification", e.node.String(), e.disarm(), "")
}

// Raw returns DOCA's own object, for packages that bind further libraries. It is valid
// until Close, and only while the lock of one of its contexts is held (see
// [Context.Lock]). A closed engine is a [*StateError].
func (p *ProgressEngine) Raw() (*common.PE, error) {
	if err := p.n.open("use"); err != nil {
		return nil, err
	}
	return p.e.pe, nil
}
