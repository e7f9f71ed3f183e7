// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteText writes the report for a terminal: what differs in full, the rest in numbers.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "DOCA:     %s %s", r.Provider, r.Version)
	if r.Path != "" {
		fmt.Fprintf(&b, " (%s)", r.Path)
	}
	fmt.Fprintf(&b, ", asked by bindings of %s on %s\n", r.Bindings, r.Machine)
	fmt.Fprintf(&b, "devices:  %s\n", r.Device)
	if r.Peer != "" {
		fmt.Fprintf(&b, "peer:     %s\n", r.Peer)
	}
	for _, s := range Statuses() {
		if s == Passed || s == Skipped {
			continue
		}
		for i := range r.Results {
			if r.Results[i].Status == s {
				r.Results[i].writeText(&b)
			}
		}
	}
	r.writeSkipped(&b)
	b.WriteString("\n")
	r.writeTable(&b)
	fmt.Fprintf(&b, "\n%s\n", r.verdict())
	_, err := io.WriteString(w, b.String())
	return err
}

// writeText writes all that a result has to say.
func (r *Result) writeText(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %s\n  rule:     %s (%s)\n", r.Status, r.Name, r.Rule, r.Source)
	for _, line := range [][2]string{{"asked", r.Asked}, {"expected", r.Expected}, {"got", r.Got}, {"reason", r.Reason}} {
		if line[1] != "" {
			fmt.Fprintf(w, "  %-9s %s\n", line[0]+":", line[1])
		}
	}
}

// writeSkipped counts what was not asked, by the reason.
func (r *Report) writeSkipped(w io.Writer) {
	reasons := map[string]int{}
	for i := range r.Results {
		if r.Results[i].Status == Skipped {
			reasons[r.Results[i].Reason]++
		}
	}
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintln(w, "\nskipped:")
	keys := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	})
	for _, reason := range keys {
		fmt.Fprintf(w, "%5d  %s\n", reasons[reason], reason)
	}
}

// tally is how many results of a library have each status.
type tally struct {
	Library string
	Cases   int
	By      map[Status]int
}

// tallies counts the results of each library.
func (r *Report) tallies() []tally {
	by := map[string]*tally{}
	for i := range r.Results {
		t := by[r.Results[i].Library]
		if t == nil {
			t = &tally{Library: r.Results[i].Library, By: map[Status]int{}}
			by[t.Library] = t
		}
		t.Cases++
		t.By[r.Results[i].Status]++
	}
	var list []tally
	for _, name := range slices.Sorted(maps.Keys(by)) {
		list = append(list, *by[name])
	}
	return list
}

func (r *Report) writeTable(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "library\tcases\t")
	for _, s := range slices.Backward(Statuses()) {
		fmt.Fprintf(tw, "%s\t", s)
	}
	fmt.Fprintln(tw)
	for _, t := range r.tallies() {
		fmt.Fprintf(tw, "%s\t%d\t", t.Library, t.Cases)
		for _, s := range slices.Backward(Statuses()) {
			fmt.Fprintf(tw, "%d\t", t.By[s])
		}
		fmt.Fprintln(tw)
	}
	_ = tw.Flush()
}

// verdict is the report in one line.
func (r *Report) verdict() string {
	var parts []string
	for _, s := range slices.Backward(Statuses()) {
		if n := r.Count(s); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(parts) == 0 {
		return "no cases"
	}
	return fmt.Sprintf("%d cases in %.1f s: %s", len(r.Results), time.Duration(r.Duration).Seconds(), strings.Join(parts, ", "))
}
