package apidiff

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
)

//go:embed html/page.html.tmpl
var pageText string

//go:embed html/page.css
var pageCSS string

//go:embed html/page.js
var pageJS string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"css":    func() template.CSS { return template.CSS(pageCSS) },
	"script": func() template.JS { return template.JS(pageJS) },
	"lower":  strings.ToLower,
}).Parse(pageText))

// WriteHTML writes the report as one page that needs nothing else.
func WriteHTML(w io.Writer, r *Report) error {
	p := htmlPage{Report: r}
	libraries, stabilities := map[string]int{}, map[string]int{}
	for _, c := range r.Changes {
		libraries[c.Library]++
		stabilities[stabilityOf(c)]++
	}
	for _, class := range Classes {
		p.Classes = append(p.Classes, choice{string(class), r.Summary.Of(class)})
		s := htmlSection{Class: class, Title: titles[class]}
		for _, c := range r.Changes {
			if c.Class == class {
				s.Changes = append(s.Changes, newHTMLChange(c))
			}
		}
		if len(s.Changes) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	for _, k := range Kinds {
		if n := r.Summary.Kinds[k]; n > 0 {
			p.Kinds = append(p.Kinds, choice{string(k), n})
		}
	}
	p.Libraries, p.Stabilities = choices(libraries), choices(stabilities)
	return page.Execute(w, p)
}

type htmlPage struct {
	*Report
	Classes, Kinds, Libraries, Stabilities []choice
	Sections                               []htmlSection
}

// choice is a value of a filter.
type choice struct {
	Value string
	Count int
}

func choices(count map[string]int) []choice {
	var out []choice
	for _, v := range slices.Sorted(maps.Keys(count)) {
		out = append(out, choice{v, count[v]})
	}
	return out
}

type htmlSection struct {
	Class   Class
	Title   string
	Changes []htmlChange
}

type htmlChange struct {
	Change
	KindList, Stable, Text string
	Sides                  []htmlSide
}

// htmlSide is a row of old and new declarations, with what differs marked.
type htmlSide struct {
	Label    string
	Old, New []span
}

type span struct {
	Text    string
	Differs bool
}

func stabilityOf(c Change) string {
	if c.Stability == "" {
		return "none"
	}
	return c.Stability
}

func newHTMLChange(c Change) htmlChange {
	h := htmlChange{Change: c, Stable: stabilityOf(c)}
	kinds := make([]string, len(c.Kinds))
	for i, k := range c.Kinds {
		kinds[i] = string(k)
	}
	h.KindList = strings.Join(kinds, " ")
	text := []string{c.Name, c.Was, string(c.Symbol), c.Library, c.Header, c.Means, strings.Join(c.Details, " "), strings.Join(c.GoAPI, " ")}
	add := func(label string, of func(*Form) string) {
		var old, new string
		if c.Old != nil {
			old = of(c.Old)
		}
		if c.New != nil {
			new = of(c.New)
		}
		if old == "" && new == "" {
			return
		}
		text = append(text, old, new)
		s := htmlSide{Label: label}
		s.Old, s.New = highlight(old, new)
		h.Sides = append(h.Sides, s)
	}
	add("C", func(f *Form) string { return f.C })
	add("Go", func(f *Form) string { return f.Go })
	for _, m := range c.Members {
		text = append(text, m.Old, m.New)
	}
	h.Text = strings.ToLower(strings.Join(text, " "))
	return h
}

// Line is a member as one line.
func (m Member) Line() string { return strings.TrimSpace(m.text()) }

// Title is what the change is about.
func (h htmlChange) Title() string { return h.Change.title() }

// BreaksFor says who is broken.
func (h htmlChange) BreaksFor() string {
	names := map[string]string{ForGo: "Go", ForC: "C"}
	var out []string
	for _, b := range h.Breaks {
		out = append(out, names[b])
	}
	return strings.Join(out, ", ")
}

// Heading names the two versions.
func (p htmlPage) Heading() string {
	return fmt.Sprintf("DOCA %s → %s", p.Old.Version, p.New.Version)
}

// highlight marks the words in which two declarations differ. Where one is missing nothing is marked.
func highlight(old, new string) (a, b []span) {
	x, y := pieces.FindAllString(old, -1), pieces.FindAllString(new, -1)
	const most = 600
	if old == "" || new == "" || len(x) > most || len(y) > most {
		return spans(x, nil), spans(y, nil)
	}
	keepX, keepY := map[int]bool{}, map[int]bool{}
	for _, m := range common(x, y) {
		keepX[m[0]], keepY[m[1]] = true, true
	}
	return spans(x, keepX), spans(y, keepY)
}

// spans joins neighbours that are alike; keep is nil where nothing differs.
func spans(tokens []string, keep map[int]bool) []span {
	var out []span
	for i, t := range tokens {
		differs := keep != nil && !keep[i]
		if n := len(out); n > 0 && out[n-1].Differs == differs {
			out[n-1].Text += t
		} else {
			out = append(out, span{t, differs})
		}
	}
	return out
}
