// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

// emulatorReport is what doca emulator prints.
type emulatorReport struct {
	InUse     bool       `json:"in_use"`
	Variables []variable `json:"variables"`
	Faults    []fault    `json:"faults"`
	Libraries []coverage `json:"libraries"`
}

type variable struct {
	Name    string `json:"name"`
	Value   string `json:"value,omitempty"` // here and now
	Values  string `json:"values"`
	Default string `json:"default"`
	Meaning string `json:"meaning"`
}

type fault struct {
	Form    string `json:"form"`
	Meaning string `json:"meaning"`
}

type coverage struct {
	Library     string   `json:"library"`
	Implemented int      `json:"implemented"`
	Missing     []string `json:"missing"`
}

func newEmulator() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "emulator",
		Short: "Show what the emulator offers: its variables, its faults, and what it lacks",
		Args:  noArgs,
	}
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r := lookAtEmulator()
		return out.print(cmd.OutOrStdout(), r, r.table)
	}
	return cmd
}

func lookAtEmulator() *emulatorReport {
	provider, err := doca.Provider()
	r := &emulatorReport{InUse: err == nil && provider.Name == emulator.Name}
	for _, v := range emulator.Variables() {
		r.Variables = append(r.Variables, variable{v.Name, os.Getenv(v.Name), v.Values, v.Default, v.Meaning})
	}
	for _, k := range emulator.FaultKinds() {
		r.Faults = append(r.Faults, fault(k))
	}
	for _, c := range emulator.Covered() {
		l := coverage{Library: c.Library, Implemented: c.Implemented, Missing: []string{}}
		l.Missing = append(l.Missing, c.Missing...)
		r.Libraries = append(r.Libraries, l)
	}
	return r
}

func (r *emulatorReport) table(w io.Writer) {
	if r.InUse {
		fmt.Fprintln(w, "The emulator is in use.")
	} else {
		fmt.Fprintln(w, "The emulator is not in use; DOCA_PROVIDER=emulator selects it.")
	}
	fmt.Fprintln(w)
	t := newTable(w, "VARIABLE", "HERE", "VALUES", "DEFAULT", "MEANING")
	for _, v := range r.Variables {
		t.AppendRow(table.Row{v.Name, v.Value, v.Values, v.Default, v.Meaning})
	}
	t.Render()
	fmt.Fprintln(w)
	t = newTable(w, "FAULT", "MEANING")
	for _, f := range r.Faults {
		t.AppendRow(table.Row{f.Form, f.Meaning})
	}
	t.Render()
	fmt.Fprintln(w)
	t = newTable(w, "LIBRARY", "FUNCTIONS", "NOT SUPPORTED")
	for _, l := range r.Libraries {
		t.AppendRow(table.Row{l.Library, l.Implemented, len(l.Missing)})
	}
	t.Render()
}
