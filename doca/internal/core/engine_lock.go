package core

import (
	"context"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// What the lock of an engine guards goes from core to core with it, which takes as long as some tens of small copies. So whoever
// has it should use it for a while, and those who wait should disturb little. One of them is the next one and looks for the lock;
// the others wait for that place, in the order in which they came. If the next one finds that others do one thing after another on
// the engine, and each in less than stepTime, it leaves the lock to them and naps before it tries to take it: being woken by an
// Unlock costs them more than such a copy. Else, or after a millisecond, it waits in the mutex, which lets nobody starve.
const (
	lockLooks = 8
	lookTime  = time.Millisecond
	napTime   = 50 * time.Microsecond
	manySteps = 6 // of others that found something, during the looks, which take a microsecond or two
	stepTime  = 400 * time.Nanosecond
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
		e.lockInTurn(nil)
	}
}

// lockFor is lock for somebody who does not wait longer than ctx. After an error the lock is not held.
func (e *Engine) lockFor(ctx context.Context) error {
	if e.mu.TryLock() {
		e.usedLocked()
		return nil
	}
	return e.lockInTurnFor(ctx)
}

// lockInTurnFor is lockFor for a goroutine that has found the lock taken.
func (e *Engine) lockInTurnFor(ctx context.Context) error {
	if e.lockInTurn(ctx.Done()) {
		return nil
	}
	return ctx.Err()
}

// lockInTurn is lock for a goroutine that has found the lock taken. It returns false without the lock if done, which may be nil, is
// closed first.
func (e *Engine) lockInTurn(done <-chan struct{}) (got bool) {
	e.wanted.Add(1)
	e.step.Hurry()
	select {
	case e.next <- struct{}{}:
		got = e.lookForLock() || e.mu.await(done)
		<-e.next
	case <-done:
	}
	e.wanted.Add(-1)
	return got
}

// lookForLock reports whether the next one has taken the lock.
func (e *Engine) lookForLock() bool {
	start := time.Now()
	for rested := false; ; rested = true {
		first, from := e.step.Found(), time.Now()
		last := first
		for range lockLooks {
			runtime.Gosched()
			found := e.step.Found()
			if (rested || found == last) && e.mu.TryLock() {
				return true
			}
			last = found
			if time.Since(start) > lookTime { // with one processor, after a single look
				return false
			}
		}
		if last-first < manySteps || time.Since(from) > time.Duration(last-first)*stepTime {
			return false // the lock is taken for long, or nobody has a core to use it
		}
		nap := syscall.NsecToTimespec(int64(napTime))
		syscall.Nanosleep(&nap, nil) // a signal may end it sooner
	}
}
