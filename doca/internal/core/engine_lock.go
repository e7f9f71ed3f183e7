package core

import (
	"runtime"
	"syscall"
)

// What the lock of an engine guards goes from core to core with it, which takes as long as some tens of small copies. So whoever
// has it should use it for a while, and those who wait should disturb little. One of them is the next one and looks for the lock;
// the others wait for that place, in the order in which they came. If the next one finds that somebody makes one step of the engine
// after another, it naps and looks again: being woken by an Unlock costs whoever makes these steps more than a copy. Else, or after
// some naps, it waits in the mutex, which lets nobody starve.
const (
	lockLooks = 8      // before a nap
	lockNaps  = 8      // at most
	napTime   = 50_000 // nanoseconds
	manySteps = 2      // made during the looks
)

// lockInTurn is lock for a goroutine that has found the lock taken.
func (e *Engine) lockInTurn() {
	e.wanted.Add(1)
	e.step.Hurry()
	e.next <- struct{}{}
	e.lockNext()
	<-e.next
	e.wanted.Add(-1)
}

// lockNext takes the lock for the next one.
func (e *Engine) lockNext() {
	for range lockNaps {
		before := e.step.Made()
		for range lockLooks {
			runtime.Gosched()
			if e.mu.TryLock() {
				return
			}
		}
		if e.step.Made()-before < manySteps {
			break // the lock is taken for long, or nobody has a core to use it
		}
		nap := syscall.NsecToTimespec(napTime)
		syscall.Nanosleep(&nap, nil) // a signal may end it sooner
	}
	e.mu.Lock()
}
