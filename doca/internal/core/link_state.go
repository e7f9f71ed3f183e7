package core

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// State returns the state as of the last time that somebody drove the engine. A context
// that was told to stop is StateStopping, even while DOCA still runs it.
func (c *Link) State() State {
	c.eng.lock()
	defer c.eng.mu.Unlock()
	return c.stateLocked()
}

func (c *Link) stateLocked() State {
	switch {
	case c.Node.phase.Load() == phaseClosed:
		return StateClosed
	case c.stop:
		return StateStopping
	}
	return c.state
}

// SetProfilerRanges sets how many tasks of each type a profiler may show at a time.
func (c *Link) SetProfilerRanges(n int) error {
	const op = "set profiler ranges"
	if err := c.Lock(OpConfigure, op); err != nil {
		return err
	}
	defer c.Unlock()
	if n < 1 || n > math.MaxUint8 {
		return Fail(op, c.Node.String(), abi.ErrorInvalidValue, fmt.Sprintf("%d ranges: want 1 to %d", n, math.MaxUint8))
	}
	return Fail(op, c.Node.String(), common.CtxProfilerSetMaxNranges(c.raw, uint8(n)), "")
}

// engineBusy is what to say if a context.Context has ended before the engine's lock was free.
const engineBusy = "another goroutine uses the engine"

// Start starts the context and waits until it runs.
func (c *Link) Start(ctx context.Context) error {
	if err := NeedContext(ctx, "start", c.Node); err != nil {
		return err
	}
	e := c.eng
	if err := e.lockFor(ctx); err != nil {
		return c.Node.Fail("start", err, engineBusy)
	}
	defer e.mu.Unlock()
	if err := e.awaitLocked(ctx, func() bool { return c.stateLocked() != StateStopping }); err != nil {
		return c.Node.Fail("start", err, "the context is still stopping")
	}
	if err := c.checkLocked(OpStart, "start"); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return c.Node.Fail("start", err, "nothing has begun")
	}
	c.cause = nil
	err := common.CtxStart(e.ring, c.raw)
	e.drainLocked()
	switch {
	case err == nil:
		if c.state == StateIdle || c.state == StateStarting { // the callback may have said so already
			c.enterLocked(StateRunning)
		}
		return nil
	case !errors.Is(err, abi.ErrorInProgress):
		advice := ""
		if errors.Is(err, abi.ErrorInitialization) && c.started {
			advice = "the context has run before, so its device is gone: close the device, open it again, and make its memory and contexts again"
		}
		return c.Node.Fail("start", err, advice)
	}
	if c.state == StateIdle {
		c.enterLocked(StateStarting)
	}
	return c.waitRunningLocked(ctx)
}

// WaitRunning waits for the end of a start that is under way.
func (c *Link) WaitRunning(ctx context.Context) error {
	if err := NeedContext(ctx, "wait", c.Node); err != nil {
		return err
	}
	if err := c.eng.lockFor(ctx); err != nil {
		return c.Node.Fail("start", err, engineBusy)
	}
	defer c.eng.mu.Unlock()
	return c.waitRunningLocked(ctx)
}

func (c *Link) waitRunningLocked(ctx context.Context) error {
	if err := c.eng.awaitLocked(ctx, func() bool { return c.state != StateStarting }); err != nil {
		return c.Node.Fail("start", err, "the start goes on")
	}
	return c.checkLocked(OpSubmit, "start")
}

// Stop stops the context and waits until it is idle.
func (c *Link) Stop(ctx context.Context) error { return c.halt(ctx, "stop") }

// WaitIdle waits for the end of a stop that is under way. It returns at once if the context
// is not stopping.
func (c *Link) WaitIdle(ctx context.Context) error {
	if err := c.Node.noneError("wait"); err != nil {
		return err
	}
	if err := NeedContext(ctx, "wait", c.Node); err != nil {
		return err
	}
	if err := c.eng.lockFor(ctx); err != nil {
		return err
	}
	defer c.eng.mu.Unlock()
	return c.eng.awaitLocked(ctx, func() bool { return c.stateLocked() != StateStopping })
}

