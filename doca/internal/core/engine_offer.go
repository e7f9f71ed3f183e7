package core

import (
	"sync/atomic"
	"syscall"
	"time"
)

// offers is how the idle drivers of all engines offer their cores to other threads, of which one may be the peer's.
//
// The thread keeps its processor of Go's meanwhile. If it gave it up and other goroutines could run, Go's monitor thread would take it away
// as soon as the others have run for 20 µs, wake a thread for it, and look every 20 µs for more of that for the next millisecond: with a
// few connections at once that took a third of the processor time. But no goroutine runs on this processor of Go's until the others have had
// enough. Peers soon have, for they wait for this side in turn. If somebody else computes on the core it takes milliseconds; then it is
// better to sleep, for who is woken up has the core at once. So after an offer that was taken for long, drivers sleep for a while instead.
type offers struct {
	until atomic.Int64 // when to offer again; nanoseconds since the program started
	long  atomic.Int64 // longScore for each long offer, less one for each other since
}

const (
	longOffer  = time.Millisecond // longer than peers need
	longScore  = 8
	offerLimit = 3 * longScore // from then on drivers sleep
	offerPause = 20            // times as long as the last long offer
)

var cores offers

// offer lets other threads run. It reports false without that if the driver should sleep instead.
func (o *offers) offer() bool {
	start := time.Since(started)
	if int64(start) < o.until.Load() {
		return false
	}
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
	o.took(start, time.Since(started))
	return true
}

// took records when an offer has begun and ended. A single long one may be by chance: the system has let others run just then, as it does
// anyway.
func (o *offers) took(start, end time.Duration) {
	d, long := end-start, o.long.Load()
	switch {
	case d < longOffer && long > 0:
		o.long.Store(long - 1)
	case d < longOffer:
	case long+longScore < offerLimit:
		o.long.Store(long + longScore)
	default: // the next long offer, if it comes soon, is enough
		o.until.Store(int64(end + offerPause*d))
		o.long.Store(offerLimit - longScore)
	}
}
