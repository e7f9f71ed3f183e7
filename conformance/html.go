// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"time"
)

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"seconds": func(d Duration) string { return time.Duration(d).Round(100 * time.Microsecond).String() },
	"count":   func(r *Report, s Status) int { return r.Count(s) },
}).Parse(page))

// WriteHTML writes the report as one page that needs nothing else. Results are chosen by status, library and words.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, struct {
		*Report
		Statuses  []Status
		Libraries []tally
		Verdict   string
		Sorted    []Result
	}{r, Statuses(), r.tallies(), r.verdict(), r.worstFirst()})
}

// worstFirst returns the results, those that do not hold first.
func (r *Report) worstFirst() []Result {
	list := slices.Clone(r.Results)
	slices.SortStableFunc(list, func(a, b Result) int { return b.Status.weight() - a.Status.weight() })
	return list
}
