// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Question is what a case has asked, and the answer.
type Question struct {
	Asked    string `json:"asked"`    // the function, and how it was called
	Expected string `json:"expected"` // the answer by the rule
	Got      string `json:"got"`      // the answer
	Note     string `json:"note,omitempty"`

	ok, known bool
}

// T is one side of a running case. Its methods are for the goroutine that runs the case.
type T struct {
	c    Case
	env  *environment
	talk *talk // with the other side; nil in cases of one side

	asked    []Question
	skipped  string
	broken   string // why the case ended early without an answer of its own
	cleanups []func()
	deadline time.Time

	ring    *abi.Ring
	records []record
	infos   []*common.Devinfo
	engines []*common.PE

	serverName string // of the Comch server of the other side
}

// record is a record of a callback, with its payload.
type record struct {
	abi.Record
	payload []byte
}

// ended is the panic that ends a case early.
type ended struct{}

// run runs one side of the case, and its clean-up.
func (t *T) run(side func(*T)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ring, err := abi.NewRing()
	if err != nil {
		t.broken = err.Error()
		return
	}
	t.ring = ring
	defer ring.Free()
	defer t.cleanUp()
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(ended); !ok {
				panic(p)
			}
		}
	}()
	side(t)
	if t.talk != nil { // neither side takes down what the other one may still be asked about
		t.tell(allAsked)
		t.hear(allAsked)
	}
}

// allAsked is what a side says when it has no more questions.
const allAsked = "all is asked"

func (t *T) cleanUp() {
	for _, f := range slices.Backward(t.cleanups) {
		f()
		t.ring.Reset()
	}
}

// onEnd has f run at the end of the case, before what was registered earlier.
func (t *T) onEnd(f func()) { t.cleanups = append(t.cleanups, f) }

// skip ends the case: it cannot be asked here.
func (t *T) skip(format string, args ...any) {
	t.skipped = fmt.Sprintf(format, args...)
	panic(ended{})
}

// code compares what a call has returned with the codes that the rule allows. asked begins with the name of the C
// function. It returns whether the answer was one of them.
func (t *T) code(asked string, err error, want ...abi.Error) bool {
	got := abi.Success
	var call *abi.CallError
	switch {
	case err == nil:
	case errors.As(err, &call) && call.Detail == "":
		got = call.Code
	case errors.Is(err, abi.ErrorNotSupported): // a function or library that this release lacks
		t.skip("%v", err)
	default:
		return t.answer(asked, join(want), err.Error(), false)
	}
	return t.answer(asked, join(want), got.String(), slices.Contains(want, got))
}

func join(codes []abi.Error) string {
	text := ""
	for i, c := range codes {
		if i > 0 {
			text += " or "
		}
		text += c.String()
	}
	return text
}

// must is a call that the case cannot go on without.
func (t *T) must(asked string, err error) {
	if !t.code(asked, err, abi.Success) {
		panic(ended{})
	}
}

// begun is a start that the case cannot go on without: it finishes later.
func (t *T) begun(asked string, err error) {
	if !t.code(asked, err, abi.ErrorInProgress) {
		panic(ended{})
	}
}

// equal compares a value with the one that the rule gives.
func (t *T) equal(asked string, got, want any) bool {
	g, w := fmt.Sprint(got), fmt.Sprint(want)
	return t.answer(asked, w, g, g == w)
}

// that is an answer that is not one value.
func (t *T) that(asked, expected string, got any, ok bool) bool {
	return t.answer(asked, expected, fmt.Sprint(got), ok)
}

// answer notes a question. A question with the answer of a known difference counts as known.
func (t *T) answer(asked, expected, got string, ok bool) bool {
	q := Question{Asked: asked, Expected: expected, Got: got, ok: ok}
	if !ok {
		for _, d := range t.c.Differences {
			if d.covers(t.env.version) && d.Want == got && (d.Asked == "" || hasPrefixWord(asked, d.Asked)) {
				q.known, q.Note = true, fmt.Sprintf("known of DOCA %s", d.Releases)
				if d.Note != "" {
					q.Note += ": " + d.Note
				}
				break
			}
		}
	}
	t.asked = append(t.asked, q)
	return ok
}

func hasPrefixWord(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// late reports that something has not happened in time, and ends the case.
func (t *T) late(asked, expected string) {
	t.answer(asked, expected, fmt.Sprintf("nothing within %v", t.env.patience().Round(time.Millisecond)), false)
	panic(ended{})
}

// progress makes one step of an engine and returns what doca_pe_progress returned.
func (t *T) progress(pe *common.PE) uint8 {
	t.ring.Reset()
	n, err := common.PEProgress(t.ring, pe)
	if err != nil {
		t.skip("%v", err)
	}
	t.take()
	return n
}

// take keeps the records of the call that has just filled the ring.
func (t *T) take() {
	for i := range t.ring.Records() {
		r := &t.ring.Records()[i]
		rec := record{Record: *r}
		if uint32(r.Kind)&payloadKind != 0 {
			rec.payload = slices.Clone(t.ring.Payload(r))
		}
		t.records = append(t.records, rec)
	}
	t.ring.Reset()
}

// payloadKind marks the kinds of records that have a payload.
const payloadKind = 0x80000000

// wait makes progress on all engines of this side until cond holds.
func (t *T) wait(asked, expected string, cond func() bool) {
	for spins := 0; !cond(); spins++ {
		if t.step() == 0 && spins > 1000 {
			time.Sleep(20 * time.Microsecond)
		}
		if t.talk != nil && t.talk.peerGone() {
			t.broken = "the other side has ended: " + t.talk.whyGone()
			panic(ended{})
		}
		if time.Now().After(t.deadline) {
			t.late(asked, expected)
		}
	}
}

// step makes one step of each engine.
func (t *T) step() (n int) {
	for _, pe := range t.engines {
		n += int(t.progress(pe))
	}
	return n
}

// drain makes progress until there is nothing to do.
func (t *T) drain() {
	for range 10000 {
		if t.step() == 0 {
			return
		}
	}
}

// of returns the records of a kind.
func (t *T) of(kind abi.Kind) []record {
	var list []record
	for _, r := range t.records {
		if r.Kind == kind {
			list = append(list, r)
		}
	}
	return list
}

// await waits for the nth record of a kind, from 1, and returns it.
func (t *T) await(kind abi.Kind, nth int, asked, expected string) record {
	t.wait(asked, expected, func() bool { return len(t.of(kind)) >= nth })
	return t.of(kind)[nth-1]
}
