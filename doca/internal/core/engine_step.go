package core

import "github.com/go-doca/go-doca/generated/abi"

// BeginStep returns a step of the engine for the next submission to make, or nil if the engine must not
// be driven now. A goroutine that sleeps until DOCA has something to do is left to it: waking it would
// cost more than the step saves. See bind.Link.
func (c *Link) BeginStep() *abi.Step {
	e := c.eng
	if e.dead || e.sleep.armed.Load() {
		return nil
	}
	room := e.roomLocked()
	if room <= 0 {
		return nil
	}
	e.step.Limit, e.step.Done = uint32(room), 0
	return e.step
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
