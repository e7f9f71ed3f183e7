// Package dataplane moves the IO messages of the storage applications, and at the target the blocks. Each core has a worker:
// a goroutine on a thread of its own, with a progress engine of its own, which is all that it waits for. In its loop nothing is
// allocated, and no goroutine is woken for an IO.
//
// [Lane] is the initiator's end, [Relay] the BlueField's, [Target] the storage's.
package dataplane

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/rdma"
)

// AnyCPU is the CPU of a thread that may run on all.
const AnyCPU = -1

// StopTime is how long a thread that was told to stop may take before it is aborted.
const StopTime = 3 * time.Second

// Stats counts what a worker has done. Read it when its thread has ended.
type Stats struct {
	Operations   uint64
	Hits, Misses uint64 // steps of the engine with and without events
}

// HitRate returns the part of the engine's steps that had events, in percent.
func (s Stats) HitRate() float64 {
	if s.Hits+s.Misses == 0 {
		return 0
	}
	return 100 * float64(s.Hits) / float64(s.Hits+s.Misses)
}

// PrintStats writes what each core has done.
func PrintStats(out io.Writer, stats []Stats) {
	const frame = "+================================================+"
	for i, s := range stats {
		fmt.Fprintf(out, "%s\n| Core: %d\n| Operation count: %d\n| PE hit rate: %2.03f%% (%d:%d)\n", frame, i, s.Operations, s.HitRate(), s.Hits, s.Misses)
	}
	fmt.Fprintln(out, frame)
}

// Thread is a goroutine that has a thread to itself.
type Thread struct {
	stop  atomic.Bool
	abort func()
	done  chan struct{}
	err   error
}

// Go runs loop on a thread of its own, on a CPU unless that is AnyCPU. loop ends with an error, or soon after stop has become
// true, or in any case after abort was called. The error of Go says that there is no such CPU.
func Go(cpu int, loop func(stop *atomic.Bool) error, abort func()) (*Thread, error) {
	t := &Thread{abort: abort, done: make(chan struct{})}
	pinned := make(chan error)
	go func() {
		defer close(t.done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, and its affinity with it
		err := pin(cpu)
		pinned <- err
		if err == nil {
			t.err = loop(&t.stop)
		}
	}()
	if err := <-pinned; err != nil {
		return nil, err
	}
	return t, nil
}

// CheckCPUs returns doca.ErrInvalidValue if there is no CPU in the list, or one on which threads cannot run.
func CheckCPUs(cpus []int) error {
	if len(cpus) == 0 {
		return fmt.Errorf("%w: there are no CPUs for workers: give one for each", doca.ErrInvalidValue)
	}
	for _, cpu := range cpus {
		t, err := Go(cpu, func(*atomic.Bool) error { return nil }, func() {})
		if err != nil {
			return err
		}
		<-t.done
	}
	return nil
}

func pin(cpu int) error {
	if cpu == AnyCPU {
		return nil
	}
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("%w: cannot run on CPU %d: %w", doca.ErrInvalidValue, cpu, err)
	}
	return nil
}

// Stop tells the thread to stop.
func (t *Thread) Stop() { t.stop.Store(true) }

// Join stops the thread, waits until it has ended, and returns its error. If it has not ended after 3 seconds, Join aborts it, and
// returns doca.ErrTimeOut.
func (t *Thread) Join() error {
	t.Stop()
	select {
	case <-t.done:
		return t.err
	case <-time.After(StopTime):
	}
	t.abort()
	<-t.done // what it uses must stay until then
	return fmt.Errorf("%w: a worker had not stopped in %v, and was aborted", doca.ErrTimeOut, StopTime)
}

// Err waits for the end of the thread and returns its error.
func (t *Thread) Err() error {
	<-t.done
	return t.err
}

// Failures returns the errors of threads that have ended, but for those that known has already, and those that follow from the end of a
// peer or an Abort.
func Failures(threads []*Thread, known error) error {
	var all error
	for i, t := range threads {
		err := t.Err()
		for _, consequence := range []error{errAborted, rdma.ErrPeerGone, comch.ErrPeerGone, comch.ErrConsumerGone} {
			if errors.Is(err, consequence) {
				err = nil
			}
		}
		if err != nil && !errors.Is(known, err) {
			all = errors.Join(all, fmt.Errorf("core %d: %w", i, err))
		}
	}
	return all
}

// Reserve lets n workers run without keeping other goroutines from running.
func Reserve(n int) {
	if want := n + 2; runtime.GOMAXPROCS(0) < want {
		runtime.GOMAXPROCS(want)
	}
}

// engine is a progress engine that one thread drives without ever sleeping.
type engine struct {
	*doca.ProgressEngine
	stats   Stats
	idle    int // steps without events since the last one with
	aborted atomic.Bool
	drained atomic.Bool
}

// errAborted ends a worker's loop.
var errAborted = errors.New("aborted")

// Abort makes the worker's loop end at once, with an error, whatever is in flight. Any goroutine may call it.
func (e *engine) Abort() { e.aborted.Store(true) }

// Drain makes a worker take no more requests, so that it ends what it has in work when it is stopped. Any goroutine may call it.
func (e *engine) Drain() { e.drained.Store(true) }

func newEngine() (*engine, error) {
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	if err != nil {
		return nil, err
	}
	return &engine{ProgressEngine: pe}, nil
}

// patience is the number of steps without events after which the thread offers its CPU to others. That costs little where it
// has the CPU to itself, and is all that helps where the three programs share one.
const patience = 16

// step drives the engine once.
func (e *engine) step() error {
	if e.aborted.Load() {
		return errAborted
	}
	n, err := e.Progress()
	if n > 0 {
		e.stats.Hits++
		e.idle = 0
		return err
	}
	e.stats.Misses++
	if e.idle++; e.idle%patience == 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	return err
}
