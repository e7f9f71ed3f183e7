package core

import (
	"context"
	"runtime"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// SetDestroyTime changes what closing an exported memory gets after ctx has ended, until the function that it returns is called. No
// other test may run meanwhile.
func SetDestroyTime(limit time.Duration) func() {
	old := destroyTime
	destroyTime = limit
	return func() { destroyTime = old }
}

// Polls returns how often the DOCA engine has been called.
func Polls(h interface{ inner() *Engine }) uint64 {
	e := h.inner()
	e.lock()
	defer e.mu.Unlock()
	return e.polls
}

// Breath returns when a goroutine that used the engine last let the scheduler run, which is 0 if none has.
func Breath(h interface{ inner() *Engine }) time.Duration {
	e := h.inner()
	e.lock()
	defer e.mu.Unlock()
	return e.breath.last
}

// Linger sets for how many nanoseconds steps of the engine linger.
func Linger(h interface{ inner() *Engine }, ns uint32) {
	e := h.inner()
	e.lock()
	defer e.mu.Unlock()
	e.linger = ns
}

// Busy reports whether the lock of the engine is taken.
func Busy(h interface{ inner() *Engine }) bool {
	e := h.inner()
	if e.mu.TryLock() {
		e.mu.Unlock()
		return false
	}
	return true
}

// Hold takes the lock of the engine. It returns a function that releases it.
func Hold(h interface{ inner() *Engine }) func() {
	h.inner().lock()
	return h.inner().mu.Unlock
}

// Wanted returns how many goroutines wait for the lock of the engine.
func Wanted(h interface{ inner() *Engine }) int32 { return h.inner().wanted.Load() }

// Found returns how many steps of the engine have found something to do.
func Found(h interface{ inner() *Engine }) uint32 { return h.inner().step.Found() }

// Asleep reports whether the goroutine that drives the engine sleeps.
func Asleep(h interface{ inner() *Engine }) bool { return h.inner().sleep.asleep.Load() }

// Doze sleeps as the goroutine that drives the engine does, which has found nothing to do.
func Doze(ctx context.Context, h interface{ inner() *Engine }) error {
	return h.inner().doze(ctx, newWaiter(), 0)
}

// Pauses sleeps as the goroutine that drives the engine does, for no longer than limit. It reports what ended that: the timer, or else one
// of Go's.
func Pauses(h interface{ inner() *Engine }, waiting bool, limit time.Duration) (byTimer bool) {
	e := h.inner()
	e.lock()
	if !e.prepareSleepLocked() {
		panic("the engine has no notifications")
	}
	e.sleep.wakeAfter(waiting, 0)
	e.mu.Unlock()
	if limit > 0 {
		e.sleep.file.SetReadDeadline(time.Now().Add(limit))
	}
	return e.sleep.conn.Read(e.sleep.ready) == nil
}

// FailTimer makes the engine do without a timer of its own.
func FailTimer(h interface{ inner() *Engine }) { h.inner().sleep.timer.failed = true }

// Places returns for how many contexts the engine has room.
func Places(h interface{ inner() *Engine }) int { return len(h.inner().contexts) }

// CloseOrder begins to close an object and returns the kinds of what is below it, in
// closing order.
func CloseOrder(h Owner) []string {
	var kinds []string
	for _, n := range h.node().subtree(nil) {
		kinds = append(kinds, n.kind)
	}
	return kinds
}

// Closers returns functions that close objects without holding their handles.
func Closers(handles ...Owner) []func() error {
	var out []func() error
	for _, h := range handles {
		n := h.node()
		out = append(out, func() error { return n.Shutdown(context.Background()) })
	}
	return out
}

// InLibrary is inLibrary, and LibraryDir is libraryDir.
var (
	InLibrary  = inLibrary
	LibraryDir = libraryDir
)

// SiteOf returns the place of a creation with these frames, innermost first.
func SiteOf(frames []runtime.Frame) string {
	var s siteFinder
	for _, f := range frames {
		s.look(f)
	}
	return s.found
}

// ParseLogLine is parseLogLine.
var ParseLogLine = parseLogLine

// LogPipe is a pipe without DOCA.
type LogPipe struct{ p *logPipe }

// NewLogPipe makes one.
func NewLogPipe(deliver func(LogLine)) (LogPipe, error) {
	p, err := newLogPipe(deliver)
	return LogPipe{p}, err
}

// Write writes what DOCA would.
func (p LogPipe) Write(text string) error {
	_, err := p.p.out.WriteString(text)
	return err
}

// Flush waits until all was delivered.
func (p LogPipe) Flush() error {
	marker, err := p.p.mark()
	if err == nil {
		<-marker
	}
	return err
}

// Close ends the pipe and waits for the rest.
func (p LogPipe) Close() {
	p.p.out.Close()
	<-p.p.done
}

// LateData does what SetData does when a run begins between its look at the claim and its change.
func LateData(h BufferOwner, off, n int) error {
	b := h.bufferHandle().p
	w := pack(off, n)
	if b.word.Swap(w) == 0 {
		panic("SetData needs the lock")
	}
	b.keeper.Load().moved.Store(true)
	return b.lateData(w)
}

// StaleData does what SetData does when, between its look at the claim and its change, another claim has taken the buffer.
func StaleData(h BufferOwner, off, n int) error {
	b := h.bufferHandle().p
	w := pack(off, n)
	if b.word.Swap(w) == 0 {
		panic("SetData needs the lock")
	}
	return b.lateData(w)
}

// BufferLayout returns the size of a buffer, and how much of it is what each operation needs.
func BufferLayout() (size, hot uintptr) {
	var b Buffer
	return unsafe.Sizeof(b), unsafe.Offsetof(b.node) + unsafe.Sizeof(b.node.phase)
}

// Mutex is that of an engine.
type Mutex struct{ *mutex }

// NewMutex makes one.
func NewMutex() Mutex {
	m := newMutex()
	return Mutex{&m}
}

// Await waits for the mutex until done or wake ends that, and reports whether it has taken it.
func (m Mutex) Await(done, wake <-chan struct{}) bool { return m.await(done, wake) }

// Demand takes the mutex if whoever has it releases it before so many looks.
func (m Mutex) Demand(looks int) bool { return m.demand(looks) }

// Promised reports whether the mutex is passed on when it is released.
func (m Mutex) Promised() bool { return m.state.Load() == mutexPromised }

// StepOfHolder makes a step of the engine whose lock is held by Hold.
func StepOfHolder(h interface{ inner() *Engine }) (int, error) {
	return h.inner().progressLocked(stepLimit)
}

// HurriedStep makes a step of the engine while somebody wants its lock, and returns how much it has done.
func HurriedStep(h interface{ inner() *Engine }) (int, error) {
	e := h.inner()
	e.lock()
	defer e.mu.Unlock()
	e.step.Hurry()
	return e.progressLocked(stepLimit)
}

// WaitForTurn waits for the lock of the engine, as somebody does whom others let wait for a turn. It releases the lock that it has got.
func WaitForTurn(h interface{ inner() *Engine }) bool {
	e := h.inner()
	got := e.waitForTurn(time.Now(), e.step.Found(), nil)
	if got {
		e.mu.Unlock()
	}
	return got
}

// MaxSpare is how many engines can be spare.
const MaxSpare = maxSpare

// Spares returns how many engines are spare.
func Spares() int {
	spareEngines.Lock()
	defer spareEngines.Unlock()
	return len(spareEngines.free)
}

// DropSpares destroys the spare engines.
func DropSpares() {
	spareEngines.Lock()
	defer spareEngines.Unlock()
	for _, s := range spareEngines.free {
		if err := common.PEDestroy(nil, s.pe); err != nil {
			panic(err)
		}
		if s.file != nil {
			s.file.Close()
		}
		s.timer.close()
	}
	spareEngines.free = nil
}

// PEOf returns the address of DOCA's engine, and the user data of the first context of an engine.
func PEOf(h interface{ inner() *Engine }) (uintptr, abi.Data) {
	e := h.inner()
	e.lock()
	defer e.mu.Unlock()
	return uintptr(unsafe.Pointer(e.pe)), e.first
}

// UntilAsleep waits until a goroutine sleeps on the engine's handle, or until ctx ends.
func UntilAsleep(ctx context.Context, h interface{ inner() *Engine }) {
	for !h.inner().sleep.asleep.Load() && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}

// Lose makes the engine one for which an event had no context.
func Lose(h interface{ inner() *Engine }) {
	e := h.inner()
	e.lock()
	defer e.mu.Unlock()
	e.strays++
}

// Offers are offers of cores.
type Offers struct{ o offers }

// Took records an offer, as of times since the program started.
func (o *Offers) Took(start, end time.Duration) { o.o.took(start, end) }

// Until returns when a core is offered again.
func (o *Offers) Until() time.Duration { return time.Duration(o.o.until.Load()) }
