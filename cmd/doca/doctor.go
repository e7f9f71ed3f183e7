// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/go-doca/go-doca/cmd/doca/internal/doctor"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

// shown is how many details of a finding the text has without --all.
const shown = 5

func newDoctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what keeps DOCA from working here, and say what to do",
		Long: `Look for what keeps DOCA from working here, and say what to do: the SDK and its files, each library and function that the
bindings call, devices and representors, permissions, limits.

Exit status: 0 if all is well, 1 if there are warnings, 2 if nothing will work.`,
		Args: noArgs,
	}
	out := outputFlag(cmd)
	all := cmd.Flags().Bool("all", false, "show all details of a finding, not just the first 5")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r := doctor.Examine(doctor.Here())
		err := out.print(cmd.OutOrStdout(), r, func(w io.Writer) { printFindings(w, r, *all) })
		if err != nil {
			return err
		}
		switch r.Worst() {
		case doctor.Warning:
			return exit{statusFailed}
		case doctor.Unusable:
			return exit{statusUnusable}
		}
		return nil
	}
	return cmd
}

var marks = map[doctor.Status]struct {
	sign  string
	color text.Color
}{
	doctor.OK:       {"ok", text.FgGreen},
	doctor.Info:     {"info", text.FgBlue},
	doctor.Warning:  {"warning", text.FgYellow},
	doctor.Unusable: {"unusable", text.FgRed},
}

func printFindings(w io.Writer, r *doctor.Report, all bool) {
	colors := isTerminal(w)
	for _, f := range r.Findings {
		mark := marks[f.Status]
		sign := fmt.Sprintf("%-8s", mark.sign)
		if colors {
			sign = mark.color.Sprint(sign)
		}
		fmt.Fprintf(w, "%s  %s: %s\n", sign, f.Check, f.Message)
		for i, d := range f.Details {
			if i == shown && !all {
				fmt.Fprintf(w, "            and %d more (--all)\n", len(f.Details)-shown)
				break
			}
			fmt.Fprintf(w, "            %s\n", d)
		}
		if f.Advice != "" {
			fmt.Fprintf(w, "          > %s\n", f.Advice)
		}
	}
	switch r.Worst() {
	case doctor.OK:
		fmt.Fprintln(w, "All is well.")
	case doctor.Warning:
		fmt.Fprintln(w, "There are warnings.")
	case doctor.Unusable:
		fmt.Fprintln(w, "No program will work with a device until this is mended.")
	}
}