// halt stops the context and waits until it is idle. op is "stop" or "close".
func (c *Link) halt(ctx context.Context, op string) error {
	if err := c.Node.noneError(op); err != nil {
		return err
	}
	if err := NeedContext(ctx, op, c.Node); err != nil {
		return err
	}
	e := c.eng
	if err := e.lockFor(ctx); err != nil {
		return c.Node.Fail(op, err, engineBusy)
	}
	defer e.mu.Unlock()
	if c.halted != nil {
		c.halted()
	}
	if c.state == StateIdle {
		return nil
	}
	if c.state == StateStopping && c.runsLocked() { // an earlier doca_ctx_stop was not carried out
		c.state = StateRunning
	}
	c.stopErr = nil
	c.setStopLocked(true)
	c.enqueueLocked()
	if e.settleLocked() {
		if _, err := e.progressLocked(stepLimit); err != nil {
			return c.Node.Fail(op, err, "")
		}
	}
	limited, cancel := c.limitStop(ctx)
	defer cancel()
	before := c.stops
	ended := func() bool { return c.state == StateIdle || c.stops != before } // others may start it again at once
	err := e.awaitLocked(limited, func() bool { return ended() || c.stopErr != nil })
	if err == nil {
		err = c.stopErr
	}
	if ended() {
		return nil
	}
	advice := ""
	if ctx.Err() != nil {
		advice = "the stop goes on"
	} else if limited.Err() != nil {
		err, advice = abi.ErrorTimeOut, fmt.Sprintf("DOCA has not stopped it within %v, and the stop goes on: call Close again", c.limit)
	}
	return c.Node.Fail(op, err, advice)
}

// failedEndLocked ends what failLocked began. mu is held.
func (c *Link) failedEndLocked() {
	if c.failing {
		c.failing = false
		c.eng.unwatchLocked()
	}
}

// runsLocked reports whether the context runs as far as DOCA knows. mu is held.
func (c *Link) runsLocked() bool {
	state, err := common.CtxGetState(c.raw)
	return err == nil && State(state) == StateRunning
}

// limitStop returns ctx, with the context's own limit if ctx can never end.
func (c *Link) limitStop(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.limit == 0 || ctx.Done() != nil {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.limit)
}

// failLocked stops the context because of err, as a fatal error of DOCA would. A goroutine drives
// the engine until it has stopped, for a peer may wait for that. mu is held.
func (c *Link) failLocked(err error) {
	c.Faulted(err)
	if c.failed != nil {
		c.failed(err)
	}
	if c.state == StateRunning || c.state == StateStarting {
		c.setStopLocked(true)
		c.enqueueLocked()
		if !c.failing {
			c.failing = true
			c.eng.watchLocked()
		}
	}
	c.eng.changedLocked()
}

// Fail stops the context because of err, as a fatal error of DOCA would, and does not wait for the tasks in flight: they may
// never end before DOCA flushes them.
func (c *Link) Fail(err error) {
	c.flush = true
	c.failLocked(err)
}

// setStopLocked says whether the context is to stop. Until it has, the engine is driven
// even if a context has no room.
func (c *Link) setStopLocked(stop bool) {
	if stop == c.stop {
		return
	}
	c.stop = stop
	if stop {
		c.eng.insistLocked(1)
	} else {
		c.eng.insistLocked(-1)
	}
}

// enqueueLocked puts the context on the list of those that Engine.settleLocked moves on.
func (c *Link) enqueueLocked() {
	if !c.queued {
		c.queued = true
		c.eng.settling = append(c.eng.settling, c)
	}
	c.nudgeLocked()
}

