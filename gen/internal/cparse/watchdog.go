package cparse

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"modernc.org/cc/v4"
)

// translateLimit is the processor time that cc/v4 may take for a unit. All
// headers of a release in one unit need less than a second.
const translateLimit = 4 * time.Second

// translate is cc.Translate with an end: for some input, such as chains of
// function types that have to be compared, cc/v4 takes exponential time. It
// cannot be stopped, so that its thread goes on until the process ends.
func translate(cfg *cc.Config, sources []cc.Source) (*cc.AST, error) {
	type result struct {
		ast   *cc.AST
		err   error
		panic any
	}
	done := make(chan result, 1)
	thread := make(chan int, 1)
	go func() {
		var r result
		defer func() {
			r.panic = recover()
			done <- r
		}()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread <- syscall.Gettid()
		r.ast, r.err = cc.Translate(cfg, sources)
	}()
	tid := <-thread
	tick := time.NewTicker(translateLimit / 20)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case r := <-done:
			if r.panic != nil {
				panic(r.panic)
			}
			return r.ast, r.err
		case <-tick.C:
			if threadTime(tid, start) > translateLimit {
				return nil, fmt.Errorf("too complicated: the C parser did not come to an end in %v", translateLimit)
			}
		}
	}
}

// threadTime is the processor time of a thread; where the system does not
// tell, the time since start has to do.
func threadTime(tid int, start time.Time) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", tid))
	if err == nil {
		first, _, _ := strings.Cut(string(text), " ")
		if ns, err := strconv.ParseInt(first, 10, 64); err == nil {
			return time.Duration(ns)
		}
	}
	return time.Since(start)
}
