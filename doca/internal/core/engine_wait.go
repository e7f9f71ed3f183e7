package core

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// waiter is the wait of one goroutine for something that driving the engine brings about.
type waiter struct {
	ready  atomic.Bool
	parked atomic.Bool
	wake   chan struct{} // holds a token if w is ready or is asked to drive the engine

	local      bool // it waits for what the device does alone
	background bool // it drives the engine for others, who wait for a Done channel

	patient bool        // it leaves the engine to others: see patience
	turn    atomic.Bool // of a patient one: it may drive
	yield   atomic.Bool // of a patient one: somebody else wants to drive
}

func newWaiter() *waiter { return &waiter{wake: make(chan struct{}, 1)} }

// signal ends the wait of w. It may be called with or without mu.
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

// wait returns nil after w was signalled, ctx.Err() if ctx ends, or an error if the engine
// cannot go on. Until then the calling goroutine drives the engine, unless another one
// does.
func (e *Engine) wait(ctx context.Context, w *waiter) error {
	for !w.ready.Load() {
		if !e.tryLead(w) {
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
	e.promote() // the token that woke w may have asked it to drive
	return nil
}

// An idle driver polls spinTurns times before it sleeps: for some ten microseconds, the cost of
// falling asleep and waking up. Each yieldTurns times it offers its core to other threads, one of which
// may have to run so that there is something to do: a peer on this machine, or another goroutine's.
// Who waits for what the device does alone does not offer it in the first localTurns, some microseconds: that is what a small copy
// takes on a card, and nobody else can make it end sooner. Who waits alone, too, spends the first turn in C.
const (
	spinTurns  = 100
	yieldTurns = 4
	localTurns = 32
)

// drive is the wait of the goroutine that drives the engine.
func (e *Engine) drive(ctx context.Context, w *waiter) error {
	for idle := 0; ; {
		if locked, err := e.lockToDrive(ctx, w); !locked {
			return err
		}
		linger := uint32(0)
		if w.local && idle == 0 && !e.shared() {
			linger = e.linger
		}
		n, err := e.turnLocked(w, linger)
		e.mu.Unlock()
		if w.ready.Load() {
			return nil
		}
		if err != nil {
			return err
		}
		if w.yield.Swap(false) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if n > 0 {
			idle = 0 // the step may have woken others, who need a core
			continue
		}
		idle++
		polls := e.busy && !w.background || idle < spinTurns
		if polls {
			// Now and then, and always for those that the last step has woken, and those that may have more to submit.
			if e.wanted.Load() > 0 || w.local && e.numParked.Load()+e.tarrying.Load() > 0 {
				runtime.Gosched()
			} else if e.yielding.due(idle) {
				e.yielding.yield()
			}
			if idle%yieldTurns == 1 && !e.busy && !(w.local && idle < localTurns) {
				polls = cores.offer()
			}
		}
		if polls {
			continue
		}
		if err := e.doze(ctx, w, max(idle-spinTurns, 0)); err != nil {
			return err
		}
	}
}

// park is the wait of the other goroutines. It returns nil when w may be ready or the
// engine may need a driver.
func (e *Engine) park(ctx context.Context, w *waiter) error {
	if !w.patient {
		e.relieve()
		if e.tarry(w) {
			return nil
		}
	}
	w.parked.Store(true)
	e.parkMu.Lock()
	e.parked = append(e.parked, w)
	e.numParked.Add(1)
	e.parkMu.Unlock()

	var err error
	if w.patient {
		e.promote() // somebody has to come back to w if nobody drives
	}
	if !w.ready.Load() && (w.patient || e.lead.Load() != nil) {
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
		e.promote() // the token may have asked w to drive
		return err
	}
	return nil
}

// tarry is the begin of park, for the operation may end soon. It reports whether w may be ready or the engine may need a driver. One
// goroutine at a time does so for as long as a step lingers: parking it and waking it up would cost more than a small copy takes.
func (e *Engine) tarry(w *waiter) bool {
	var until time.Time
	if w.local && e.tarrying.CompareAndSwap(0, 1) {
		defer e.tarrying.Store(0)
		until = time.Now().Add(lingerTime)
	}
	for turn := 0; turn < 4 || !until.IsZero() && time.Now().Before(until); turn++ {
		runtime.Gosched()
		if w.ready.Load() || e.lead.Load() == nil {
			return true
		}
	}
	return false
}

// promote wakes one parked goroutine if nobody drives the engine. A patient one has its turn later.
func (e *Engine) promote() {
	if e.numParked.Load() == 0 {
		return
	}
	e.parkMu.Lock()
	defer e.parkMu.Unlock()
	if len(e.parked) == 0 || e.lead.Load() != nil {
		return
	}
	for _, w := range e.parked {
		if !w.patient {
			w.poke()
			return
		}
	}
	e.patience.armLocked(e)
}

// wakeAll makes all parked goroutines look again after the end of the engine.
func (e *Engine) wakeAll() {
	e.sleep.kick()
	e.parkMu.Lock()
	defer e.parkMu.Unlock()
	for _, w := range e.parked {
		w.poke()
	}
}

// changedLocked wakes those who wait for a change of state.
func (e *Engine) changedLocked() {
	for i, w := range e.changes {
		e.signal(w)
		e.changes[i] = nil
	}
	e.changes = e.changes[:0]
}

// awaitLocked waits until cond holds. It calls cond with mu held, again after each
// changedLocked, and releases mu while it waits.
func (e *Engine) awaitLocked(ctx context.Context, cond func() bool) error {
	return e.awaitAsLocked(ctx, false, false, cond)
}

// awaitAsLocked is awaitLocked for a user, in the background, or with patience.
func (e *Engine) awaitAsLocked(ctx context.Context, background, patient bool, cond func() bool) error {
	for !cond() {
		if e.dead {
			return e.Node.closedError("wait")
		}
		w := e.changeWaiterLocked(background, patient)
		e.changes = append(e.changes, w)
		e.mu.Unlock()
		err := e.wait(ctx, w)
		e.lock()
		if i := slices.Index(e.changes, w); i >= 0 {
			e.changes = slices.Delete(e.changes, i, i+1)
		}
		if !background && !patient { // nobody ends its wait any more; a late token wakes the next one in vain
			e.spare = append(e.spare, w)
		}
		if err != nil && !cond() {
			return err
		}
	}
	return nil
}

// changeWaiterLocked returns a waiter for a change of state: one that was used before, if it is neither for the background nor patient.
// Others may still look at what is fixed in it.
func (e *Engine) changeWaiterLocked(background, patient bool) *waiter {
	last := len(e.spare) - 1
	if background || patient || last < 0 {
		w := newWaiter()
		w.background, w.patient = background, patient
		w.turn.Store(patient)
		return w
	}
	w := e.spare[last]
	e.spare = e.spare[:last]
	w.ready.Store(false)
	return w
}

// watchLocked counts an operation whose channel is open, and starts a goroutine that drives
// the engine unless there is one.
func (e *Engine) watchLocked() {
	e.watched++
	if !e.background {
		e.background = true
		go e.driveWatched()
	}
}

// unwatchLocked undoes watchLocked.
func (e *Engine) unwatchLocked() {
	e.watched--
	if e.watched == 0 {
		e.changedLocked()
	}
}

// driveWatched drives the engine as long as an operation is watched.
func (e *Engine) driveWatched() {
	e.lock()
	defer e.mu.Unlock()
	for {
		err := e.awaitAsLocked(context.Background(), true, false, func() bool { return e.watched == 0 })
		if err == nil || e.dead {
			e.background = false
			return
		}
		e.mu.Unlock() // DOCA failed a step; the operations are still in flight
		time.Sleep(10 * time.Millisecond)
		e.lock()
	}
}
