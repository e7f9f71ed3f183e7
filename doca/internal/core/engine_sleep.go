package core

import (
	"context"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/generated/common"
)

// sleeper lets the goroutine that drives the engine wait without using a core or a thread.
// It has an epoll descriptor with DOCA's handle in it, and waits for that descriptor in
// Go's poller. So the flags of DOCA's descriptor do not change.
type sleeper struct {
	armed  atomic.Bool // written with the engine's mu held
	asleep atomic.Bool
	epfd   int
	handle int32
	file   *os.File // epfd, in Go's poller
	conn   syscall.RawConn
	timer  sleepTimer
	failed bool // the handle cannot be waited for: use the timer
	kicks  chan struct{}
	ready  func(fd uintptr) bool
	events [1]syscall.EpollEvent
}

func (s *sleeper) init() {
	s.kicks = make(chan struct{}, 1)
	// Go's poller is edge-triggered, so look before waiting.
	s.ready = func(fd uintptr) bool {
		n, err := syscall.EpollWait(int(fd), s.events[:], 0)
		return n > 0 || err != nil && err != syscall.EINTR
	}
}

// kick ends a sleep that is under way. The file that it uses is set before anybody sleeps.
func (s *sleeper) kick() {
	if !s.asleep.Load() {
		return
	}
	if s.file != nil {
		s.file.SetReadDeadline(time.Unix(1, 0))
	}
	select {
	case s.kicks <- struct{}{}:
	default:
	}
}

func (s *sleeper) close() {
	if s.file != nil {
		s.file.Close()
	}
	s.timer.close()
}

// openHandleLocked makes the epoll descriptor.
func (e *Engine) openHandleLocked() error {
	handle, err := common.PEGetNotificationHandle(e.pe)
	if err != nil {
		return err
	}
	epfd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err = listen(epfd, syscall.EPOLL_CTL_ADD, handle); err == nil {
		err = syscall.SetNonblock(epfd, true) // so that os.NewFile uses Go's poller
	}
	if err != nil {
		syscall.Close(epfd)
		return err
	}
	file := os.NewFile(uintptr(epfd), "doca-engine")
	conn, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{}) // fails if Go's poller did not take it
	}
	if err != nil {
		file.Close()
		return err
	}
	e.sleep.epfd, e.sleep.handle, e.sleep.file, e.sleep.conn = epfd, handle, file, conn
	return nil
}

// listen makes epfd wait for the handle once. While nobody sleeps, what arrives must not
// wake Go's poller each time.
func listen(epfd, op int, handle int32) error {
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLONESHOT, Fd: handle}
	return syscall.EpollCtl(epfd, op, int(handle), &ev)
}

// armLocked asks DOCA for a notification.
func (e *Engine) armLocked() error {
	if err := common.PERequestNotification(e.pe); err != nil {
		return err
	}
	e.sleep.armed.Store(true)
	return nil
}

// disarmLocked allows progress again. Whoever sleeps must arm the engine anew.
func (e *Engine) disarmLocked() error {
	handle, err := common.PEGetNotificationHandle(e.pe)
	if err == nil {
		err = common.PEClearNotification(e.pe, handle)
	}
	if err != nil {
		return err
	}
	e.sleep.armed.Store(false)
	e.sleep.kick()
	return nil
}

// prepareSleepLocked arms the engine, and reports whether its handle can be waited for.
func (e *Engine) prepareSleepLocked() bool {
	s := &e.sleep
	if s.failed {
		return false
	}
	for _, c := range e.contexts {
		if c != nil && c.noNotify && c.state != StateIdle {
			return false
		}
	}
	if s.file == nil {
		s.failed = e.openHandleLocked() != nil
	}
	if !s.failed && !s.armed.Load() {
		s.failed = e.armLocked() != nil
	}
	if !s.failed {
		s.failed = listen(s.epfd, syscall.EPOLL_CTL_MOD, s.handle) != nil
	}
	return !s.failed
}

// doze waits until there may be something to do for w, which drives the engine. turn counts
// how often in a row there was nothing.
func (e *Engine) doze(ctx context.Context, w *waiter, turn int) error {
	s := &e.sleep
	if err := e.lockFor(ctx); err != nil {
		return err
	}
	if e.dead {
		e.mu.Unlock()
		return e.Node.closedError("wait")
	}
	paused := e.pausedLocked()
	if !paused && e.settleDueLocked() { // since the last step
		e.mu.Unlock()
		return nil
	}
	byHandle := !paused && e.prepareSleepLocked()
	if byHandle {
		s.wakeAfter(e.ring.Waiting(), turn) // for events without a notification
	}
	s.asleep.Store(true)
	e.mu.Unlock()
	defer s.asleep.Store(false)

	// From here on a kick is noticed. Look for what happened before.
	if byHandle {
		if ctx.Done() != nil {
			defer context.AfterFunc(ctx, s.kick)()
		}
		if w.ready.Load() || w.yield.Load() || ctx.Err() != nil || !s.armed.Load() {
			return nil
		}
		s.conn.Read(s.ready) // its error means a kick, the end of the engine, or that time is up
		return nil
	}
	if w.ready.Load() || w.yield.Load() {
		return nil
	}
	if paused {
		select {
		case <-s.kicks:
		case <-ctx.Done():
		}
		return nil
	}
	timer := time.NewTimer(backoff(turn))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.kicks:
	case <-ctx.Done():
	}
	return nil
}

// wakeAfter makes the sleep that is about to begin end by itself if limited is set, after the pause of this turn.
func (s *sleeper) wakeAfter(limited bool, turn int) {
	var pause time.Duration
	if limited {
		pause = backoff(turn)
	}
	var until time.Time
	if !s.timer.set(s.epfd, pause) && limited {
		until = time.Now().Add(pause)
	}
	s.file.SetReadDeadline(until)
}

// backoff returns how long to sleep where DOCA cannot wake us: 20 microseconds, doubled
// with each turn, up to a millisecond.
func backoff(turn int) time.Duration {
	return min(20*time.Microsecond<<min(turn, 10), time.Millisecond)
}
