package core

import (
	"syscall"
	"time"
	"unsafe"
)

// sleepTimer ends a sleep after some microseconds. Go's own timers cannot: while the program has nothing else to do, they are as much as a
// millisecond late. It is a descriptor of timerfd_create(2), one of those that the sleeper's epoll descriptor waits for, and is made when
// it is first needed. The engine's mu guards it.
type sleepTimer struct {
	fd     int
	made   bool
	failed bool // the system gives none
	armed  bool // it may end a sleep
}

// clockMonotonic is CLOCK_MONOTONIC, which package syscall does not have.
const clockMonotonic = 1

// open makes the descriptor, and adds it to epfd. It is edge-triggered: each expiry ends one sleep, and nobody has to read it.
func (t *sleepTimer) open(epfd int) error {
	fd, _, errno := syscall.RawSyscall(syscall.SYS_TIMERFD_CREATE, clockMonotonic, syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return errno
	}
	const edge = 1 << 31 // EPOLLET, which is negative in package syscall
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN | edge, Fd: int32(fd)}
	if err := syscall.EpollCtl(epfd, syscall.EPOLL_CTL_ADD, int(fd), &ev); err != nil {
		syscall.Close(int(fd))
		return err
	}
	t.fd, t.made = int(fd), true
	return nil
}

// set makes the timer end the next sleep after d; 0 means that it does not. It reports whether it will.
func (t *sleepTimer) set(epfd int, d time.Duration) bool {
	if d == 0 && !t.armed || t.failed {
		return false
	}
	if !t.made && t.open(epfd) != nil {
		t.failed = true
		return false
	}
	spec := struct{ interval, value syscall.Timespec }{value: syscall.NsecToTimespec(int64(d))}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, uintptr(t.fd), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	t.armed = d > 0 && errno == 0
	return t.armed
}

func (t *sleepTimer) close() {
	if t.made {
		syscall.Close(t.fd)
	}
}
