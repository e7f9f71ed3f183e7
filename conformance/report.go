// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"io"
	"time"
)

// Status is how a case has ended.
type Status string

// The statuses of results.
const (
	Passed  Status = "passed"  // the answers are those of the rule
	Known   Status = "known"   // another answer, which this release is known to give
	Skipped Status = "skipped" // not asked, for the reason that the result gives
	Differs Status = "differs" // another answer
	Crashed Status = "crashed" // the process ended while the case ran
	Timeout Status = "timeout" // a call did not return in time
)

// Statuses returns all statuses, the worst first.
func Statuses() []Status { return []Status{Crashed, Timeout, Differs, Known, Skipped, Passed} }

// weight orders statuses: of the two sides of a case, the greater one counts.
func (s Status) weight() int {
	switch s {
	case Passed:
		return 0
	case Skipped:
		return 1
	case Known:
		return 2
	case Differs:
		return 3
	case Timeout:
		return 4
	}
	return 5
}

// Failed tells whether the status says that a rule does not hold.
func (s Status) Failed() bool { return s.weight() >= Differs.weight() }

// Duration is a time.Duration that is seconds in JSON.
type Duration time.Duration

// MarshalJSON writes the duration as a number of seconds.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).Seconds()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var s float64
	err := json.Unmarshal(text, &s)
	*d = Duration(s * float64(time.Second))
	return err
}

// Result is how a case has ended. Asked, Expected and Got are the question that decided it: the first one that was
// answered otherwise, or the last one.
type Result struct {
	Name      string   `json:"name"`
	Library   string   `json:"library"`
	Rule      string   `json:"rule"`
	Source    Source   `json:"source"`
	Status    Status   `json:"status"`
	Asked     string   `json:"asked,omitempty"`
	Expected  string   `json:"expected,omitempty"`
	Got       string   `json:"got,omitempty"`
	Reason    string   `json:"reason,omitempty"` // why it was skipped, how it crashed, where the difference is known from
	Questions int      `json:"questions"`        // how many answers were compared
	Duration  Duration `json:"seconds"`
}

// Report is what [Run] has found.
type Report struct {
	Provider string    `json:"provider"`       // "sdk" or "emulator"
	Version  string    `json:"version"`        // of the DOCA that was asked
	Path     string    `json:"path,omitempty"` // of its libdoca_common
	Bindings string    `json:"bindings"`       // the release that the bindings were made from
	Machine  string    `json:"machine"`        // operating system and architecture
	Device   string    `json:"device"`         // the devices that there are, or why there is none
	Peer     string    `json:"peer,omitempty"` // the DOCA of the other machine
	Started  time.Time `json:"started"`
	Duration Duration  `json:"seconds"`
	Results  []Result  `json:"results"`
}

// Count returns how many results have a status.
func (r *Report) Count(s Status) (n int) {
	for i := range r.Results {
		if r.Results[i].Status == s {
			n++
		}
	}
	return n
}

// Failed tells whether any rule does not hold.
func (r *Report) Failed() bool {
	for i := range r.Results {
		if r.Results[i].Status.Failed() {
			return true
		}
	}
	return false
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
