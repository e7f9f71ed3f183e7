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
	size := len([]rune(b.String()))
	cut := map[Class]int{}
	for _, s := range sections(r) {
		if worst := slices.IndexFunc(Classes, func(c Class) bool { return cut[c] > 0 }); worst >= 0 && s.class != Classes[worst] {
			cut[s.class] += len(s.changes) // nothing is shown while something worse is not
			continue
		}
		head := fmt.Sprintf("\n<details%s><summary><b>%s</b>: %s (%d)</summary>\n\n", open(s.class), titles[s.class], md(s.library), len(s.changes))
		const end = "\n</details>\n"
		var body strings.Builder
		room := mostMarkdown - tail - size - len([]rune(head)) - len(end)
		for i, c := range s.changes {
			text := mdChange(c)
			if n := len([]rune(text)); n > room {
				cut[s.class] += len(s.changes) - i
				break
			} else {
				room -= n
			}
			body.WriteString(text)
		}
		if body.Len() == 0 {
			continue
		}
		b.WriteString(head + body.String() + end)
		size += len([]rune(head+body.String())) + len(end)
	}
	if len(cut) > 0 {
		var parts []string
		for _, class := range Classes {
			if cut[class] > 0 {
				parts = append(parts, fmt.Sprintf("%d of %d %s", cut[class], r.Summary.Of(class), strings.ToLower(titles[class])))
			}
		}
		fmt.Fprintf(&b, "\n**Cut to the length of a comment:** %s are not shown. `gen diff -format html -o api-diff.html` has them all.\n", strings.Join(parts, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// section is the changes of one class in one library.
type section struct {
	class   Class
	library string
	changes []Change
}

func sections(r *Report) []section {
	var out []section
	for _, c := range r.Changes {
		if n := len(out); n == 0 || out[n-1].class != c.Class || out[n-1].library != c.Library {
			out = append(out, section{class: c.Class, library: c.Library})
		}
		s := &out[len(out)-1]
		s.changes = append(s.changes, c)
	}
	slices.SortStableFunc(out, func(a, b section) int {
		return cmp.Compare(slices.Index(Classes, a.class), slices.Index(Classes, b.class))
	})
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
	for _, m := range c.Members {
		fmt.Fprintf(&b, "  - %s\n", code(strings.TrimSpace(m.text())))
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
