package core

import (
	"sync"

	"github.com/go-doca/go-doca/generated/abi"
)

// steps are those of closed engines. They are not freed but taken for the next engines: whoever finds the lock of an engine taken
// makes its step hurry, and the engine may be closed at that moment. A step that hurries for no reason does no harm.
var steps struct {
	sync.Mutex
	free []*abi.Step
}

// takeStep returns a step for an engine.
func takeStep() (*abi.Step, error) {
	steps.Lock()
	defer steps.Unlock()
	if last := len(steps.free) - 1; last >= 0 {
		s := steps.free[last]
		steps.free = steps.free[:last]
		return s, nil
	}
	s, err := abi.Alloc[abi.Step](1)
	if err != nil {
		return nil, err
	}
	return &s[0], nil
}

// giveStep takes the step of a closed engine back.
func giveStep(s *abi.Step) {
	steps.Lock()
	defer steps.Unlock()
	steps.free = append(steps.free, s)
}

// BeginStep returns a step of the engine for the next submission to make, or nil if the engine must not
// be driven now. A goroutine that sleeps until DOCA has something to do is left to it: waking it would
// cost more than the step saves. local says that the device does alone what is submitted. See bind.Link.
func (c *Link) BeginStep(local bool) *abi.Step {
	e := c.eng
	if e.dead || e.sleep.armed.Load() {
		return nil
	}
	room := e.roomLocked()
	if room <= 0 {
		return nil
	}
	e.step.Limit, e.step.Done, e.step.Linger = uint32(room), 0, 0
	if local && e.alone() {
		e.step.Linger = e.linger
	}
	return e.step
}

// lingerTime is for how many nanoseconds a step calls the DOCA engine while there is nothing to do, and holds the lock. That is
// longer than a small copy takes on a card, and even doubled, as it is when something ends meanwhile, less than the 20 microseconds
// after which Go takes a call into C for a slow one.
const lingerTime = 8000

// alone reports whether a step may linger: nobody else waits for the engine or its lock. Whoever comes later makes the step
// hurry. The caller holds the lock.
func (e *Engine) alone() bool { return e.lead.Load() == nil && !e.shared() }

// shared reports whether others than the goroutine that drives the engine wait for it, or for its lock. If not, it takes back what
// the last one of them has asked for. The caller holds the lock.
func (e *Engine) shared() bool {
	if e.numParked.Load() > 0 || e.tarrying.Load() > 0 {
		return true
	}
	e.step.Unhurry()
	return e.wanted.Load() > 0 // looked at last: who wants the lock says so first, and then makes the step hurry
}

// EndStep passes the records of the step to their contexts, as any step does.
func (c *Link) EndStep() {
	e := c.eng
	e.polls++
	e.drainLocked()
	if len(e.settling) > 0 && e.settleLocked() {
		e.progressLocked(stepLimit) // if it fails, so does the next step, and whoever drives the engine reports it
	}
}
