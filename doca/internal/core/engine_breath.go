package core

import (
	"runtime"
	"time"
)

// breath decides when a goroutine that does one operation after another lets Go's scheduler run. The runtime preempts a goroutine
// that has run for 10 ms. If it is in C then, as one that waits for a device nearly always is, the runtime takes its processor away,
// and for the next milliseconds a thread of the runtime looks every 20 µs whether there is more to take. These looks disturb the core
// that the goroutine is on, or the one that its peer is on. A goroutine that has let the scheduler run before is left alone.
type breath struct {
	left   int           // uses of the engine before the one that looks at the clock
	every  int           // uses between two looks
	looked time.Duration // when; all times are since the program started
	last   time.Duration // the last breath
}

const (
	breathTime  = 5 * time.Millisecond // half of the runtime's
	breathLooks = 8                    // in that time
	breathUses  = 1024                 // at most between two looks: operations may become slower
)

var started = time.Now()

// due reports whether it is time for a breath, and when to look again.
func (b *breath) due(now time.Duration) bool {
	const look = breathTime / breathLooks
	took, uses := now-b.looked, b.every
	b.looked = now
	b.every = min(2*uses+1, breathUses)
	if took > look {
		b.every = max(1, int(time.Duration(uses)*look/took))
	}
	b.left = b.every - 1
	if took > breathTime*time.Duration(uses) { // nobody runs for so long: the engine was idle
		b.last = now
		return false
	}
	if now-b.last < breathTime {
		return false
	}
	b.last = now
	return true
}

// usedLocked counts a use of the engine by a goroutine that may use it again and again. It reports whether the goroutine still has
// the lock: otherwise it has let the scheduler run.
func (e *Engine) usedLocked() bool {
	e.breath.left--
	return e.breath.left >= 0 || !e.breatheLocked()
}

// breatheLocked lets the scheduler run if it is time to. It reports whether it has, and has released the lock for that.
func (e *Engine) breatheLocked() bool {
	if !e.breath.due(time.Since(started)) {
		return false
	}
	e.mu.Unlock()
	runtime.Gosched()
	return true
}
