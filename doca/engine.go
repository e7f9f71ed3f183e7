package doca

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
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
	engineInner
}

type engineInner = core.Inner[core.Engine]

// NewProgressEngine creates an engine. Stands on doca_pe_create.
func NewProgressEngine(cfg EngineConfig) (*ProgressEngine, error) {
	e, err := core.NewEngine(cfg.BusyPoll, false)
	if err != nil {
		return nil, err
	}
	p := new(ProgressEngine)
	core.Adopt(p, e.Node, e)
	return p, nil
}

// Progress drives the engine one step: it handles what has completed by now and
// returns how many things that were; 0 means that there was nothing to do. Stands on
// doca_pe_progress.
func (p *ProgressEngine) Progress() (int, error) { return core.Of(p).Progress() }

// Run drives the engine until ctx ends and returns ctx.Err(). It waits without using a
// core (see [EngineConfig] for the opposite). A program that waits with the blocking
// calls of these packages does not need it. If the engine is closed it returns a
// [*StateError]. Stands on doca_pe_progress.
func (p *ProgressEngine) Run(ctx context.Context) error { return core.Of(p).Run(ctx) }

// NotificationHandle returns the file descriptor that becomes readable after [Arm] when
// there is something to do, for programs with an event loop of their own. It stays
// DOCA's: do not read it, change its flags or close it. The cycle is: Progress until it
// returns 0, Arm, wait for the descriptor, ClearNotification. Stands on
// doca_pe_get_notification_handle.
//
// [Arm]: ProgressEngine.Arm
func (p *ProgressEngine) NotificationHandle() (int, error) { return core.Of(p).NotificationHandle() }

// Arm asks for a notification through the engine's handle. Stands on
// doca_pe_request_notification.
func (p *ProgressEngine) Arm() error { return core.Of(p).Arm() }

// ClearNotification ends what Arm began. Progress does so by itself. Stands on
// doca_pe_clear_notification.
func (p *ProgressEngine) ClearNotification() error { return core.Of(p).ClearNotification() }
