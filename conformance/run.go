// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"runtime"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
)

// Options say what [Run] runs, and where.
type Options struct {
	// Match selects cases by name. nil: all of them.
	Match *regexp.Regexp
	// Device is the PCI address of the device to use on this machine, with or without the domain. Empty: each case takes
	// the first device that can what the case needs.
	Device string
	// GIDIndex is the index of the GID that RDMA uses. nil: DOCA's choice.
	GIDIndex *uint32
	// Isolate runs the cases in child processes, one after another for each library. A crash or a hang is then the result of one case,
	// and the others go on. The program must call [Child] first thing in main.
	Isolate bool
	// Peer is a connection to a Run on another machine, which must have one to here. Exactly the cases of two sides are
	// then run: the machine with the representors is the DPU's side. Run closes it.
	Peer net.Conn
	// Timeout is the longest time for one case. 0: 20 seconds.
	Timeout time.Duration
	// Log is called after each case, from one goroutine at a time. nil: nothing is called.
	Log func(Result)
}

// Run runs cases and returns what they have found. A rule that does not hold is no error: see [Report.Failed]. The error
// is a *abi.ProviderError if there is no DOCA to ask, and that of ctx if it ends; then the report has the results so far.
// It is another one if the other machine cannot be used or goes away. Then the report has the results so far, too.
// One Run at a time may be in progress in a process.
func Run(ctx context.Context, options Options) (*Report, error) {
	info, err := abi.Active()
	if err != nil {
		if options.Peer != nil {
			options.Peer.Close()
		}
		return nil, err
	}
	if options.Timeout == 0 {
		options.Timeout = 20 * time.Second
	}
	r := &runner{ctx: ctx, options: options, env: options.environment(info.Version)}
	r.report = &Report{
		Provider: info.Name, Version: info.Version, Path: info.Path, Bindings: abi.BindingsVersion,
		Machine: runtime.GOOS + "/" + runtime.GOARCH, Device: describeDevices(), Started: time.Now().UTC().Truncate(time.Second),
	}
	began := time.Now()
	err = r.run()
	if err != nil && ctx.Err() != nil { // which has ended the child processes, or the connection
		err = ctx.Err()
	}
	r.report.Duration = Duration(time.Since(began))
	return r.report, err
}

func (o Options) environment(version string) *environment {
	return &environment{version: version, device: o.Device, gidIndex: o.GIDIndex, timeout: o.Timeout, apart: o.Peer != nil}
}

// runner is a Run in progress.
type runner struct {
	ctx     context.Context
	options Options
	env     *environment
	report  *Report
}

func (r *runner) run() error {
	var alone, pairs []Case
	for _, c := range Cases() {
		switch {
		case r.options.Match != nil && !r.options.Match.MatchString(c.Name):
		case c.Peer != nil:
			pairs = append(pairs, c)
		default:
			alone = append(alone, c)
		}
	}
	if r.options.Peer != nil {
		return r.runWithMachine(pairs)
	}
	if r.options.Isolate {
		return r.runIsolated(alone, pairs)
	}
	for i, c := range append(alone, pairs...) {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.note(r.withTimeout(c, func() Result { return r.env.askHere(c, i) }))
	}
	return nil
}

// note adds a result to the report.
func (r *runner) note(result Result) {
	r.report.Results = append(r.report.Results, result)
	if r.options.Log != nil {
		r.options.Log(result)
	}
}

// withTimeout runs a case in this process. A call that hangs keeps its thread.
func (r *runner) withTimeout(c Case, ask func() Result) Result {
	done := make(chan Result, 1)
	go func() { done <- ask() }()
	timer := time.NewTimer(r.options.Timeout + time.Second)
	defer timer.Stop()
	select {
	case result := <-done:
		return result
	case <-timer.C:
		return c.hung(r.options.Timeout)
	}
}

// hung is the result of a case that has not ended.
func (c Case) hung(after time.Duration) Result {
	return Result{Name: c.Name, Library: c.Library, Rule: c.Rule, Source: c.Source, Status: Timeout,
		Reason: fmt.Sprintf("a call has not returned within %v", after), Duration: Duration(after)}
}

// skippedFor is the result of a case that is not run.
func (c Case) skippedFor(reason string) Result {
	return Result{Name: c.Name, Library: c.Library, Rule: c.Rule, Source: c.Source, Status: Skipped, Reason: reason}
}

// askHere runs a case in this process, both sides if it has two.
func (e *environment) askHere(c Case, number int) Result {
	if c.Peer == nil {
		return e.ask(c, sideDPU, nil)
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	own, peer := newLine(a), newLine(b)
	done := make(chan Result, 1)
	go func() { done <- e.ask(c, sideHost, &talk{line: peer, number: number, host: true}) }()
	result := e.ask(c, sideDPU, &talk{line: own, number: number})
	<-done
	return result
}
