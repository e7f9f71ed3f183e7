package core

import (
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// stepLimit limits what one step handles, so that nobody waits long for the lock.
const stepLimit = 256

// progressLocked is one step. It runs DOCA's engine until there is nothing to do or limit
// is reached, passes the records to their contexts, and moves stopping contexts on.
func (e *Engine) progressLocked(limit int) (int, error) { return e.progressForLocked(limit, 0) }

// progressForLocked is progressLocked that lingers for some nanoseconds if there is nothing to do.
func (e *Engine) progressForLocked(limit int, linger uint32) (int, error) {
	total := 0
	for {
		if e.dead {
			return total, e.Node.closedError("progress")
		}
		room := e.roomLocked()
		if room == 0 {
			return total, nil
		}
		if e.sleep.armed.Load() {
			if err := e.disarmLocked(); err != nil {
				return total, e.Node.Fail("clear notification", err, "")
			}
		}
		e.polls++
		e.step.Limit, e.step.Linger = uint32(min(room, limit)), linger
		err := common.PEProgressStep(e.step)
		total += int(e.step.Done)
		e.drainLocked()
		if err != nil {
			return total, e.Node.Fail("progress", err, "")
		}
		if err := e.loss; err != nil {
			e.loss = nil
			return total, err
		}
		if !e.settleLocked() {
			return total, nil
		}
	}
}

// turnLocked is one step for the waiting w.
func (e *Engine) turnLocked(w *waiter, linger uint32) (int, error) {
	limit := e.pace.limit()
	n, err := e.progressForLocked(limit, linger)
	e.pace.stepped(n, limit)
	if w.ready.Load() {
		e.pace.served()
	}
	return n, err
}

// try is one step for the waiting w if nobody uses the engine at the moment. If the step
// fails, so does the next one, and whoever drives the engine then reports it.
func (e *Engine) try(w *waiter) {
	if e.mu.TryLock() {
		linger := uint32(0)
		if w.local && e.alone() {
			linger = e.linger
		}
		e.turnLocked(w, linger)
		e.mu.Unlock()
	}
}

// calmLocked reports whether drainLocked has nothing to do, as after most steps of blocking operations.
func (e *Engine) calmLocked() bool {
	seen, lost := abi.OverflowChanges()
	return len(e.ring.Records()) == 0 && seen == e.overflow.seen && lost == e.overflow.lost && e.ring.Lost() == e.lost && len(e.later) == 0
}

// drainLocked passes the records in the ring to their contexts.
func (e *Engine) drainLocked() {
	if e.calmLocked() {
		return
	}
	e.collectLocked()
	recs := e.ring.Records()
	for len(recs) > 0 {
		id, kind := recs[0].Ctx, recs[0].Kind
		n := 1
		for n < len(recs) && recs[n].Ctx == id && recs[n].Kind == kind {
			n++
		}
		c := e.contextLocked(id)
		switch {
		case c == nil:
			e.strayLocked(recs[:n])
		case kind == common.KindCtxStateChanged:
			for i := range recs[:n] {
				c.enterLocked(State(recs[i].Args[1]))
			}
		default:
			c.handle(recs[:n])
		}
		recs = recs[n:]
	}
	e.ring.Reset()
	e.checkLostLocked()
	e.laterLocked()
}

// laterLocked calls the Later functions that were asked for.
func (e *Engine) laterLocked() {
	for i, c := range e.later {
		e.later[i], c.wantsLater = nil, false
		c.later()
	}
	e.later = e.later[:0]
}

// strayLocked fails the contexts to which records without a context may belong. If there is none,
// the next step reports the loss. mu is held.
func (e *Engine) strayLocked(recs []abi.Record) {
	for i := range recs {
		e.strays++
		meant := e.meantLocked(&recs[i])
		for _, c := range meant {
			c.failLocked(c.Node.Fail("receive an event", abi.ErrorUnexpected,
				"DOCA did not say which context an event or completion is for, and it may be for this one: the context stops, and what it was doing is not complete"))
		}
		if len(meant) == 0 {
			e.loss = e.Node.Fail("progress", abi.ErrorUnexpected,
				fmt.Sprintf("an event or completion was for no context of this engine (%d so far)", e.strays))
		}
	}
}

// meantLocked returns the contexts to which a record without a context may belong: those that say
// so, else those that cannot tell. mu is held.
func (e *Engine) meantLocked(rec *abi.Record) []*Link {
	var sure, maybe []*Link
	for _, c := range e.contexts {
		switch {
		case c == nil || c.state == StateIdle:
		case c.owns == nil:
			maybe = append(maybe, c)
		case c.owns(rec):
			sure = append(sure, c)
		}
	}
	if len(sure) > 0 {
		return sure
	}
	return maybe
}

// checkLostLocked fails all contexts if callbacks found no memory for their records: any of them
// may wait for one. mu is held.
func (e *Engine) checkLostLocked() {
	lost := e.ring.Lost() - e.lost
	e.lost += lost
	if lost += e.overflow.newLost(); lost == 0 {
		return
	}
	e.loss = e.Node.Fail("progress", abi.ErrorNoMemory, fmt.Sprintf("%d completions were lost; close the engine", lost))
	for _, c := range e.contexts {
		if c != nil {
			c.failLocked(e.loss)
		}
	}
}

// contextLocked returns the context with a number, or nil.
func (e *Engine) contextLocked(id abi.Data) *Link {
	if i := id - e.first; i < abi.Data(len(e.contexts)) {
		return e.contexts[i]
	}
	return nil
}

// settleLocked moves stopping contexts on, and reports whether it did anything.
func (e *Engine) settleLocked() bool {
	moved := false
	for i := 0; i < len(e.settling); {
		c := e.settling[i]
		if c.settleLocked() {
			moved = true
		}
		if c.settledLocked() {
			last := len(e.settling) - 1
			e.settling[i] = e.settling[last]
			e.settling[last] = nil
			e.settling = e.settling[:last]
			continue
		}
		i++
	}
	return moved
}

// settleDueLocked reports whether settleLocked has something to do.
func (e *Engine) settleDueLocked() bool {
	return slices.ContainsFunc(e.settling, (*Link).dueLocked)
}

// connectLocked gives a context its number.
func (e *Engine) connectLocked(c *Link) {
	if c.room != nil {
		e.bounded = append(e.bounded, c)
	}
	for i, have := range e.contexts {
		if have == nil {
			e.contexts[i], c.index = c, i
			return
		}
	}
	c.index = len(e.contexts)
	e.contexts = append(e.contexts, c)
}

// forgetLocked undoes connectLocked.
func (e *Engine) forgetLocked(c *Link) {
	e.contexts[c.index] = nil
	e.bounded = slices.DeleteFunc(e.bounded, func(x *Link) bool { return x == c })
}

// roomLocked returns how many records the next step may handle. At 0 the engine must not be
// driven now.
func (e *Engine) roomLocked() int {
	if len(e.bounded) == 0 || e.insisted != 0 {
		return stepLimit
	}
	return e.leastRoomLocked()
}

// leastRoomLocked is roomLocked where contexts have bounds. It would be much code in each step.
//
//go:noinline
func (e *Engine) leastRoomLocked() int {
	room := stepLimit
	for _, c := range e.bounded {
		room = min(room, c.room())
	}
	return room
}

func (e *Engine) pausedLocked() bool { return e.roomLocked() == 0 }

// insistLocked adds n to the reasons for driving the engine even if a context has no room.
func (e *Engine) insistLocked(n int) {
	e.insisted += n
	if n > 0 && len(e.bounded) > 0 {
		e.sleep.kick()
	}
}
