// SPDX-License-Identifier: Apache-2.0

// Package doctor looks for what keeps DOCA from working on a machine, and says what to do.
package doctor

import (
	"os"
	"path/filepath"
)

// Status is the weight of a finding.
type Status string

// The weights. What is unusable keeps every program from DOCA.
const (
	OK       Status = "ok"
	Info     Status = "info"
	Warning  Status = "warning"
	Unusable Status = "unusable"
)

// Finding is one thing that was looked at.
type Finding struct {
	Check   string   `json:"check"` // a word that stays the same, such as sdk or devices
	Status  Status   `json:"status"`
	Message string   `json:"message"`
	Details []string `json:"details,omitempty"`
	Advice  string   `json:"advice,omitempty"` // what to do
}

// Report is all findings, in the order in which to mend what is wrong.
type Report struct {
	Provider string    `json:"provider,omitempty"`
	Version  string    `json:"version,omitempty"`
	Path     string    `json:"path,omitempty"` // of the SDK's libdoca_common
	Bindings string    `json:"bindings"`       // the release that they were made from
	Findings []Finding `json:"findings"`
}

// Worst is the heaviest status of the findings.
func (r *Report) Worst() Status {
	worst := OK
	for _, f := range r.Findings {
		switch {
		case f.Status == Unusable:
			return Unusable
		case f.Status == Warning:
			worst = Warning
		}
	}
	return worst
}

func (r *Report) add(f ...Finding) { r.Findings = append(r.Findings, f...) }

// System is where the doctor looks for files of the system. The libraries and devices are those of the process.
type System struct {
	Root   string // of the files, / but for tests
	Getenv func(string) string
}

// Here is this machine.
func Here() System { return System{Root: "/", Getenv: os.Getenv} }

func (s System) path(name string) string { return filepath.Join(s.Root, name) }

// Examine looks at everything.
func Examine(s System) *Report {
	r := &Report{}
	usable := s.sdk(r)
	if usable {
		s.libraries(r)
	}
	s.cards(r)
	if usable {
		s.devices(r)
	}
	s.deviceFiles(r)
	s.lockedMemory(r)
	s.hugePages(r)
	return r
}
