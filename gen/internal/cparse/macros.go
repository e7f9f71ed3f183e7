package cparse

import (
	"math"
	"math/big"
	"path/filepath"
	"slices"
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
	return quotes.Replace(strings.TrimSpace(b.String()))
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
		if h == nil || slices.Contains(placeMacros, m.Name.SrcStr()) {
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
		c.evaluate(m, x.m)
		m.Doc = x.src.macroDoc(x.line)
		x.h.Macros = append(x.h.Macros, m)
	}
}

// placeMacros have another value in each place; cc/v4 has them in its table.
var placeMacros = []string{"__FILE__", "__LINE__", "__BASE_FILE__", "__COUNTER__", "__DATE__", "__TIME__", "__INCLUDE_LEVEL__", "__func__"}

const ofLayout = "depends on the layout of a struct or union"

// evaluate sets the value of a macro, or why it has none.
func (c *collector) evaluate(to *Macro, m *cc.Macro) {
	words := c.allWords(m, map[string]bool{})
	switch {
	case slices.ContainsFunc(words, func(w string) bool { return slices.Contains(placeMacros, w) }):
		to.NoValue = "its value differs from place to place"
		return
	case c.macroNeedsLayout(m, map[string]bool{}):
		to.NoValue = ofLayout
		return
	}
	switch v := m.Value().(type) {
	case cc.Int64Value, cc.UInt64Value:
		n, unsigned, _ := intValue(v)
		to.Int, to.Unsigned, to.Type = &n, unsigned, numberType(m.Type(), n, unsigned)
	case cc.Float64Value:
		f := float64(v)
		to.Float = &f
		if t := m.Type(); t != nil && (t.Kind() == cc.Float || t.Kind() == cc.Double) {
			to.Type = &Type{Kind: Float, Name: t.Kind().String(), Size: int(t.Size())}
		}
	case *cc.LongDoubleValue:
		f, _ := (*big.Float)(v).Float64()
		to.Float = &f
	case cc.StringValue:
		if slices.Contains(words, "u8") || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, `u8"`) }) {
			to.NoValue = "a string literal with a prefix" // cc/v4 takes the prefix for text
			return
		}
		s := strings.TrimSuffix(string(v), "\x00")
		to.Str = &s
	default:
		if n, err := strconv.ParseInt(strings.TrimRight(strings.Trim(to.Value, "() "), "uUlL"), 0, 64); err == nil {
			to.Int = &n // redefined: cc/v4 does not evaluate such macros, nor tell their types
			return
		}
		to.NoValue = "not a constant expression"
		if !m.IsConst {
			to.NoValue = "defined more than once, not always the same"
		}
	}
	if f := to.Float; f != nil && (math.IsInf(*f, 0) || math.IsNaN(*f)) {
		to.Float, to.NoValue = nil, "not a finite number"
	}
}

// numberType is the type of an integer constant; nil where it is none that holds the value.
func numberType(t cc.Type, n int64, unsigned bool) *Type {
	if t == nil || !cc.IsIntegerType(t) || t.Kind() == cc.Enum || t.Size() < 1 || t.Size() > 8 {
		return nil
	}
	bits := 8 * int(t.Size())
	out := &Type{Kind: Int, Name: t.Kind().String(), Size: int(t.Size()), Signed: cc.IsSignedInteger(t)}
	switch {
	case t.Kind() == cc.Bool:
		return &Type{Kind: Bool}
	case unsigned && (out.Signed || bits < 64), !unsigned && n < 0 && !out.Signed:
		return nil
	case bits < 64 && out.Signed && (n < -1<<(bits-1) || n >= 1<<(bits-1)), bits < 64 && !out.Signed && n >= 1<<bits:
		return nil
	}
	return out
}

// allWords are the words of a macro and of the macros that it uses.
func (c *collector) allWords(m *cc.Macro, seen map[string]bool) (all []string) {
	for _, t := range m.ReplacementList() {
		w := t.SrcStr()
		all = append(all, w)
		if used := c.macros[w]; used != nil && !seen[w] {
			seen[w] = true
			all = append(all, c.allWords(used, seen)...)
		}
	}
	return all
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

// macroList is a source that expands each object-like macro of the headers
// read so far, so that the dry run covers what evaluating them will do.
func (f *files) macroList() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	b.WriteString(macrosBegin + " ;\n")
	for _, e := range f.byPath {
		if e.src == nil || e.system {
			continue
		}
		for _, d := range e.src.directives {
			if name, _ := d.macro(); d.name == "define" && name != "" && (len(d.rest) == len(name) || d.rest[len(name)] != '(') {
				b.WriteString(name + " ;\n")
			}
		}
	}
	return []byte(b.String())
}
