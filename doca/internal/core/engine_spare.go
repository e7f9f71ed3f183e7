package core

import (
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/go-doca/go-doca/doca/internal/spare"
	"github.com/go-doca/go-doca/generated/common"
)

// To make an engine and the descriptors that it sleeps on, and to destroy them, takes some twenty system calls, and a program may open a
// connection for each request. So what a private engine has had of DOCA and the system is taken for the next private engine. All else
// of an engine is made anew, the numbers of its contexts included: a late event of a former context finds nobody.

// maxSpare is how many such engines wait for the next one. On the emulator each has four or five descriptors.
const maxSpare = 8

// spareEngine is what an engine leaves to the next one: DOCA's engine without contexts, which nobody has armed, and what a goroutine
// sleeps on.
type spareEngine struct {
	pe     *common.PE
	epfd   int
	handle int32
	file   *os.File // nil: nobody has slept yet
	conn   syscall.RawConn
	timer  sleepTimer
}

var spareEngines struct {
	sync.Mutex
	free []spareEngine
}

// takeSpare makes the private engine use what another one has left. It reports whether there was something.
func (e *Engine) takeSpare() bool {
	spareEngines.Lock()
	defer spareEngines.Unlock()
	last := len(spareEngines.free) - 1
	if last < 0 || !spare.Allowed() {
		return false
	}
	s := spareEngines.free[last]
	spareEngines.free[last] = spareEngine{}
	spareEngines.free = spareEngines.free[:last]
	e.pe = s.pe
	e.sleep.epfd, e.sleep.handle, e.sleep.file, e.sleep.conn, e.sleep.timer = s.epfd, s.handle, s.file, s.conn, s.timer
	return true
}

// Whether DOCA's engine may become a spare one.
const (
	peHidden int32 = iota
	peShown        // the program may still use it, or wait for its handle
	peGiven        // it is another one's
)

// show lets the program know DOCA's engine. It returns false if that is another one's already.
func (e *Engine) show() bool {
	return e.known.CompareAndSwap(peHidden, peShown) || e.known.Load() == peShown
}

// giveSpareLocked leaves what the engine has to the next private one, and reports whether it has. The engine has no contexts.
func (e *Engine) giveSpareLocked() bool {
	switch {
	case !e.Node.private || e.known.Load() == peShown: // the program may still use DOCA's engine or wait for its handle
		return false
	case slices.ContainsFunc(e.contexts, func(c *Link) bool { return c != nil }): // DOCA says why not
		return false
	case e.sleep.failed || e.sleep.timer.failed || e.strays > 0 || e.lost > 0 || e.loss != nil:
		return false
	case e.sleep.asleep.Load(): // a goroutine has not woken up yet
		return false
	case e.sleep.armed.Load() && e.disarmLocked() != nil:
		return false
	}
	s := &e.sleep
	spareEngines.Lock()
	defer spareEngines.Unlock()
	if len(spareEngines.free) == maxSpare || !spare.Allowed() || !e.known.CompareAndSwap(peHidden, peGiven) {
		return false
	}
	spareEngines.free = append(spareEngines.free, spareEngine{e.pe, s.epfd, s.handle, s.file, s.conn, s.timer})
	return true
}
