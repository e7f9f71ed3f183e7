package doca

import (
	"context"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Lock takes the engine's lock for an operation; every DOCA call on the context and
// its tasks is made under it. If the state does not allow the operation it returns a
// [*StateError], and the lock is not held. What is done under the lock must not block.
func (c *Link) Lock(op Op, name string) error {
	c.eng.lock()
	if err := c.check(op, name); err != nil {
		c.eng.mu.Unlock()
		return err
	}
	return nil
}

// LockAlways is Lock for what is possible in every state and after Close, such as
// looking at the package's own data.
func (c *Link) LockAlways() { c.eng.lock() }

// Unlock ends what Lock began.
func (c *Link) Unlock() { c.eng.mu.Unlock() }

// Check returns a [*StateError] if the state does not allow the operation. The lock is
// held.
func (c *Link) Check(op Op, name string) error { return c.check(op, name) }

// Running tells whether tasks can be submitted, like Check without the error. The lock is held.
func (c *Link) Running() bool {
	return c.stateNow() == StateRunning && c.node.phase.Load() == phaseOpen
}

// Raw returns DOCA's own object, for use under the lock.
func (c *Link) Raw() *common.Ctx { return c.raw }

// Payload returns the bytes that came with a record, such as a message. They are valid during
// the call of Handle that has the record.
func (c *Link) Payload(r *abi.Record) []byte { return c.eng.ring.Payload(r) }

// Step drives the engine one step, which does as much as a step can: for who may find afterwards
// that there is nothing to wait for. What is wrong with it comes out when somebody waits. The
// lock is held; it must not be called from Handle and its like.
func (c *Link) Step() { c.eng.progress(stepLimit) }

// Ring returns the ring of the engine, for submissions to a queue (see abi.Queue).
func (c *Link) Ring() *abi.Ring { return c.eng.ring }

// Call makes a DOCA call during which callbacks may run, and hands their records to their
// contexts. The lock is held; it must not be called from Handle and its like.
func (c *Link) Call(f func(ring *abi.Ring) error) error {
	err := f(c.eng.ring)
	c.eng.drain()
	return err
}

// String names the context.
func (c *Link) String() string { return c.node.String() }

// Submitted says that n tasks were submitted: until as many have Finished, the context
// does not become idle. The lock is held.
func (c *Link) Submitted(n int) { c.inflight += n }

// Finished says that n tasks have ended. The lock is held.
func (c *Link) Finished(n int) { c.inflight -= n }

// Faulted notes why the context stops by itself, for the [StateError] of later calls.
// The first cause since the start counts. The lock is held.
func (c *Link) Faulted(err error) {
	if c.cause == nil {
		c.cause = err
	}
}

// WaitIdle waits until a stop that is under way has ended, such as that after a fatal
// error. It returns at once if the context is not stopping. The lock is not held.
func (c *Link) WaitIdle(ctx context.Context) error {
	c.eng.lock()
	defer c.eng.mu.Unlock()
	return c.eng.await(ctx, func() bool { return c.stateNow() != StateStopping })
}
