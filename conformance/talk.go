// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// frame is a line between the two sides of a case.
type frame struct {
	Case int     `json:"case"` // its place in the list that both sides go through
	Word string  `json:"word,omitempty"`
	Data []byte  `json:"data,omitempty"`
	End  *Result `json:"end,omitempty"` // this side of the case is over
}

// line is one end of what connects the two sides. They go through the same list of cases in step.
type line struct {
	mu     sync.Mutex // of writes
	out    io.Writer
	frames chan frame
}

func newLine(rw io.ReadWriter) *line {
	l := &line{out: rw, frames: make(chan frame, 1024)}
	go l.read(rw)
	return l
}

// read passes on what comes. A line that is not a frame is the rest of one that a crashed process had begun to read.
func (l *line) read(in io.Reader) {
	defer close(l.frames)
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 1<<24)
	for scan.Scan() {
		var f frame
		if json.Unmarshal(scan.Bytes(), &f) == nil {
			l.frames <- f
		}
	}
}

func (l *line) write(f frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(text, '\n'))
	return err
}

// lineLost is why a case was not asked when the line is gone, or the end of that.
const lineLost = "the connection to the other side is lost"

// talk is a case's part of a line.
type talk struct {
	line   *line
	number int
	host   bool // this is the host's side
	queue  []frame
	end    *Result // how the other side has ended
	lost   bool    // the line is gone
}

// poll takes what has come. Frames of earlier cases are dropped.
func (k *talk) poll(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !k.lost && k.end == nil {
		var f frame
		var ok bool
		select {
		case f, ok = <-k.line.frames:
		default:
			if wait == 0 {
				return
			}
			select {
			case f, ok = <-k.line.frames:
			case <-timer.C:
				return
			}
		}
		switch {
		case !ok:
			k.lost = true
		case f.Case != k.number:
		case f.End != nil:
			k.end = f.End
		default:
			k.queue = append(k.queue, f)
			return
		}
	}
}

// peerGone tells whether the other side has ended without having said anything that is still to be read.
func (k *talk) peerGone() bool {
	if len(k.queue) == 0 {
		k.poll(0)
	}
	return len(k.queue) == 0 && (k.lost || k.end != nil && k.end.Status != Passed && k.end.Status != Known)
}

func (k *talk) whyGone() string {
	switch {
	case k.end == nil:
		return lineLost
	case k.end.Reason != "":
		return k.end.Reason
	}
	return k.end.Asked + ": " + k.end.Got
}

// finish tells the other side the result of this one, waits for that of the other, and returns that of both.
func (k *talk) finish(side string, own Result, deadline time.Time) Result {
	if err := k.line.write(frame{Case: k.number, End: &own}); err != nil {
		k.lost = true
	}
	for k.end == nil && !k.lost && time.Now().Before(deadline) {
		k.queue = nil
		k.poll(10 * time.Millisecond)
	}
	other := "host: "
	if side == sideHost {
		other = "DPU: "
	}
	peer := Result{Status: Skipped, Reason: "the other side has not answered in time"}
	switch {
	case k.end != nil:
		peer = *k.end
	case k.lost:
		peer.Reason = lineLost
	}
	own.Questions += peer.Questions
	// A side that could not go on is told apart from the one that is the reason.
	if peer.Status.weight() > own.Status.weight() {
		own.Status, own.Expected, own.Got, own.Reason = peer.Status, peer.Expected, peer.Got, peer.Reason
		own.Asked = peer.Asked
		if peer.Asked != "" {
			own.Asked = other + peer.Asked
		} else if peer.Reason != "" {
			own.Reason = other + peer.Reason
		}
	}
	return own
}

// tell says a word to the other side, with data.
func (t *T) tell(word string, data ...[]byte) {
	f := frame{Case: t.talk.number, Word: word}
	if len(data) > 0 {
		f.Data = data[0]
	}
	if err := t.talk.line.write(f); err != nil {
		t.broken = lineLost
		panic(ended{})
	}
}

var errPeerEnded = errors.New("the other side has ended")

// hear waits for a word of the other side, making progress on all engines of this one.
func (t *T) hear(word string) []byte {
	k := t.talk
	for {
		if len(k.queue) > 0 {
			f := k.queue[0]
			k.queue = k.queue[1:]
			if f.Word != word {
				t.broken = "the other side said " + f.Word + " in place of " + word
				panic(ended{})
			}
			return f.Data
		}
		wait := time.Duration(0)
		if t.step() == 0 {
			wait = 50 * time.Microsecond
		}
		k.poll(wait)
		switch {
		case len(k.queue) > 0:
		case k.lost || k.end != nil:
			t.broken = errPeerEnded.Error() + ": " + k.whyGone()
			panic(ended{})
		case time.Now().After(t.deadline):
			t.broken = "the other side has not said " + word + " in time"
			panic(ended{})
		}
	}
}
