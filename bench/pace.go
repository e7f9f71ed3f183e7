package main

import (
	"time"

	"github.com/go-doca/go-doca/bench/result"
)

// pace is how fast the emulator completes tasks in a row.
type pace int

const (
	atOnce   pace = iota // as fast as it can
	likeCard             // cardDelay after the submission, and up to cardRate of each context in a second
)

// What one small copy takes on a BlueField-3, and how many of them a context does in a second.
const (
	cardDelay = 1400 * time.Nanosecond
	cardRate  = 4e6
)

// group returns the name of a group of rows.
func (p pace) group(name string) string {
	if p == likeCard {
		return name + " at a card's speed"
	}
	return name
}

// inFlight is the goal of a row that has many tasks in flight: at a card's speed it is the same for all.
func (p pace) inFlight(goal result.Goal) result.Goal {
	if p == likeCard {
		return result.AtLeast(0.98)
	}
	return goal
}

// blocking is the goal of a row that has one task in flight.
func (p pace) blocking() result.Goal {
	if p == likeCard {
		return result.AtLeast(0.9)
	}
	return result.AtMost(150 * time.Nanosecond)
}
