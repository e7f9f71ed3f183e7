package bind

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Link connects a binding to its context and to the context's engine.
// [ContextConfig].Create receives it. The inner objects of a binding refer to the Link and
// never to the [doca.Context]: the loss of the Context is how a leak is noticed.
//
// A Link has a lock, that of its engine, which all contexts of the engine share. It guards
// every DOCA call on the context and its tasks, and the binding's own data. Every method
// needs the lock, except Lock, LockAlways, WaitIdle and String. Do not block while you hold
// it.
type Link struct{ l core.Link }

// made reports whether the link has a context.
func (l *Link) made() bool { return l != nil && l.l.Node != nil }

// in returns the inner part, or that of no context.
func (l *Link) in() *core.Link {
	if l.made() {
		return &l.l
	}
	return core.NoLink
}

// Lock takes the lock for an operation. name names the operation in errors. If the state of
// the context does not allow op, Lock returns a [*doca.StateError] and does not hold the
// lock.
func (l *Link) Lock(op Op, name string) error { return l.in().Lock(core.Op(op), name) }

// LockFor is Lock that does not wait longer than ctx, which must not be nil: then it returns ctx.Err(), and does not hold the lock.
// Somebody may have the lock for long, during a call of DOCA that takes long.
func (l *Link) LockFor(ctx context.Context, op Op, name string) error {
	if err := NeedContext(ctx, name, l); err != nil {
		return err
	}
	return l.in().LockFor(ctx, core.Op(op), name)
}

// LockAlways takes the lock in every state, even after Close, for what needs no DOCA call.
func (l *Link) LockAlways() {
	if l.made() {
		l.l.LockAlways()
	}
}

// LockAlwaysFor is LockAlways that does not wait longer than ctx, which must not be nil: see LockFor.
func (l *Link) LockAlwaysFor(ctx context.Context) error {
	if err := NeedContext(ctx, "lock", l); err != nil {
		return err
	}
	return l.in().LockAlwaysFor(ctx)
}

// Unlock releases the lock.
func (l *Link) Unlock() {
	if l.made() {
		l.l.Unlock()
	}
}

// Check returns a [*doca.StateError] if the state of the context does not allow op.
func (l *Link) Check(op Op, name string) error { return l.in().Check(core.Op(op), name) }

// Running reports whether tasks can be submitted: whether Check(OpSubmit, ...) returns nil.
func (l *Link) Running() bool { return l.in().Running() }

// Raw returns DOCA's context.
func (l *Link) Raw() *common.Ctx { return l.in().Raw() }

// Ring returns the ring of the engine, for submissions to an [abi.Queue].
func (l *Link) Ring() *abi.Ring { return l.in().Ring() }

// Call makes a DOCA call during which callbacks may run, and passes their records to the
// contexts. If the engine is closed, it makes none and returns a [*doca.StateError]. Do not use it in
// Handle and the functions that have its rules.
func (l *Link) Call(f func(ring *abi.Ring) error) error {
	if !l.made() {
		return noLink("call DOCA")
	}
	if f == nil {
		return core.Fail("call DOCA", l.String(), abi.ErrorInvalidValue, "the function is nil")
	}
	return l.l.Call(f)
}

// Payload returns the bytes that came with a record, such as a message. They are valid
// until the Handle function that got the record returns.
func (l *Link) Payload(r *abi.Record) []byte {
	if !l.made() || r == nil {
		return nil
	}
	return l.l.Payload(r)
}

// Step drives the engine one step. Use it before a wait that the step may make unnecessary;
// whoever waits then finds its errors. Do not use it in Handle and the functions that have
// its rules.
func (l *Link) Step() {
	if l.made() {
		l.l.Step()
	}
}

// StepFor is like Step, but handles at most n completions and events, or one if n is less: it is for a caller that
// knows how many there are. Step finds out that there are no more by asking DOCA once more.
func (l *Link) StepFor(n int) {
	if l.made() {
		l.l.StepFor(n)
	}
}

// LocalStep is like Step, for a caller that waits for what the device does alone: see [Completion.InitLocal]. If there is nothing to do and
// nobody else waits for the engine or its lock, it waits for some microseconds, with the lock held. Whoever needs the lock ends that wait.
// LocalStep returns how many completions and events it has handled.
func (l *Link) LocalStep() int {
	if !l.made() {
		return 0
	}
	return l.l.LocalStep()
}

// LocalStepFor is like LocalStep, but handles at most n completions and events, or one if n is less: see [Link.StepFor].
func (l *Link) LocalStepFor(n int) int {
	if !l.made() {
		return 0
	}
	return l.l.LocalStepFor(n)
}

// BeginStep returns a step of the engine for the next submission to make at its end, in the same call into
// C: set the Step of the batch to it. It returns nil if the engine must not be driven now; such a batch makes
// no step. If the submission has succeeded, and what it began is counted by Submitted, call EndStep: what
// ended within the step has then been handled, and a blocking operation need not wait for it. Do not use it
// in Handle and the functions that have its rules.
func (l *Link) BeginStep() *abi.Step {
	if !l.made() {
		return nil
	}
	return l.l.BeginStep(false)
}

