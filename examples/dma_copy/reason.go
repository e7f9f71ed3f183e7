package main

import (
	"context"
	"errors"
	"fmt"
)

// reason says why a side gives up; the other side shows it. A C program always sends 0.
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

// Advice that several errors share.
const (
	itsOutput   = ": its output says more"
	sameRelease = ": run the same release of this program on both sides, or NVIDIA's on one"
)

var reasons = map[reason]string{
	reasonUnknown:     "it gives no reason: look at its output. Usual reasons: both sides have the file, neither has it, or it is empty or too large",
	reasonBoth:        "both sides have the file: remove the one to be replaced",
	reasonNeither:     "neither side has the file: with -f, name a file that one of the sides has",
	reasonTooLarge:    "the file is too large for one DMA of its device: run this program on both sides",
	reasonEmpty:       "the file is empty, which NVIDIA's program cannot copy: run this program on both sides",
	reasonSource:      "it cannot read the file" + itsOutput,
	reasonDestination: "it cannot write the file" + itsOutput,
	reasonMessage:     "it received a message that it did not expect" + sameRelease,
	reasonDMA:         "its DMA failed" + itsOutput,
	reasonChecksum:    "the checksums differ: copy it again",
	reasonInterrupted: "it was interrupted: copy it again",
	reasonTimeout:     "it waited too long: allow more time with --timeout there",
	reasonBusy:        "it is copying with another host: try again later",
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

// refused says that the other side has given up, and why.
type refused struct{ reason reason }

func (r *refused) Error() string {
	text, known := reasons[r.reason]
	if !known {
		text = fmt.Sprintf("its reason has the number %d, which this release does not know", r.reason)
	}
	return "the other side has given up: " + text
}
