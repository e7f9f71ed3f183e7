package cparse

import (
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

// replacement are the tokens of a macro, blanks reduced to one.
func replacement(m *cc.Macro) string {
	var b strings.Builder
	for i, t := range m.ReplacementList() {
		if i > 0 && len(t.Sep()) > 0 {
			b.WriteByte(' ')
		}
		b.Write(t.Src())
	}
	return strings.TrimSpace(b.String())
}

// collectMacros hands each macro to the header that defines it.
func (c *collector) collectMacros() {
	type place struct {
		h    *Header
		src  *source
		m    *cc.Macro
		line int
	}
	var all []place
	for _, m := range c.macros {
		p := m.Name.Position()
		h := c.headers[p.Filename]
		if h == nil {
			continue
		}
		all = append(all, place{h, c.sourceOf(p.Filename), m, p.Line})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].line < all[j].line })
	for _, x := range all {
		name := x.m.Name.SrcStr()
		if x.m.IsFnLike {
			x.h.FuncMacros = append(x.h.FuncMacros, name)
			continue
		}
		value := replacement(x.m)
		if value == "" || name == x.src.guard() {
			continue
		}
		m := &Macro{Name: name, Value: value, Pos: Pos{File: x.h.Name, Line: x.line}}
		if n, unsigned, ok := intValue(x.m.Value()); ok && !c.macroNeedsLayout(x.m, map[string]bool{}) {
			m.Int, m.Unsigned = &n, unsigned
		} else if n, err := strconv.ParseInt(strings.TrimRight(strings.Trim(value, "() "), "uUlL"), 0, 64); err == nil {
			m.Int = &n // redefined: cc/v4 does not evaluate such macros
		}
		m.Doc = x.src.macroDoc(x.line)
		x.h.Macros = append(x.h.Macros, m)
	}
}

// macroDoc is the comment of the #define on a line: behind its value, or above it.
func (s *source) macroDoc(line int) string {
	for _, d := range s.directives {
		if s.lineOf(d.start) != line {
			continue
		}
		for _, c := range s.comments {
			if doc, trailing := s.isDoc(c); c.start > d.start && c.start <= d.end && doc && trailing {
				return s.clean([]comment{c})
			}
		}
		return s.docBefore(d.start)
	}
	return ""
}

// includesOf are the headers of the directory that a header includes directly.
func (c *collector) includesOf(src *source) (out []string) {
	names, _ := src.includes()
	seen := map[string]bool{}
	for _, n := range names {
		base := filepath.Base(n)
		if seen[base] || c.p.files.loaded(filepath.Join(c.p.dir, base)) == nil {
			continue
		}
		seen[base] = true
		out = append(out, base)
	}
	return out
}
