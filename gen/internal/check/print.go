package check

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// String is the difference on one line.
func (d Difference) String() string {
	switch d.Kind {
	case Missing:
		return fmt.Sprintf("missing: %s (%s): %s", d.Name, d.Header, d.Expected)
	case Header:
		return d.Name + ": " + d.Found
	case Library:
		if d.Name == d.Library {
			return d.Name + ": " + d.Found
		}
		return fmt.Sprintf("%s: %s: %s", d.Library, d.Name, d.Found)
	case Layout:
		e, f := strings.Split(d.Expected, "; "), strings.Split(d.Found, "; ")
		if len(e) == len(f) {
			for i := range e {
				e[i] += ", found " + f[i]
			}
			return d.Name + ": " + strings.Join(e, "; ")
		}
	}
	return fmt.Sprintf("%s: expected %s, found %s", d.Name, d.Expected, d.Found)
}

func were(n int, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return plural(n, what) + " were"
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Print writes the report for people. Verbose lists what the bindings do not know.
func (r *Report) Print(w io.Writer, verbose bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "bindings of DOCA %s, SDK %s in %s (%s)\n", r.Bindings, cmp.Or(r.SDK, "of unknown version"), r.Include, r.Compiler)
	for _, d := range r.Differences {
		b.WriteString(d.String() + "\n")
	}
	for _, n := range r.Notes {
		b.WriteString("note: " + n + "\n")
	}
	if verbose {
		for _, u := range r.Unknown {
			fmt.Fprintf(&b, "unknown to the bindings: %s | %s | %s\n", u.Header, u.Kind, u.Name)
		}
	}
	var counts []string
	for _, k := range sortedKeys(r.Checked) {
		counts = append(counts, fmt.Sprintf("%d %s", r.Checked[k], k))
	}
	if counts == nil {
		counts = []string{"nothing"}
	}
	fmt.Fprintf(&b, "%s; compared %s; the SDK has %s that the bindings do not know\n",
		plural(len(r.Differences), "difference"), strings.Join(counts, ", "), plural(len(r.Unknown), "symbol"))
	_, err := io.WriteString(w, b.String())
	return err
}
