package apidiff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// mostMarkdown is what GitHub takes for one comment, in characters.
const mostMarkdown = 65536

// WriteMarkdown writes the report as a comment for a pull request. What does not fit is counted at the end.
func WriteMarkdown(w io.Writer, r *Report) error {
	const tail = 400 // room for the note of what was cut
	var b strings.Builder
	fmt.Fprintf(&b, "## DOCA %s → %s\n\n", md(r.Old.Version), md(r.New.Version))
	fmt.Fprintf(&b, "%s (%s) → %s (%s)\n\n", code(r.Old.Name), md(r.Old.Source), code(r.New.Name), md(r.New.Source))
	if len(r.Changes) == 0 {
		b.WriteString("No difference.\n")
	} else {
		b.WriteString("| Changes | | |\n|--:|---|---|\n")
	}
	for _, row := range r.rows() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", row.count, row.title, row.kinds)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\n> %s\n", md(n))
	}
	writeLibraries(&b, r)
	writeSections(&b, r, mostMarkdown-tail-len([]rune(b.String())))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeLibraries says for each library what happened to it.
func writeLibraries(b *strings.Builder, r *Report) {
	rows := r.byLibrary()
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n| Library | Breaking (for Go) | Additions | Other | What |\n|---|--:|--:|--:|---|\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %d (%d) | %d | %d | %s |\n", md(row.name), row.breaking, row.forGo, row.addition, row.compatible, md(row.what()))
	}
}

// section is the changes of one class in one library.
type section struct {
	class   Class
	library string
	changes []item
	room    int // of its heading, once something of it is shown
}

// item is a change as Markdown; shown tells that there is room for it.
type item struct {
	text   string
	weight int
	shown  bool
}

// writeSections writes the changes that there is room for. The worst go first, those of all libraries in turn.
func writeSections(b *strings.Builder, r *Report, room int) {
	all := sections(r)
	type place struct{ section, item int }
	var order []place
	for i, s := range all {
		for j := range s.changes {
			order = append(order, place{i, j})
		}
	}
	slices.SortStableFunc(order, func(x, y place) int {
		a, c := all[x.section].changes[x.item], all[y.section].changes[y.item]
		return cmp.Or(cmp.Compare(a.weight/50, c.weight/50), cmp.Compare(x.item, y.item), cmp.Compare(x.section, y.section))
	})
	cut := map[Class]int{}
	for _, p := range order {
		s := &all[p.section]
		need := len([]rune(s.changes[p.item].text))
		if s.room == 0 {
			need += len([]rune(s.head())) + len(sectionEnd) + len(" of 99999 shown")
		}
		worse := slices.ContainsFunc(Classes[:slices.Index(Classes, s.class)], func(c Class) bool { return cut[c] > 0 })
		if worse || need > room { // nothing is shown while something worse is not
			cut[s.class]++
			continue
		}
		s.changes[p.item].shown = true
		s.room = 1
		room -= need
	}
	for _, s := range all {
		if s.room == 0 {
			continue
		}
		b.WriteString(s.head())
		for _, c := range s.changes {
			if c.shown {
				b.WriteString(c.text)
			}
		}
		b.WriteString(sectionEnd)
	}
	if len(cut) > 0 {
		var parts []string
		for _, class := range Classes {
			if cut[class] > 0 {
				parts = append(parts, fmt.Sprintf("%d of %d %s", cut[class], r.Summary.Of(class), strings.ToLower(titles[class])))
			}
		}
		fmt.Fprintf(b, "\n**Cut to the length of a comment:** %s are not shown. `gen diff -format html -o api-diff.html` has them all.\n", strings.Join(parts, ", "))
	}
}

const sectionEnd = "\n</details>\n"

func (s *section) head() string {
	shown := 0
	for _, c := range s.changes {
		if c.shown {
			shown++
		}
	}
	count := fmt.Sprint(len(s.changes))
	if shown > 0 && shown < len(s.changes) {
		count = fmt.Sprintf("%d of %d shown", shown, len(s.changes))
	}
	return fmt.Sprintf("\n<details%s><summary><b>%s</b>: %s (%s)</summary>\n\n", open(s.class), titles[s.class], md(s.library), count)
}

// sections groups the changes: the worst class first, then the libraries that break most, in each the heaviest change first.
func sections(r *Report) []section {
	var out []section
	index := map[string]int{}
	for i, row := range r.byLibrary() {
		index[row.name] = i
	}
	changes := slices.Clone(r.Changes)
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(Classes, a.Class), slices.Index(Classes, b.Class)),
			cmp.Compare(index[a.Library], index[b.Library]), cmp.Compare(weight(a), weight(b)))
	})
	for _, c := range changes {
		if n := len(out); n == 0 || out[n-1].class != c.Class || out[n-1].library != c.Library {
			out = append(out, section{class: c.Class, library: c.Library})
		}
		s := &out[len(out)-1]
		s.changes = append(s.changes, item{text: mdChange(c), weight: weight(c)})
	}
	return out
}

// open shows what breaks without a click.
func open(c Class) string {
	if c == Breaking {
		return " open"
	}
	return ""
}

// mdChange is one change as an item of a list.
func mdChange(c Change) string {
	var b strings.Builder
	kinds := make([]string, len(c.Kinds))
	for i, k := range c.Kinds {
		kinds[i] = string(k)
	}
	name := code(c.Name)
	if c.Was != "" {
		name = code(c.Was) + " → " + name
	}
	fmt.Fprintf(&b, "- **%s** %s", strings.Join(kinds, ", "), name)
	if c.Symbol != Prefix {
		fmt.Fprintf(&b, " (%s)", strings.Join(append([]string{string(c.Symbol)}, unstable(c)...), ", "))
	}
	fmt.Fprintf(&b, ": %s\n", md(c.Means))
	for _, d := range c.Details {
		fmt.Fprintf(&b, "  - %s\n", md(d))
	}
	if c.shows() {
		b.WriteString("\n    ```diff\n")
		if c.Old != nil {
			fmt.Fprintf(&b, "    - %s\n", c.Old.C)
		}
		if c.New != nil {
			fmt.Fprintf(&b, "    + %s\n", c.New.C)
		}
		b.WriteString("    ```\n\n")
	}
	members, more := c.someMembers()
	for _, m := range members {
		fmt.Fprintf(&b, "  - %s\n", code(strings.TrimSpace(m.text())))
	}
	if more > 0 {
		fmt.Fprintf(&b, "  - and %d more\n", more)
	}
	if c.Symbol == Package { // elsewhere it says again what is said
		for _, g := range c.GoAPI {
			fmt.Fprintf(&b, "  - %s\n", code(g))
		}
	}
	return b.String()
}

func unstable(c Change) []string {
	if c.Stability == "" || c.Stability == "stable" {
		return nil
	}
	return []string{c.Stability}
}

var mdEscapes = strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "<", "&lt;", ">", "&gt;", "`", "\\`", "[", "\\[", "]", "\\]", "|", "\\|", "@", "@\u200b")

// md is text that Markdown leaves alone.
func md(s string) string { return mdEscapes.Replace(s) }

func code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }
