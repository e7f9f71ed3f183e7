package apidiff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// titles are the headings of the classes.
var titles = map[Class]string{
	Breaking:   "Breaking",
	Addition:   "Compatible additions",
	Compatible: "Other compatible changes",
}

// WriteText writes the report for a terminal, the summary first.
func WriteText(w io.Writer, r *Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "DOCA %s -> %s\n", r.Old.Version, r.New.Version)
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range []struct {
		name string
		side Side
	}{{"old", r.Old}, {"new", r.New}} {
		fmt.Fprintf(tw, "%s\t%s\t%d symbols\t%s\n", s.name, s.side.Name, s.side.Symbols, s.side.Source)
	}
	tw.Flush()
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	b.WriteString("\n")
	if len(r.Changes) == 0 {
		b.WriteString("No difference.\n")
	}
	for _, row := range r.rows() {
		fmt.Fprintf(tw, "%d\t%s\t%s\n", row.count, row.title, row.kinds)
	}
	tw.Flush()
	var class Class
	lib := ""
	for _, c := range r.Changes {
		if c.Class != class {
			class, lib = c.Class, ""
			fmt.Fprintf(&b, "\n== %s (%d)\n", titles[class], r.Summary.Of(class))
		}
		if c.Library != lib {
			lib = c.Library
			fmt.Fprintf(&b, "\n-- %s\n", lib)
		}
		writeChange(&b, c)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// row is a line of the summary.
type row struct {
	count        int
	title, kinds string
	class        Class
}

func (r *Report) rows() []row {
	var out []row
	for _, class := range Classes {
		n := r.Summary.Of(class)
		if n == 0 {
			continue
		}
		count := map[Kind]int{}
		for _, c := range r.Changes {
			if c.Class == class {
				for _, k := range c.Kinds {
					count[k]++
				}
			}
		}
		var kinds []string
		for _, k := range Kinds {
			if count[k] > 0 {
				kinds = append(kinds, fmt.Sprintf("%d %s", count[k], k))
			}
		}
		title := strings.ToLower(titles[class])
		if class == Breaking {
			title += fmt.Sprintf(" (%d for Go programs)", r.Summary.ForGo)
		}
		out = append(out, row{n, title, strings.Join(kinds, ", "), class})
	}
	return out
}

func writeChange(b *strings.Builder, c Change) {
	kinds := make([]string, len(c.Kinds))
	for i, k := range c.Kinds {
		kinds[i] = string(k)
	}
	fmt.Fprintf(b, "%s: %s\n", strings.Join(kinds, ", "), c.title())
	for _, d := range c.Details {
		fmt.Fprintf(b, "    %s\n", d)
	}
	if c.shows() {
		if c.Old != nil {
			fmt.Fprintf(b, "    - %s\n", c.Old.C)
		}
		if c.New != nil {
			fmt.Fprintf(b, "    + %s\n", c.New.C)
		}
	}
	members, more := c.someMembers()
	for _, m := range members {
		fmt.Fprintf(b, "    %s\n", m.text())
	}
	if more > 0 {
		fmt.Fprintf(b, "      and %d more (-format json and -format html list them)\n", more)
	}
	fmt.Fprintf(b, "    Go: %s\n", c.Means)
	for _, g := range c.GoAPI {
		fmt.Fprintf(b, "    Go API: %s\n", g)
	}
}

// title names the symbol, and what it was before.
func (c *Change) title() string {
	t := c.Name
	if c.Was != "" {
		t = c.Was + " -> " + c.Name
	}
	switch c.Symbol {
	case Prefix:
		return t
	case Package:
		return "package " + t
	}
	t += " (" + string(c.Symbol)
	if c.Stability != "" && c.Stability != "stable" {
		t += ", " + c.Stability
	}
	return t + ")"
}

// shows tells whether the declarations say more than the name.
func (c *Change) shows() bool {
	if c.Symbol == Prefix || c.Symbol == Package || c.Symbol == "enum" || c.Symbol == "object" {
		return false
	}
	return slices.ContainsFunc(c.Kinds, func(k Kind) bool {
		return k != HeaderMoved && k != Promoted && k != Demoted && k != Deprecated && k != Undeprecated && k != Docs && k != Bound
	})
}

// someMembers are those that text and Markdown show: of a renamed prefix, a few are enough to see how.
func (c *Change) someMembers() (shown []Member, more int) {
	const most = 10
	if c.Symbol != Prefix || len(c.Members) <= most {
		return c.Members, 0
	}
	return c.Members[:most], len(c.Members) - most
}

func (m Member) text() string {
	name := cmp.Or(m.New, m.Old)
	mark := " "
	switch {
	case m.Old == "":
		mark = "+"
	case m.New == "":
		mark = "-"
	case m.Old != m.New:
		name = m.Old + " -> " + m.New
	}
	return strings.TrimRight(mark+" "+name+"  "+m.Note, " ")
}
