package core

import (
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
)

// mutex is a sync.Mutex for which one goroutine at a time can wait, but with an end. For all others there is TryLock.
type mutex struct {
	state atomic.Int32
	woken chan struct{} // has room for one
}

// The states of a mutex.
const (
	mutexFree int32 = iota
	mutexTaken
	mutexAwaited  // and somebody waits until it is free
	mutexPromised // and somebody waits who gets it as it is
)

func newMutex() mutex { return mutex{woken: make(chan struct{}, 1)} }

// TryLock reports whether it has taken the mutex.
func (m *mutex) TryLock() bool { return m.state.CompareAndSwap(mutexFree, mutexTaken) }

// Unlock frees the mutex.
func (m *mutex) Unlock() {
	if !m.state.CompareAndSwap(mutexTaken, mutexFree) {
		m.unlockAwaited()
	}
}

// unlockAwaited is Unlock where somebody waits, or has done so until now. It would be much code in each Unlock.
//
//go:noinline
func (m *mutex) unlockAwaited() {
	for {
		is, next := m.state.Load(), mutexFree
		switch is {
		case mutexFree:
			panic("doca: the lock of an engine is released, and nobody has it")
		case mutexPromised:
			next = mutexTaken
		}
		if m.state.CompareAndSwap(is, next) {
			if is != mutexTaken {
				m.woken <- struct{}{}
			}
			return
		}
	}
}

// demand has whoever has the mutex pass it on, and takes it, if that is done after so many looks. Who uses the mutex again and again has it
// nearly all the time, so that TryLock may fail hundreds of times; and to be woken takes as long as hundreds of uses.
func (m *mutex) demand(looks int) bool {
	if m.TryLock() {
		return true
	}
	if !m.state.CompareAndSwap(mutexTaken, mutexPromised) {
		return false
	}
	for range looks {
		abi.Pause(demandPause)
		if len(m.woken) > 0 {
			<-m.woken
			return true
		}
	}
	if m.state.CompareAndSwap(mutexPromised, mutexTaken) {
		return false
	}
	<-m.woken // it was unlocked at this moment
	return true
}

// await waits for the mutex and takes it. It returns false without it if done or wake, which may be nil, ends that first. It lets
// others take it who come while it wakes up, but not for long.
func (m *mutex) await(done, wake <-chan struct{}) bool {
	for start := time.Now(); ; {
		if m.TryLock() {
			return true
		}
		wait := mutexAwaited
		if time.Since(start) > lookTime {
			wait = mutexPromised
		}
		if !m.state.CompareAndSwap(mutexTaken, wait) {
			continue
		}
		ended := true
		select {
		case <-m.woken:
			ended = false
		case <-done:
		case <-wake:
		}
		if ended {
			if m.state.CompareAndSwap(wait, mutexTaken) {
				return false
			}
			<-m.woken // it was unlocked at this moment
		}
		if wait == mutexPromised {
			return true
		}
		if ended {
			return false
		}
	}
}
