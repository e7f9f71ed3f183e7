package core

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Engine is a progress engine. mu guards the DOCA engine, its contexts and their tasks.
// Their methods with the suffix Locked need it.
type Engine struct {
	Node *Node
	busy bool

	lockable
	pe       *common.PE
	ring     *abi.Ring
	step     *abi.Step // see Link.BeginStep
	linger   uint32    // lingerTime
	first    abi.Data  // the user data of the first context; that of each is this and its number
	contexts []*Link   // by number; nil if free
	settling []*Link   // contexts that are to stop
	later    []*Link   // contexts that asked for their Later function
	dead     bool
	known    atomic.Int32 // whether the program may know DOCA's engine or its handle: peHidden and so on
	bounded  []*Link      // contexts that may run out of room
	insisted int          // reasons to drive the engine even if one of them has no room
	lost     uint64       // number of callbacks that found no memory for their record
	strays   uint64       // number of records whose context could not be found
	overflow overflow
	loss     error // of either, for the next step to report

	lead      atomic.Pointer[waiter] // who drives the engine
	parkMu    sync.Mutex
	parked    []*waiter
	numParked atomic.Int32
	tarrying  atomic.Int32 // 1: a goroutine is about to park
	patience  patience
	yielding  yielding  // used by the goroutine that drives the engine
	changes   []*waiter // those that wait for a change of state; guarded by mu
	spare     []*waiter // for later such waits; guarded by mu

	watched    int // operations with an open Done channel; guarded by mu
	background bool

	pace  pace // guarded by mu
	sleep sleeper
	polls uint64 // number of calls of the DOCA engine; guarded by mu

	_ abi.Apart
}

// engines counts the engines that were ever created, so that no two contexts have the same user data.
var engines atomic.Uint32

// NewEngine creates an engine.
func NewEngine(busyPoll bool) (*Engine, error) { return newEngine(busyPoll, false) }

// NewPrivateEngine creates an engine for one context, which is closed after it; the loss of its
// handle is no leak. The owners of the context own the engine as well: if it cannot be closed with
// the context, they close it.
func NewPrivateEngine(dev *Device, parent Owner) (*Engine, error) {
	owners := []*Node{dev.Node}
	if p := ownerNode(parent); p != nil {
		owners = append(owners, p)
	}
	return newEngine(false, true, owners...)
}

func newEngine(busyPoll, private bool, owners ...*Node) (*Engine, error) {
	logOnce.Do(logFromEnvironment)
	r := rankEngine
	if private {
		r = rankContext // it is closed right after its context, and so before the context's parent
	}
	n := &Node{rank: r, kind: "engine", private: private, body: new(plain)}
	err := n.enter(owners...)
	if err != nil {
		return nil, err
	}
	e := &Engine{Node: n, busy: busyPoll, linger: lingerTime, lockable: newLockable(), first: abi.Data(engines.Add(1)) << 32}
	_, e.overflow.lost = abi.OverflowChanges()
	e.sleep.init()
	if !private || !e.takeSpare() {
		e.pe, err = common.PECreate()
	}
	if err == nil {
		if err = e.allocInC(); err != nil {
			err = errors.Join(err, common.PEDestroy(nil, e.pe))
			e.sleep.close()
		}
	}
	if err != nil {
		n.abandon()
		return nil, n.Fail("create", err, "")
	}
	n.commit(e.close)
	return e, nil
}

// allocInC makes what C writes to.
func (e *Engine) allocInC() (err error) {
	if e.ring, err = abi.NewRing(); err != nil {
		return err
	}
	if e.step, err = takeStep(); err != nil {
		e.ring.Free()
		return err
	}
	e.step.Ring, e.step.PE = e.ring, unsafe.Pointer(e.pe)
	return nil
}

// close destroys the engine. No context is connected any more.
func (e *Engine) close(context.Context) error {
	e.lock()
	defer e.mu.Unlock()
	spare := e.giveSpareLocked()
	if !spare {
		if err := common.PEDestroy(e.ring, e.pe); err != nil {
			return e.Node.Fail("close", err, "")
		}
	}
	e.drainLocked()
	e.dead = true
	e.ring.Free()
	giveStep(e.step)
	e.changedLocked()
	e.wakeAll()
	if !spare {
		e.sleep.close()
	}
	return nil
}

// Progress drives the engine one step.
func (e *Engine) Progress() (int, error) {
	if e.lock(); !e.usedLocked() {
		e.lock()
	}
	n, err := e.progressLocked(stepLimit)
	e.mu.Unlock()
	return n, err
}

// Run drives the engine until ctx ends, and returns ctx.Err().
func (e *Engine) Run(ctx context.Context) error {
	if err := e.Node.Open("run"); err != nil {
		return err
	}
	if err := NeedContext(ctx, "run", e.Node); err != nil {
		return err
	}
	return e.wait(ctx, newWaiter())
}

// NotificationHandle returns the file descriptor that becomes readable after Arm.
func (e *Engine) NotificationHandle() (int, error) {
	e.lock()
	defer e.mu.Unlock()
	if e.dead {
		return -1, e.Node.closedError("get notification handle")
	}
	e.show()
	fd, err := common.PEGetNotificationHandle(e.pe)
	return int(fd), e.Node.Fail("get notification handle", err, "")
}

// Arm asks DOCA to make the notification handle readable when there is something to do.
func (e *Engine) Arm() error {
	e.lock()
	defer e.mu.Unlock()
	if e.dead {
		return e.Node.closedError("arm")
	}
	return e.Node.Fail("arm", e.armLocked(), "")
}

// ClearNotification ends what Arm began.
func (e *Engine) ClearNotification() error {
	e.lock()
	defer e.mu.Unlock()
	if e.dead {
		return e.Node.closedError("clear notification")
	}
	return e.Node.Fail("clear notification", e.disarmLocked(), "")
}

// Raw returns DOCA's object. The caller may hold the lock.
func (e *Engine) Raw() (*common.PE, error) {
	if err := e.Node.Open("use"); err != nil {
		return nil, err
	}
	if !e.show() { // since then
		return nil, e.Node.closedError("use")
	}
	return e.pe, nil
}
