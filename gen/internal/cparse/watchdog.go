package cparse

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"modernc.org/cc/v4"
)

// timeLimit is the processor time that cc/v4 may take for a unit: many times
// what it does take, which is less than a second for all headers of a release.
func timeLimit(tokens int) time.Duration {
	return 2*time.Second + time.Duration(tokens)*20*time.Microsecond
}

// errTooLong is what translate ends with when its time is up.
var errTooLong = errors.New("too complicated: the C parser does not come to an end")

// translate is cc.Translate with an end: for some input, such as chains of
// function types that have to be compared, cc/v4 takes exponential time. It
// cannot be stopped, so that its thread goes on until the process ends.
func translate(cfg *cc.Config, sources []cc.Source, limit time.Duration) (*cc.AST, error) {
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
	used := threadTime(<-thread)
	tick := time.NewTicker(limit / 20)
	defer tick.Stop()
	for {
		select {
		case r := <-done:
			if r.panic != nil {
				panic(r.panic)
			}
			return r.ast, r.err
		case <-tick.C:
			if used() > limit {
				return nil, errTooLong
			}
		}
	}
}

// threadTime measures the processor time of a thread from now on; where the
// system does not tell, it is the time that passes.
func threadTime(tid int) func() time.Duration {
	now := func() (ns int64, err error) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", tid))
		if err != nil {
			return 0, err
		}
		first, _, _ := strings.Cut(string(text), " ")
		return strconv.ParseInt(first, 10, 64)
	}
	start := time.Now()
	first, err := now()
	return func() time.Duration {
		ns, err2 := now()
		if err != nil || err2 != nil {
			return time.Since(start)
		}
		return time.Duration(ns - first)
	}
}
