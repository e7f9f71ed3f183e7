package bind

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Link is the inner part of a context, its place at the engine: what a package that
// binds a DOCA library works with. The package's own inner objects may refer to it, but
// not to the [doca.Context], whose loss is how a leak is noticed.
//
// A Link must be locked wherever it says so; the lock is that of the engine.
type Link struct{ l core.Link }

// Lock takes the engine's lock for an operation; every DOCA call on the context and
// its tasks is made under it. If the state does not allow the operation it returns a
// [*StateError], and the lock is not held. What is done under the lock must not block.
func (l *Link) Lock(op Op, name string) error { return l.l.Lock(core.Op(op), name) }

// LockAlways is Lock for what is possible in every state and after Close, such as
// looking at the package's own data.
func (l *Link) LockAlways() { l.l.LockAlways() }

// Unlock ends what Lock began.
func (l *Link) Unlock() { l.l.Unlock() }

// Check returns a [*StateError] if the state does not allow the operation. The lock is
// held.
func (l *Link) Check(op Op, name string) error { return l.l.Check(core.Op(op), name) }

// Running tells whether tasks can be submitted, like Check without the error. The lock is held.
func (l *Link) Running() bool { return l.l.Running() }

// Raw returns DOCA's own object, for use under the lock.
func (l *Link) Raw() *common.Ctx { return l.l.Raw() }

// Ring returns the ring of the engine, for submissions to a queue (see abi.Queue).
func (l *Link) Ring() *abi.Ring { return l.l.Ring() }

// Call makes a DOCA call during which callbacks may run, and hands their records to their
// contexts. The lock is held; it must not be called from Handle and its like.
func (l *Link) Call(f func(ring *abi.Ring) error) error { return l.l.Call(f) }

// Payload returns the bytes that came with a record, such as a message. They are valid during
// the call of Handle that has the record.
func (l *Link) Payload(r *abi.Record) []byte { return l.l.Payload(r) }

// Step drives the engine one step, which does as much as a step can: for who may find afterwards
// that there is nothing to wait for. What is wrong with it comes out when somebody waits. The
// lock is held; it must not be called from Handle and its like.
func (l *Link) Step() { l.l.Step() }

// Submitted says that n tasks were submitted: until as many have Finished, the context
// does not become idle. The lock is held.
func (l *Link) Submitted(n int) { l.l.Submitted(n) }

// Finished says that n tasks have ended. The lock is held.
func (l *Link) Finished(n int) { l.l.Finished(n) }

// Faulted notes why the context stops by itself, for the [StateError] of later calls.
// The first cause since the start counts. The lock is held.
func (l *Link) Faulted(err error) { l.l.Faulted(err) }

// Await waits until cond holds, and drives the engine meanwhile. The lock is held at the
// call and at the return, and while cond runs; cond is looked at again after each call of
// [Link.Wake] and after each change of a context's state.
func (l *Link) Await(ctx context.Context, cond func() bool) error { return l.l.Await(ctx, cond) }

// Insist is Await that drives the engine even where a context has no room. It is for taking
// things down.
func (l *Link) AwaitDrained(ctx context.Context, cond func() bool) error {
	return l.l.AwaitDrained(ctx, cond)
}

// Wake makes those in Await look again. The lock is held.
func (l *Link) Wake() { l.l.Wake() }

// Watch has a goroutine drive the engine until Unwatch has been called as often as Watch: for
// what somebody waits for elsewhere. The lock is held.
func (l *Link) Watch() { l.l.Watch() }

// Unwatch takes a Watch back. The lock is held.
func (l *Link) Unwatch() { l.l.Unwatch() }

// Resume says that the context has room again (see [ContextConfig].Room). The lock is held.
func (l *Link) Resume() { l.l.Resume() }

// WaitIdle waits until a stop that is under way has ended, such as that after a fatal
// error. It returns at once if the context is not stopping. The lock is not held.
func (l *Link) WaitIdle(ctx context.Context) error { return l.l.WaitIdle(ctx) }

// String names the context.
func (l *Link) String() string { return l.l.String() }
