package core

import (
	"runtime"
	"time"
)

// yielding decides when an idle driver lets other goroutines run. Right after the first poll that finds nothing is the best time if there
// are some: what they do may be what the driver waits for, and each poll would keep them. If there are none, and a processor of
// Go's is idle, the scheduler wakes a thread for it to look for some, which costs as much as dozens of polls, and a core that others may need. Nobody
// can ask whether there are any. But how long the others took tells, afterwards. The driver of the engine alone uses it.
type yielding struct {
	wasted int // how often in a row it has woken a thread for nothing
	spared int // how many were left out since one was tried
}

const (
	yieldEvery = 16 // polls

	// A goroutine takes longer than wakeMost to do anything of use. Where nobody has to be woken, to look takes less than wakeLeast.
	wakeLeast = time.Microsecond
	wakeMost  = 4 * time.Microsecond

	wasteLimit = 8  // from then on they are left out
	spareLimit = 64 // but for one in so many, which is some 100 microseconds of polling
)

// due reports whether to let others run after so many polls in a row that found nothing.
func (y *yielding) due(idle int) bool {
	switch {
	case idle%yieldEvery != 1:
		return false
	case y.wasted < wasteLimit:
		return true
	}
	y.spared++
	return y.spared >= spareLimit
}

// yield lets others run.
func (y *yielding) yield() {
	start := time.Now()
	runtime.Gosched()
	y.took(time.Since(start))
}

// took records how long it was until the driver ran again.
func (y *yielding) took(d time.Duration) {
	y.spared = 0
	if d >= wakeMost {
		y.wasted = 0
		return
	}
	if d >= wakeLeast {
		y.wasted = min(y.wasted+1, wasteLimit)
	}
}
