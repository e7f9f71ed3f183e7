package core

import (
	"sync/atomic"
	"time"
)

// patienceTime is how long nobody has driven the engine when a patient goroutine does.
const patienceTime = time.Millisecond

// patience gives the engine to patient goroutines when nobody else drives it. Their waits are served
// by whoever drives the engine. If one of them drove it between any two waits of others, each of those would
// have to be woken by it: twice the switches of goroutines. The engine's parkMu guards the fields.
type patience struct {
	leads atomic.Uint64 // how often a goroutine has begun to drive; not guarded
	armed bool          // the timer runs
	seen  uint64        // leads when the timer was set
	timer *time.Timer
}

// tryLead reports whether w drives the engine from now on.
func (e *Engine) tryLead(w *waiter) bool {
	if w.patient && !w.turn.Swap(false) || !e.lead.CompareAndSwap(nil, w) {
		return false
	}
	e.patience.leads.Add(1)
	return true
}

// relieve makes a patient goroutine that drives the engine leave it to the caller.
func (e *Engine) relieve() {
	if lead := e.lead.Load(); lead != nil && lead.patient {
		lead.yield.Store(true)
		e.sleep.kick()
	}
}

// armLocked sets the timer. The caller holds parkMu.
func (p *patience) armLocked(e *Engine) {
	if p.armed {
		return
	}
	p.armed, p.seen = true, p.leads.Load()
	if p.timer == nil {
		p.timer = time.AfterFunc(patienceTime, e.endPatience)
	} else {
		p.timer.Reset(patienceTime)
	}
}

// endPatience gives a patient goroutine its turn if nobody has driven the engine since the timer was
// set.
func (e *Engine) endPatience() {
	e.parkMu.Lock()
	defer e.parkMu.Unlock()
	e.patience.armed = false
	if len(e.parked) == 0 || e.lead.Load() != nil {
		return // who leaves sets the timer
	}
	if e.patience.leads.Load() != e.patience.seen {
		e.patience.armLocked(e)
		return
	}
	w := e.parked[0]
	w.turn.Store(true)
	w.poke()
}