// nudgeLocked wakes the goroutine that drives the engine if the context has something to do on the way to idle: what
// has led to that may have happened outside of a step, while that goroutine sleeps.
func (c *Link) nudgeLocked() {
	if c.queued && c.dueLocked() {
		c.eng.sleep.kick()
	}
}

// dueLocked reports whether settleLocked has something to do.
func (c *Link) dueLocked() bool { return c.stopDueLocked() || c.releaseDueLocked() }

// stopDueLocked reports whether DOCA is to be told now that the context stops.
func (c *Link) stopDueLocked() bool {
	return c.stop && (c.state == StateStarting || c.state == StateRunning && (c.inflight == 0 || c.endless || c.flush))
}

// releaseDueLocked reports whether the context is to free its tasks now, which DOCA waits for.
func (c *Link) releaseDueLocked() bool {
	return c.state == StateStopping && c.inflight == 0 && !c.released
}

// settleLocked does the next thing on the way to idle, if it can be done now, and reports
// whether it did.
func (c *Link) settleLocked() bool {
	switch {
	case c.stopDueLocked():
		c.stopDOCALocked()
		return true
	case c.releaseDueLocked():
		c.released = true
		if c.release != nil {
			c.release()
		}
		return true
	}
	return false
}

// settledLocked reports whether settleLocked has nothing more to do for the context.
func (c *Link) settledLocked() bool {
	if c.stop || c.state == StateStopping {
		return false
	}
	c.queued = false
	return true
}

func (c *Link) stopDOCALocked() {
	e := c.eng
	if c.inflight == 0 && c.release != nil && c.state == StateRunning {
		c.released = true
		c.release()
	}
	err := common.CtxStop(e.ring, c.raw)
	e.drainLocked()
	switch {
	case err == nil:
		c.enterLocked(StateIdle)
	case errors.Is(err, abi.ErrorInProgress), errors.Is(err, abi.ErrorAgain), errors.Is(err, abi.ErrorInUse):
		if c.state == StateRunning || c.state == StateStarting { // the callback may have said so already
			c.enterLocked(StateStopping)
		}
	default:
		c.setStopLocked(false)
		c.failedEndLocked()
		c.released, c.stopErr = false, err
		e.changedLocked()
	}
}

// enterLocked records a change of state and tells those who want to know.
func (c *Link) enterLocked(s State) {
	if s == c.state {
		return
	}
	c.state = s
	switch s {
	case StateRunning:
		c.started = true
	case StateStopping:
		c.enqueueLocked()
	case StateIdle:
		c.stops++
		c.setStopLocked(false)
		c.released, c.flush = false, false
		c.failedEndLocked()
	}
	if c.changed != nil {
		c.changed(s)
	}
	c.eng.changedLocked()
}

// resumed wakes those who wait for a Close that has failed now. Who uses the engine meanwhile does not keep that Close from returning.
func (c *Link) resumed() {
	if c.eng.mu.TryLock() {
		c.eng.changedLocked()
		c.eng.mu.Unlock()
		return
	}
	go func() {
		c.eng.lock()
		defer c.eng.mu.Unlock()
		c.eng.changedLocked()
	}()
}

// close stops the context, waits until it is idle and destroys it.
func (c *Link) close(ctx context.Context) error {
	if err := c.halt(ctx, "close"); err != nil {
		return err
	}
	e := c.eng
	if err := e.lockFor(ctx); err != nil {
		return c.Node.Fail("close", err, engineBusy)
	}
	defer e.mu.Unlock()
	err := c.destroy(e.ring)
	e.drainLocked()
	if err != nil {
		return c.Node.Fail("close", err, "")
	}
	e.forgetLocked(c)
	e.changedLocked()
	return nil
}

// endingLocked reports whether the context stops or is being closed. After a Close that
// failed it is false until the next one.
func (c *Link) endingLocked() bool {
	return c.stop || c.state == StateStopping || c.Node.attempts.Load() > 0
}
