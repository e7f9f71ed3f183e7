package core

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// waiter is one goroutine's wait for something that driving the engine makes happen.
type waiter struct {
	ready  atomic.Bool
	parked atomic.Bool
	wake   chan struct{} // a token: ready, or the engine needs a driver

	background bool // nobody's: it drives the engine for what is awaited elsewhere
}

func newWaiter() *waiter { return &waiter{wake: make(chan struct{}, 1)} }

// signal ends the wait of w. It may be called with mu held.
func (e *Engine) signal(w *waiter) {
	w.ready.Store(true)
	if w.parked.Load() {
		w.poke()
	} else if e.lead.Load() == w {
		e.sleep.kick()
	}
}

func (w *waiter) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// wait returns when w has been signalled, or with ctx.Err(), or when the engine cannot
// go on. Until then the calling goroutine drives the engine, unless another one does.
func (e *Engine) wait(ctx context.Context, w *waiter) error {
	for !w.ready.Load() {
		if !e.lead.CompareAndSwap(nil, w) {
			if err := e.park(ctx, w); err != nil {
				return err
			}
			continue
		}
		err := e.drive(ctx, w)
		e.lead.Store(nil)
		e.promote()
		if err != nil && !w.ready.Load() {
			return err
		}
	}
	e.promote() // the token that ended a stay among the parked may have been for driving
	return nil
}

// spinTurns is how often an idle driver polls before it goes to sleep: some ten
// microseconds, what falling asleep and waking up costs.
const spinTurns = 100

// drive is the wait of the one who drives the engine.
func (e *Engine) drive(ctx context.Context, w *waiter) error {
	for idle := 0; ; {
		e.lock()
		n, err := e.turnLocked(w)
		e.mu.Unlock()
		if w.ready.Load() {
			return nil
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if n > 0 {
			idle = 0
			continue
		}
		idle++
		if e.busy && !w.background || idle < spinTurns {
			// At times, and first of all for those whom the last turn has woken.
			if idle%16 == 1 || e.wanted.Load() > 0 {
				runtime.Gosched()
			}
			continue
		}
		if err := e.doze(ctx, w, idle-spinTurns); err != nil {
			return err
		}
	}
}

// park is the wait of the others. It returns nil when w may be ready or the engine may
// need a driver.
func (e *Engine) park(ctx context.Context, w *waiter) error {
	for range 4 { // what runs now may end soon
		runtime.Gosched()
		if w.ready.Load() || e.lead.Load() == nil {
			return nil
		}
	}
	w.parked.Store(true)
	e.parkMu.Lock()
	e.parked = append(e.parked, w)
	e.numParked.Add(1)
	e.parkMu.Unlock()

	var err error
	if !w.ready.Load() && e.lead.Load() != nil {
		select {
		case <-w.wake:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}

	e.parkMu.Lock()
	if i := slices.Index(e.parked, w); i >= 0 {
		e.parked = slices.Delete(e.parked, i, i+1)
		e.numParked.Add(-1)
	}
	e.parkMu.Unlock()
	w.parked.Store(false)
	if err != nil && !w.ready.Load() {
		e.promote() // in case the token was for driving
		return err
	}
	return nil
}

// promote wakes one of those who wait if nobody drives the engine.
func (e *Engine) promote() {
	if e.numParked.Load() == 0 {
		return
	}
	e.parkMu.Lock()
	defer e.parkMu.Unlock()
	if len(e.parked) > 0 && e.lead.Load() == nil {
		e.parked[0].poke()
	}
}

// wakeAll makes everybody look again, after the end of the engine.
func (e *Engine) wakeAll() {
	e.sleep.kick()
	e.parkMu.Lock()
	defer e.parkMu.Unlock()
	for _, w := range e.parked {
		w.poke()
	}
}

// changedLocked wakes those who wait for a change of state. mu is held.
func (e *Engine) changedLocked() {
	for i, w := range e.changes {
		e.signal(w)
		e.changes[i] = nil
	}
	e.changes = e.changes[:0]
}

// awaitLocked waits until cond holds. mu is held at the call, at the return and while cond
// runs; cond is looked at again after each call of changed.
func (e *Engine) awaitLocked(ctx context.Context, cond func() bool) error {
	return e.awaitAsLocked(ctx, false, cond)
}

func (e *Engine) awaitAsLocked(ctx context.Context, background bool, cond func() bool) error {
	for !cond() {
		if e.dead {
			return e.Node.closedError("wait")
		}
		w := newWaiter()
		w.background = background
		e.changes = append(e.changes, w)
		e.mu.Unlock()
		err := e.wait(ctx, w)
		e.lock()
		if i := slices.Index(e.changes, w); i >= 0 {
			e.changes = slices.Delete(e.changes, i, i+1)
		}
		if err != nil && !cond() {
			return err
		}
	}
	return nil
}

// watchLocked counts an operation whose channel is open and sees to it that somebody drives
// the engine. mu is held.
func (e *Engine) watchLocked() {
	e.watched++
	if !e.background {
		e.background = true
		go e.driveWatched()
	}
}

// unwatchLocked ends watch. mu is held.
func (e *Engine) unwatchLocked() {
	e.watched--
	if e.watched == 0 {
		e.changedLocked()
	}
}

func (e *Engine) driveWatched() {
	e.lock()
	defer e.mu.Unlock()
	for {
		err := e.awaitAsLocked(context.Background(), true, func() bool { return e.watched == 0 })
		if err == nil || e.dead {
			e.background = false
			return
		}
		e.mu.Unlock() // DOCA failed a step; the operations are still in flight
		time.Sleep(10 * time.Millisecond)
		e.lock()
	}
}
