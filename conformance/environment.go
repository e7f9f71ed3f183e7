// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"time"
)

// The sides of a case. A case of one side is the DPU's.
const (
	sideDPU  = "dpu"
	sideHost = "host"
)

// environment is what all cases of a process share.
type environment struct {
	version  string  // of the DOCA in use
	device   string  // PCI address of the device to use; "" for any that can what the case needs
	gidIndex *uint32 // of RDMA; nil for DOCA's choice
	timeout  time.Duration
	apart    bool // the other side of a case is another machine

	// waiting is called when a side has asked all and waits for the other one, which may hang; nil in a process without a parent.
	waiting func()
}

// patience is how long a case waits for what must happen: it is shorter than the time-out, so that the case can say
// what has not come.
func (e *environment) patience() time.Duration { return e.timeout * 3 / 4 }

// ask runs one side of a case. talk is nil unless the case has two sides.
func (e *environment) ask(c Case, side string, talk *talk) Result {
	began := time.Now()
	t := &T{c: c, env: e, talk: talk, deadline: began.Add(e.patience())}
	run, needs := c.Run, c.Needs
	if side == sideHost {
		run, needs = c.Peer, c.PeerNeeds
	}
	t.run(func(t *T) {
		t.require(needs)
		run(t)
	})
	r := t.outcome()
	if talk != nil {
		if e.waiting != nil {
			e.waiting()
		}
		r = talk.finish(side, r, began.Add(e.timeout+10*time.Second)) // a hung side is ended before that
	}
	r.Duration = Duration(time.Since(began))
	return r
}

// outcome sums up the questions of this side.
func (t *T) outcome() Result {
	r := Result{Name: t.c.Name, Library: t.c.Library, Rule: t.c.Rule, Source: t.c.Source, Status: Passed, Questions: len(t.asked)}
	if t.skipped != "" {
		r.Status, r.Reason = Skipped, t.skipped
	}
	if t.broken != "" {
		r.Status, r.Reason = Skipped, t.broken
	}
	for i, q := range t.asked {
		status := Passed
		switch {
		case q.known:
			status = Known
		case !q.ok:
			status = Differs
		}
		worse := status.weight() > r.Status.weight()
		if worse {
			r.Status, r.Reason = status, q.Note
		}
		if worse || status == Passed && r.Status == Passed && i == len(t.asked)-1 {
			r.Asked, r.Expected, r.Got = q.Asked, q.Expected, q.Got
		}
	}
	if r.Status == Passed && r.Questions == 0 && t.talk == nil {
		r.Status, r.Reason = Differs, "the case has asked nothing"
	}
	return r
}
