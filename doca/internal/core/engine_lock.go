package core

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
)

// What the lock of an engine guards goes from core to core with it, which takes as long as some tens of small copies. So whoever
// has it should use it for a while, and those who wait should disturb little. One of them is the next one and looks for the lock;
// the others wait for that place, in the order in which they came. If the next one finds that others do one thing after another on
// the engine, and each in less than stepTime, it leaves the lock to them for turnTime and looks only now and then whether they still
// use it: it takes the lock sooner if they have left. After that time whoever has the lock passes it on. Neither to park nor to sleep
// would do: being woken costs more than many such copies. Otherwise it waits in the mutex, which lets nobody starve.
const (
	lockLooks = 8
	lookTime  = time.Millisecond
	manySteps = 6 // of others that found something, during the looks, which take a microsecond or two
	stepTime  = 400 * time.Nanosecond

	turnTime   = 300 * time.Microsecond
	pauseTime  = 3000 // nanoseconds between two looks in a turn
	turnStalls = 8    // pauses in which those who have the lock do nothing: perhaps nobody has a core to use it

	demandLooks = 64 // for the lock that is to be passed on: some microseconds
	demandPause = 50 // nanoseconds between two of them
)

// lockable is the lock of an engine.
type lockable struct {
	mu     mutex
	breath breath        // guarded by mu
	wanted atomic.Int32  // number of goroutines that wait for mu
	next   chan struct{} // full: one of them is the next one
}

func newLockable() lockable { return lockable{mu: newMutex(), next: make(chan struct{}, 1)} }

// lock takes mu. Whoever drives the engine learns that somebody waits for it.
func (e *Engine) lock() {
	if !e.mu.TryLock() {
		e.lockInTurn(nil, nil)
	}
}

// lockFor is lock for somebody who does not wait longer than ctx. After an error the lock is not held.
func (e *Engine) lockFor(ctx context.Context) error {
	for e.mu.TryLock() {
		if e.usedLocked() {
			return nil
		}
	}
	return e.lockInTurnFor(ctx)
}

// lockInTurnFor is lockFor for a goroutine that has found the lock taken.
func (e *Engine) lockInTurnFor(ctx context.Context) error {
	if e.lockInTurn(ctx.Done(), nil) {
		return nil
	}
	return ctx.Err()
}

// lockToDrive is lockFor for the goroutine that drives the engine. It reports whether it has taken the lock: not if what w waits for has
// ended meanwhile, which somebody else's step has found, and not after an error.
func (e *Engine) lockToDrive(ctx context.Context, w *waiter) (bool, error) {
	for {
		for e.mu.TryLock() {
			if e.usedLocked() {
				return true, nil
			}
		}
		w.parked.Store(true) // so that signal wakes it
		got := !w.ready.Load() && e.lockInTurn(ctx.Done(), w.wake)
		w.parked.Store(false)
		if got {
			return true, nil
		}
		select {
		case <-w.wake: // of an earlier wait, or w is ready
		default:
		}
		if w.ready.Load() {
			return false, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
}

// lockInTurn is lock for a goroutine that has found the lock taken. It returns false without the lock if done or wake, which may be nil,
// ends that first.
func (e *Engine) lockInTurn(done, wake <-chan struct{}) (got bool) {
	e.wanted.Add(1)
	e.step.Hurry()
	select {
	case e.next <- struct{}{}:
		got = e.lookForLock(wake) || len(wake) == 0 && e.mu.await(done, wake)
		<-e.next
	case <-done:
	case <-wake:
	}
	e.wanted.Add(-1)
	return got
}

// lookForLock reports whether the next one has taken the lock. It stops looking when wake has a token, which it leaves there.
func (e *Engine) lookForLock(wake <-chan struct{}) bool {
	start, first := time.Now(), e.step.Found()
	last := first
	for range lockLooks {
		runtime.Gosched()
		found := e.step.Found()
		if found == last && e.mu.TryLock() {
			return true
		}
		last = found
		if len(wake) > 0 || time.Since(start) > lookTime { // with one processor, after a single look
			return false
		}
	}
	if last-first < manySteps || time.Since(start) > time.Duration(last-first)*stepTime {
		return false // the lock is taken for long, or nobody has a core to use it
	}
	return e.waitForTurn(start, last, wake)
}

// waitForTurn leaves the lock to others as long as they use it, but not longer than a turn. It reports whether it has taken the lock.
func (e *Engine) waitForTurn(start time.Time, last uint32, wake <-chan struct{}) bool {
	for stalls := 0; stalls < turnStalls; {
		abi.Pause(pauseTime)
		found := e.step.Found()
		waited := time.Since(start)
		if found == last && e.mu.TryLock() || waited > turnTime && e.mu.demand(demandLooks) {
			return true
		}
		if waited > lookTime || len(wake) > 0 {
			return false
		}
		if found == last {
			stalls++
		}
		last = found
	}
	return false
}
