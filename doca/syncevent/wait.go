package syncevent

import (
	"context"
	"runtime"
	"time"

	"github.com/go-doca/go-doca/doca/bind"
)

// The defaults of Polling.
const (
	DefaultSpin     = 20 * time.Microsecond
	DefaultMaxPause = 10 * time.Millisecond
)

// Polling says how a wait looks at the value. DOCA's own wait functions occupy a core and cannot be ended, so waits do not
// call them: they read the value again and again, with pauses that grow.
//
// A wait looks without pauses for the time Spin, and uses a core for that time. It then notices a change within about 0.5 µs.
// After that it sleeps between looks, without a thread: an eighth of the time that it has waited, and at most MaxPause. So a
// change is noticed after an eighth of the wait or after MaxPause, whichever is less. Add the precision of Go's timers, which is
// 1 ms in a process that does nothing else.
//
// What a long wait costs depends on MaxPause. On 2 cores of a Xeon it was 1 % of a core with 10 ms, the default, 2 % with 5 ms and
// 9 % with 1 ms. If that is too slow or too much, wait with a task: see [TaskEvent].
type Polling struct {
	Spin     time.Duration // 0 means DefaultSpin; negative: none
	MaxPause time.Duration // 0 means DefaultMaxPause; negative: never pause, which keeps a core busy
}

// looksPerCheck is how many looks a wait without pauses takes between two glances at its ctx and the clock.
const looksPerCheck = 16

// minPause is the shortest sleep that makes sense.
const minPause = 20 * time.Microsecond

// wait looks at the value until it is good. closing ends the wait early: the next look returns the error. check, if it is not nil,
// is called before each pause, and without pauses as often as with the default ones: its error ends the wait.
func (p Polling) wait(ctx context.Context, closing <-chan struct{}, check func() error, look func() (uint64, error), good func(uint64) bool) (uint64, error) {
	spin, most := p.Spin, p.MaxPause
	if spin == 0 {
		spin = DefaultSpin
	}
	if most == 0 {
		most = DefaultMaxPause
	}
	var timer *time.Timer
	start := time.Now()
	var checked time.Duration
	for looks := 1; ; looks++ {
		value, err := look()
		if err != nil || good(value) {
			return value, err
		}
		if looks%looksPerCheck != 0 && timer == nil && (spin > 0 || most < 0) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return value, err
		}
		waited := time.Since(start)
		busy := most < 0 || waited < spin
		if check != nil && (!busy || waited-checked >= DefaultMaxPause) {
			checked = waited
			if err := check(); err != nil {
				if value, lookErr := look(); lookErr == nil && good(value) {
					return value, nil // the change came first
				}
				return value, err
			}
		}
		if busy {
			runtime.Gosched() // whoever changes the value may need this processor
			continue
		}
		pause := min(max(waited/8, minPause), most)
		if timer == nil {
			timer = time.NewTimer(pause)
			defer timer.Stop()
		} else {
			timer.Reset(pause)
		}
		select {
		case <-timer.C:
		case <-ctx.Done():
			return value, ctx.Err()
		case <-closing:
			closing = nil // whatever comes of it, the looks tell
		}
	}
}

// WaitGreater waits until the value, of which mask leaves what is compared, is greater than value. The comparison is unsigned:
// a value that wraps around is small again. It returns the whole value that ended the wait.
//
// Errors: ctx.Err() if ctx ends first; an error that is dpa.ErrFatal if the event has a DPA and that has failed; ErrIOFailed if the event is imported and its exporter has gone; a [*doca.StateError] if
// the event is closed, before or meanwhile. Any number of goroutines may wait. [Polling] says what a wait costs. A look at the
// value of an imported event may take as long as [Event.Set] says, and the wait does not end before. Calls doca_sync_event_get.
func (e *Event) WaitGreater(ctx context.Context, value, mask uint64) (uint64, error) {
	return e.wait(ctx, func(now uint64) bool { return now&mask > value })
}

// WaitEqual waits until the value, masked, equals value. See [Event.WaitGreater].
func (e *Event) WaitEqual(ctx context.Context, value, mask uint64) (uint64, error) {
	return e.wait(ctx, func(now uint64) bool { return now&mask == value })
}

// WaitNotEqual waits until the value, masked, differs from value. See [Event.WaitGreater].
func (e *Event) WaitNotEqual(ctx context.Context, value, mask uint64) (uint64, error) {
	return e.wait(ctx, func(now uint64) bool { return now&mask != value })
}

func (e *Event) wait(ctx context.Context, good func(uint64) bool) (uint64, error) {
	if e == nil || e.in == nil {
		return 0, noEvent("wait")
	}
	if err := begin(ctx, "wait", e); err != nil {
		return 0, err
	}
	defer runtime.KeepAlive(e)
	var check func() error
	if e.dpa != nil { // after a fatal error nobody there changes the value any more
		check = func() error { return bind.CheckDPA(ctx, e.dpa, "wait") }
	}
	return e.in.polling.wait(ctx, e.in.closing, check, func() (uint64, error) { return e.in.get("wait") }, good)
}
