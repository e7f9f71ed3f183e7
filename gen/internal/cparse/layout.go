package cparse

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// question is what the C compiler is asked about one declaration.
type question struct {
	what   string   // a type or macro
	values []string // constant expressions
	answer func([]uint64)
}

// text is an array with the answer, on one line so that an error tells which.
func (q question) text(name string) string {
	return fmt.Sprintf("unsigned long long %s[] = { %s };\n", name, strings.Join(q.values, ", "))
}

// addLayouts fills in the layouts in headers.
func (p *parser) addLayouts(names []string, done map[string]*Header) {
	groups := make([][]string, 2)
	for _, n := range names {
		switch {
		case done[n] == nil:
		case device.MatchString(n):
			groups[1] = append(groups[1], n)
		default:
			groups[0] = append(groups[0], n)
		}
	}
	for _, g := range groups {
		if len(g) == 0 || p.ask(unit{headers: g}, done) == nil {
			continue
		}
		for _, n := range g { // together they do not compile
			err := p.ask(unit{headers: []string{n}}, done)
			if err != nil && len(questions(done[n])) > 0 {
				p.notes = append(p.notes, fmt.Sprintf("%s: layouts unknown: %v", n, err))
			}
		}
	}
}

// ask compiles a unit with the questions about its headers.
func (p *parser) ask(u unit, done map[string]*Header) error {
	var all []question
	for _, n := range u.headers {
		all = append(all, questions(done[n])...)
	}
	if len(all) == 0 {
		return nil
	}
	data, left, err := p.values(u, all)
	if err != nil {
		return err
	}
	for i, q := range all {
		if v := data[name(i)]; len(v) == len(q.values) {
			q.answer(v)
		}
	}
	for i, why := range left {
		p.notes = append(p.notes, fmt.Sprintf("layout of %s unknown: %s", all[i].what, why))
	}
	return nil
}

func name(i int) string { return "cparse_layout_" + strconv.Itoa(i) }

// values are the arrays that answer questions, by name. Left are those
// questions that the compiler refused, with its words.
func (p *parser) values(u unit, all []question) (data map[string][]uint64, left map[int]string, err error) {
	dir, err := os.MkdirTemp("", "gen-cparse-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	object := filepath.Join(dir, "layout.o")
	first := strings.Count(u.text(), "\n") + 1 // line of question 0
	left = map[int]string{}
	for {
		text := u.text()
		for i, q := range all {
			if left[i] != "" {
				text += "\n"
				continue
			}
			text += q.text(name(i))
		}
		messages, err := p.compile(text, p.absent, "-fno-lto", "-c", "-o", object)
		if err == nil {
			break
		}
		more := false
		for _, m := range stdinError.FindAllStringSubmatch(messages, -1) {
			if i, _ := strconv.Atoi(m[1]); i >= first && left[i-first] == "" {
				left[i-first], more = m[2], true
			}
		}
		if !more {
			return nil, nil, fmt.Errorf("%s", firstError(messages, err))
		}
	}
	data, err = arrays(object)
	return data, left, err
}

var (
	stdinError = regexp.MustCompile(`(?m)^<stdin>:(\d+):(?:\d+:)? error: (.*)$`)
	anyError   = regexp.MustCompile(`(?m)^.*error: .*$`)
)

func firstError(messages string, err error) string {
	if m := anyError.FindString(messages); m != "" {
		return m
	}
	return err.Error()
}

// arrays are the arrays of 64-bit numbers in an object file, by symbol.
func arrays(object string) (map[string][]uint64, error) {
	f, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	out := map[string][]uint64{}
	for _, s := range symbols {
		if !strings.HasPrefix(s.Name, "cparse_layout_") || int(s.Section) >= len(f.Sections) {
			continue
		}
		section := f.Sections[s.Section]
		b := make([]byte, s.Size)
		if section.Type != elf.SHT_NOBITS { // else all are 0
			if _, err := section.ReadAt(b, int64(s.Value)); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
		for v := range slices.Chunk(b, 8) {
			out[s.Name] = append(out[s.Name], f.ByteOrder.Uint64(v))
		}
	}
	return out, nil
}

// questions are those about the complete types of a header that have a name,
// and the macros whose values depend on a layout.
func questions(h *Header) (all []question) {
	for _, r := range h.Records {
		typ := r.Kind + " " + r.Name
		if r.Name == "" {
			typ = r.Typedef
		}
		if r.Complete && typ != "" {
			all = append(all, layoutOf(typ, paths(r, ""), func(l *Layout) { r.Layout = l }))
		}
	}
	for _, e := range h.Enums {
		typ := "enum " + e.Name
		if e.Name == "" {
			typ = e.Typedef
		}
		if typ != "" {
			all = append(all, layoutOf(typ, nil, func(l *Layout) { e.Layout = l }))
		}
	}
	for _, m := range h.Macros {
		if m.NoValue == ofLayout {
			all = append(all, question{m.Name, []string{m.Name, "(" + m.Name + ") < 0"}, func(v []uint64) {
				n := int64(v[0])
				m.Int, m.Unsigned, m.NoValue = &n, n < 0 && v[1] == 0, ""
			}})
		}
	}
	return all
}

func layoutOf(typ string, paths []string, answer func(*Layout)) question {
	q := question{what: typ, values: []string{"sizeof(" + typ + ")", "_Alignof(" + typ + ")"}}
	for _, p := range paths {
		q.values = append(q.values, "__builtin_offsetof("+typ+", "+p+")")
	}
	q.answer = func(v []uint64) {
		l := &Layout{Size: int(v[0]), Align: int(v[1])}
		for i, p := range paths {
			if l.Offsets == nil {
				l.Offsets = map[string]int{}
			}
			l.Offsets[p] = int(v[2+i])
		}
		answer(l)
	}
	return q
}

// paths are the members of a record that have an address.
func paths(r *Record, prefix string) (all []string) {
	for _, f := range r.Fields {
		path, t := prefix+f.Name, f.Type
		if f.Name != "" {
			if f.Bits > 0 {
				continue
			}
			all = append(all, path)
			for ; t.Kind == Array; t = t.Elem {
				path += "[0]"
			}
			path += "."
		}
		if f.Anon != nil && (t.Kind == Struct || t.Kind == Union) {
			all = append(all, paths(f.Anon, path)...)
		}
	}
	return all
}