// BeginLocalStep is BeginStep for what the device does alone: see [Completion.InitLocal].
func (l *Link) BeginLocalStep() *abi.Step {
	if !l.made() {
		return nil
	}
	return l.l.BeginStep(true)
}

// EndStep passes on what came in the step of BeginStep. Call it only if that was not nil.
func (l *Link) EndStep() {
	if l.made() {
		l.l.EndStep()
	}
}

// Submitted counts n tasks as submitted. The context does not become idle until as many
// have been counted by Finished.
func (l *Link) Submitted(n int) {
	if l.made() {
		l.l.Submitted(n)
	}
}

// Finished counts n tasks as ended.
func (l *Link) Finished(n int) {
	if l.made() {
		l.l.Finished(n)
	}
}

// Later asks for a call of [ContextConfig].Later when all records of this step have been
// handled. Handle uses it for submissions: a later record of the same step may say that the
// context stops.
func (l *Link) Later() {
	if l.made() {
		l.l.Later()
	}
}

// Faulted notes why the context stops by itself. Later calls report it as the cause of
// their [doca.StateError]. Only the first cause after a start counts.
func (l *Link) Faulted(err error) {
	if l.made() {
		l.l.Faulted(err)
	}
}

// Fail stops the context because of err, as a failure of DOCA's does, and does not wait for its tasks: it is for tasks in
// flight that may never end by themselves. DOCA flushes them, and the context is idle afterwards.
func (l *Link) Fail(err error) {
	if l.made() {
		l.l.Fail(err)
	}
}

// Await waits until cond holds, and drives the engine meanwhile. It releases the lock while
// it waits and holds it again when it returns and whenever it calls cond, which is after
// each [Link.Wake] and after each change of a context's state. A Stop that waits for tasks
// is no change yet. If ctx ends first, Await returns ctx.Err().
//
//doca:noblock cond
func (l *Link) Await(ctx context.Context, cond func() bool) error {
	if err := l.canAwait(cond); err != nil {
		return err
	}
	return l.l.Await(ctx, cond)
}

// canAwait returns an error if there is nothing to wait for.
func (l *Link) canAwait(cond func() bool) error {
	switch {
	case !l.made():
		return noLink("wait")
	case cond == nil:
		return core.Fail("wait", l.String(), abi.ErrorInvalidValue, "the condition is nil")
	}
	return nil
}

func noLink(op string) error {
	return none(op, "link", "NewContext passes one to ContextConfig.Create")
}

// AwaitPatiently is like Await, but leaves the engine to other goroutines that wait: it drives the engine only
// when none has for about a millisecond. Use it for a wait that lasts while others come and go, such as
// that for the next connection; and call [Link.Wake] where those others may have come to an end.
//
//doca:noblock cond
func (l *Link) AwaitPatiently(ctx context.Context, cond func() bool) error {
	if err := l.canAwait(cond); err != nil {
		return err
	}
	return l.l.AwaitPatiently(ctx, cond)
}

// AwaitDrained is like Await, but drives the engine even while a context has no room for
// records. Use it to take things down.
//
//doca:noblock cond
func (l *Link) AwaitDrained(ctx context.Context, cond func() bool) error {
	if err := l.canAwait(cond); err != nil {
		return err
	}
	return l.l.AwaitDrained(ctx, cond)
}

// Wake makes Await and AwaitDrained look at their conditions again.
func (l *Link) Wake() {
	if l.made() {
		l.l.Wake()
	}
}

// Watch makes a goroutine drive the engine, for something that is awaited without driving
// it, until there have been as many calls of Unwatch.
func (l *Link) Watch() {
	if l.made() {
		l.l.Watch()
	}
}

// Unwatch takes back one Watch.
func (l *Link) Unwatch() {
	if l.made() {
		l.l.Unwatch()
	}
}

// Resume says that the context has room for records again; see [ContextConfig].Room.
func (l *Link) Resume() {
	if l.made() {
		l.l.Resume()
	}
}

// WaitIdle waits for the end of a stop that is under way, such as the stop after a fatal
// error. It returns at once if the context is not stopping. It takes the lock itself.
func (l *Link) WaitIdle(ctx context.Context) error { return l.in().WaitIdle(ctx) }

// Explain returns err, the error of a task that DOCA has failed with code, or in its place an error
// that says that the process is gone whose memory the device has imported, if DOCA says so. Call it
// without the lock, where a blocking call returns such an error: it may wait some seconds for a process that is stopped,
// but no longer than ctx; without one it returns err. op names the operation in errors. Calls doca_mmap_create_from_export.
func (l *Link) Explain(ctx context.Context, op string, code, err error) error {
	if !l.made() || err == nil || ctx == nil {
		return err
	}
	return l.l.Explain(ctx, op, code, err)
}

// String returns the name of the context for messages.
func (l *Link) String() string { return l.in().String() }
