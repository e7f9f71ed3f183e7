package main

import (
	"context"
	"errors"
	"fmt"
)

// reason is why a side gives up, for the other one to show. A C program's is always 0.
type reason byte

const (
	reasonUnknown reason = iota
	reasonBoth
	reasonNeither
	reasonTooLarge
	reasonEmpty
	reasonSource
	reasonDestination
	reasonMessage
	reasonDMA
	reasonChecksum
	reasonInterrupted
	reasonTimeout
	reasonBusy
)

// What to do, beside what is special.
const (
	itsOutput   = ": its output says more"
	sameRelease = ": run this program, of one release, on both sides, or NVIDIA's"
)

var reasons = map[reason]string{
	reasonUnknown:     "it gives no reason: look at its output. Usual ones are that both sides have the file or neither has it, and a file that is empty or too large",
	reasonBoth:        "both sides have the file: remove the one that is to be replaced",
	reasonNeither:     "neither side has the file: give the path of one that is there with -f, on either side",
	reasonTooLarge:    "the file is too large for one DMA of its device: use this program on both sides",
	reasonEmpty:       "the file is empty, which NVIDIA's program cannot copy: use this program on both sides",
	reasonSource:      "it cannot read the file" + itsOutput,
	reasonDestination: "it cannot write the file" + itsOutput,
	reasonMessage:     "it has received a message that it did not expect" + sameRelease,
	reasonDMA:         "its DMA failed" + itsOutput,
	reasonChecksum:    "the checksums differ: copy it again",
	reasonInterrupted: "it was interrupted: copy it again",
	reasonTimeout:     "it has waited too long: give it more with --timeout there",
	reasonBusy:        "it copies with another host just now: try again later",
}

// failure is an error with a reason for the other side.
type failure struct {
	reason reason
	error
}

func (f *failure) Unwrap() error { return f.error }

func failf(r reason, format string, args ...any) error {
	return &failure{r, fmt.Errorf(format, args...)}
}

// because gives an error a reason, unless it has one.
func because(r reason, err error) error {
	var f *failure
	var told *refused
	if err == nil || errors.As(err, &f) || errors.As(err, &told) {
		return err
	}
	return &failure{r, err}
}

func reasonOf(err error) reason {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f.reason
	case errors.Is(err, context.Canceled):
		return reasonInterrupted
	}
	return reasonUnknown
}

// refused is the end of a copy that the other side has told.
type refused struct{ reason reason }

func (r *refused) Error() string {
	text, known := reasons[r.reason]
	if !known {
		text = fmt.Sprintf("its reason has the number %d, which this version does not know", r.reason)
	}
	return "the other side has given up: " + text
}
