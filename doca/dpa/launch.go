package dpa

import (
	"context"
	"errors"
	"runtime"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/generated/common"
	genevent "github.com/go-doca/go-doca/generated/syncevent"
)

// LaunchOptions say when a kernel starts, in how many threads, and what its end does. The zero value is a kernel that starts at once in
// one thread. [DPA.Close] waits for kernels with neither Wait nor Completion.
type LaunchOptions struct {
	Threads int // 1 to what Info has; 0 is 1

	// Wait is an event that the kernel waits for; nil: it starts at once. The DPA is one of its subscribers. It starts when the value is at least
	// WaitThreshold, which is 0 to 254.
	Wait          *syncevent.Event
	WaitThreshold uint64

	// Completion is an event that the end of the kernel sets to CompletionCount, or with Add, to which it adds it. The DPA is one of its
	// publishers, and the CPU of its subscribers if the program calls Launch.Wait. nil: the package has one of its own.
	Completion      *syncevent.Event
	CompletionCount uint64
	Add             bool
}

// RawLaunch is a launch in the terms of DOCA, for code that gen dpa writes.
type RawLaunch struct {
	DPA              *common.DPA
	Wait, Completion *genevent.SyncEvent
	WaitThreshold    uint64
	CompletionCount  uint64
	Threads          uint32
	Add              bool
}

// Launch is a kernel that was launched. Any goroutine may use it. A program that does not want to know when the kernel ends may drop it.
type Launch struct {
	d    *DPA
	run  *run             // nil: the program has an event
	name string           // for messages
	ev   *syncevent.Event // that of LaunchOptions
	goal uint64           // what its value is after the kernel
}

// LaunchKernel launches a kernel, for code that gen dpa writes. kernel is its name, and start calls DOCA. Errors: ErrInvalidValue if d or start is
// nil or opts are wrong; [ErrFatal]; a [*doca.StateError] if d or an event is closed; and those of start.
func LaunchKernel(d *DPA, kernel string, opts LaunchOptions, start func(RawLaunch) error) (*Launch, error) {
	const op = "launch"
	if d == nil || d.c == nil {
		return nil, noDPA(op)
	}
	name := kernel + " on " + d.c.name
	if start == nil {
		return nil, wrong(op, name, "the function is nil")
	}
	if opts.WaitThreshold > maxThreshold || opts.Wait == nil && opts.WaitThreshold != 0 {
		return nil, wrong(op, name, "WaitThreshold is %d: it is 0 to %d, and goes with Wait", opts.WaitThreshold, maxThreshold)
	}
	if opts.Threads < 0 || int64(opts.Threads) > 1<<31 {
		return nil, wrong(op, name, "Threads is %d", opts.Threads)
	}
	if opts.Completion == nil && (opts.CompletionCount != 0 || opts.Add) {
		return nil, wrong(op, name, "CompletionCount and Add go with Completion")
	}
	raw := RawLaunch{WaitThreshold: opts.WaitThreshold, CompletionCount: opts.CompletionCount, Threads: uint32(max(opts.Threads, 1)), Add: opts.Add}
	l := &Launch{d: d, name: name, ev: opts.Completion}
	defer runtime.KeepAlive(d)
	err := withEvents(opts.Wait, opts.Completion, func(wait, completion *genevent.SyncEvent) (err error) {
		raw.Wait, raw.Completion = wait, completion
		d.c.mu.Lock()
		defer d.c.mu.Unlock()
		if err := d.c.readyLocked(op, name); err != nil {
			return err
		}
		raw.DPA = d.c.raw
		if completion != nil {
			l.goal, err = goalOf(completion, opts)
			if err == nil {
				err = start(raw)
			}
		} else {
			l.run, err = d.c.startLocked(d, name, raw, start)
		}
		err, advice := d.c.causeLocked(err), ""
		if errors.Is(err, doca.ErrInvalidValue) {
			advice = invalidLaunch
		}
		return fail(op, name, err, advice)
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// invalidLaunch lists what DOCA does not tell apart.
const invalidLaunch = "Threads is more than Info.MaxThreadsPerKernel, the kernel is not one of Config.App, or an event lacks the location DPA"

// maxThreshold is the largest value that DOCA lets a kernel wait for.
const maxThreshold = 254

// goalOf returns the value that an event has after a kernel.
func goalOf(completion *genevent.SyncEvent, opts LaunchOptions) (uint64, error) {
	if !opts.Add {
		return opts.CompletionCount, nil
	}
	before, err := genevent.Get(completion)
	return before + opts.CompletionCount, err
}

// withEvents calls f with DOCA's objects of events that may be nil. Both are locked in the order of their addresses, so that two goroutines
// never wait for each other.
func withEvents(wait, completion *syncevent.Event, f func(wait, completion *genevent.SyncEvent) error) error {
	const op = "launch"
	use := func(ev *syncevent.Event, f func(raw *genevent.SyncEvent) error) error {
		if ev == nil {
			return f(nil)
		}
		return syncevent.UseEvent(ev, op, f)
	}
	switch {
	case wait == completion:
		return use(wait, func(raw *genevent.SyncEvent) error { return f(raw, raw) })
	case uintptr(unsafe.Pointer(wait)) < uintptr(unsafe.Pointer(completion)):
		return use(wait, func(w *genevent.SyncEvent) error {
			return use(completion, func(c *genevent.SyncEvent) error { return f(w, c) })
		})
	}
	return use(completion, func(c *genevent.SyncEvent) error {
		return use(wait, func(w *genevent.SyncEvent) error { return f(w, c) })
	})
}

// Wait waits until the kernel has ended. If LaunchOptions had a Completion, it waits until the value of that is at least CompletionCount, or
// with Add, as much greater as it was at the launch; so if others change the event, wait for it yourself.
//
// Errors: one that wraps ctx.Err() and names the kernel if ctx ends first, such as for a kernel that never returns: it goes on. [ErrFatal] if the DPA has had a
// fatal error before the kernel's end; a [*doca.StateError] if the DPA or the event is closed. Any number of goroutines may wait, also again.
// Calls doca_sync_event_get and doca_dpa_peek_at_last_error.
func (l *Launch) Wait(ctx context.Context) error {
	const op = "wait"
	if l == nil || l.d == nil {
		return noLaunch(op)
	}
	if err := bind.NeedContext(ctx, op, l); err != nil {
		return err
	}
	defer runtime.KeepAlive(l)
	var err error
	switch {
	case l.ev == nil:
		err = l.d.c.await(ctx, l.run)
	case l.goal > 0:
		_, err = l.ev.WaitGreater(ctx, l.goal-1, syncevent.AllBits)
	}
	if err != nil && ctx.Err() != nil && err == ctx.Err() {
		return &doca.OpError{Op: op, Object: l.name, Err: err, Advice: "the kernel has not ended: if it never will, close the DPA"}
	}
	return fail(op, l.name, err, "")
}

// String returns the names of the kernel and of its DPA.
func (l *Launch) String() string {
	if l == nil || l.d == nil {
		return "no launch"
	}
	return l.name
}
