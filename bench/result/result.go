// Package result is what a run of the benchmarks has measured, in the form in which bench writes it and bench/report reads it.
package result

import (
	"fmt"
	"slices"
	"time"
)

// Run is one run of the benchmarks.
type Run struct {
	Date     time.Time     `json:"date"`
	Commit   string        `json:"commit"` // ends in "-dirty" if the tree had changes
	Go       string        `json:"go"`
	CPU      string        `json:"cpu"`
	Cores    int           `json:"cores"`
	Provider string        `json:"provider"` // the DOCA that it ran on, with its version
	Turns    int           `json:"turns"`    // of each side of a row
	Turn     time.Duration `json:"turn_ns"`  // about how long a turn took
	Rows     []Row         `json:"rows"`
	Memory   []Memory      `json:"memory"`
}

// Row compares the Go packages with one other way to do the same.
type Row struct {
	Group   string    `json:"group"`
	Name    string    `json:"name"`
	Against string    `json:"against"`
	Go      float64   `json:"go_ns"`            // the median of the turns, for one operation
	Other   float64   `json:"other_ns"`         // the same of the other side
	Ratio   Quartiles `json:"ratio"`            // of the pairs of turns: the other side's time by Go's, so more is faster Go
	Extra   Quartiles `json:"extra_ns"`         // of the pairs of turns: Go's time less the other side's
	Allocs  *float64  `json:"allocs,omitempty"` // of Go, for one operation; nil if it runs in another process
	Goal    Goal      `json:"goal"`
}

// Key names a row from run to run.
func (r Row) Key() string { return r.Group + "/" + r.Name + "/" + r.Against }

// Quartiles are the middle of some values, and what half of them lie between.
type Quartiles struct {
	Low    float64 `json:"q1"`
	Median float64 `json:"median"`
	High   float64 `json:"q3"`
}

// QuartilesOf returns the quartiles of values, interpolated between neighbours. There must be one value at least.
func QuartilesOf(values []float64) Quartiles {
	sorted := slices.Sorted(slices.Values(values))
	at := func(part float64) float64 {
		place := part * float64(len(sorted)-1)
		i := int(place)
		if i == len(sorted)-1 {
			return sorted[i]
		}
		return sorted[i] + (place-float64(i))*(sorted[i+1]-sorted[i])
	}
	return Quartiles{Low: at(0.25), Median: at(0.5), High: at(0.75)}
}

// Goal is what a row is to reach: a ratio, or a time above the other side's. The zero value is no goal.
type Goal struct {
	Ratio float64 `json:"ratio,omitempty"`    // the median ratio is at least this
	Extra float64 `json:"extra_ns,omitempty"` // the median of the extra time is at most this
}

// AtLeast is the goal of a ratio.
func AtLeast(ratio float64) Goal { return Goal{Ratio: ratio} }

// AtMost is the goal of a time above the other side's.
func AtMost(extra time.Duration) Goal { return Goal{Extra: float64(extra.Nanoseconds())} }

// String returns the goal as the table has it, or "" for none.
func (g Goal) String() string {
	switch {
	case g.Ratio != 0:
		return fmt.Sprintf("≥ %.2f", g.Ratio)
	case g.Extra != 0:
		return "≤ +" + Nanoseconds(g.Extra)
	default:
		return ""
	}
}

// Met reports whether a row has its goal; has is false for a row without one.
func (r Row) Met() (met, has bool) {
	switch {
	case r.Goal.Ratio != 0:
		return r.Ratio.Median >= r.Goal.Ratio, true
	case r.Goal.Extra != 0:
		return r.Extra.Median <= r.Goal.Extra, true
	default:
		return false, false
	}
}

// Memory is what an object takes.
type Memory struct {
	Object string  `json:"object"`
	Go     float64 `json:"go_heap_bytes"`
	C      float64 `json:"c_heap_bytes"` // of the bindings and of DOCA
	Shared float64 `json:"shared_bytes"` // memory that the emulator shares with the peer
}

// Nanoseconds returns a time with three digits, in the unit that suits it.
func Nanoseconds(ns float64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	for _, unit := range []struct {
		name string
		ns   float64
	}{{"ms", 1e6}, {"µs", 1e3}, {"ns", 1}} {
		if v := ns / unit.ns; v >= 0.9995 || unit.ns == 1 {
			return sign + threeDigits(v) + " " + unit.name
		}
	}
	return ""
}

func threeDigits(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}
