package doca

import (
	"context"
	"log/slog"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// EngineConfig has the options of a progress engine. The zero value suits most programs.
type EngineConfig struct {
	// BusyPoll makes waiting goroutines poll and never sleep. This gives the lowest latency
	// and costs a core for as long as somebody waits. The goroutines that these packages
	// start, such as those behind Done channels, sleep all the same.
	BusyPoll bool
}

// ProgressEngine completes the work of the contexts connected to it. It may be used from
// any goroutine, and it needs no loop: one of the goroutines that wait for a completion
// drives the engine, and the others sleep until their operation has ended.
// [ProgressEngine.Run] and [ProgressEngine.Progress] are for programs that would rather
// drive it themselves.
//
// Engines run in parallel, so a program that wants to use more cores creates more engines.
// An engine owns its contexts and closes them before itself.
type ProgressEngine struct {
	object
	engineInner
}

type engineInner = core.Inner[core.Engine]

// NewProgressEngine creates a progress engine. Calls doca_pe_create.
func NewProgressEngine(cfg EngineConfig) (*ProgressEngine, error) {
	e, err := core.NewEngine(cfg.BusyPoll)
	if err != nil {
		return nil, err
	}
	p := new(ProgressEngine)
	core.Adopt(p, e.Node, e)
	return p, nil
}

// Progress drives the engine one step: it handles what has completed so far and returns the
// number of events it handled, 0 if there were none. It returns a [*StateError] if the
// engine is closed. Calls doca_pe_progress.
func (p *ProgressEngine) Progress() (int, error) { return core.Or(p, core.NoEngine).Progress() }

// Run drives the engine until ctx ends, and returns ctx.Err(). It uses no core while there
// is nothing to do, unless [EngineConfig] says BusyPoll. A program does not need Run for
// the blocking calls of these packages. Run returns a [*StateError] if the engine is
// closed. Calls doca_pe_progress.
func (p *ProgressEngine) Run(ctx context.Context) error { return core.Or(p, core.NoEngine).Run(ctx) }

// NotificationHandle returns a file descriptor for programs with an event loop of their
// own. After [ProgressEngine.Arm] it becomes readable when there is something to do. The
// descriptor belongs to DOCA: do not read from it, change its flags or close it. The cycle
// is: call Progress until it returns 0, call Arm, wait for the descriptor, call
// ClearNotification. Give the loop an engine that no other goroutine waits on: a blocking call
// ends what Arm began, and may handle what the loop waits for. Calls
// doca_pe_get_notification_handle.
func (p *ProgressEngine) NotificationHandle() (int, error) {
	return core.Or(p, core.NoEngine).NotificationHandle()
}

// Arm asks DOCA to make the notification handle readable when there is something to do.
// Calls doca_pe_request_notification.
func (p *ProgressEngine) Arm() error { return core.Or(p, core.NoEngine).Arm() }

// ClearNotification ends what Arm began. Progress does the same before it drives the
// engine. Calls doca_pe_clear_notification.
func (p *ProgressEngine) ClearNotification() error {
	return core.Or(p, core.NoEngine).ClearNotification()
}

// Close closes the engine and everything that it owns, in the order that DOCA demands. It
// waits without limit for tasks in flight; use Shutdown to set a limit. Closing a closed
// object is no error. If Close returns an error, the object takes no new work and
// is not closed: call Close again. Close may be called from any goroutine.
func (p *ProgressEngine) Close() error { return p.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (p *ProgressEngine) Shutdown(ctx context.Context) error {
	return core.CloseOr(ctx, p, core.NoEngine.Node)
}

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (p *ProgressEngine) String() string { return core.NameOr(p, core.NoEngine.Node) }

// LogValue returns the name of String, for package slog.
func (p *ProgressEngine) LogValue() slog.Value { return slog.StringValue(p.String()) }
