package cparse

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// absence is an include that is nowhere.
type absence struct {
	name string
	pos  Pos
	line string // of the source
}

func (a absence) String() string {
	if a.pos.Line == 0 {
		return fmt.Sprintf("%s (of %s)", a.name, a.pos.File)
	}
	return fmt.Sprintf("%s (line %d of %s)", a.name, a.pos.Line, a.pos.File)
}

// absences are the includes of a unit that were not found, with one place for
// each. The error is for what makes a header useless: another header of the
// SDK that is missing, or a file that is there and cannot be read.
func (p *parser) absences(u unit, view *unitFS) ([]absence, *ParseError) {
	if len(view.missing) == 0 {
		return nil, nil
	}
	var all []absence
	left := maps.Clone(view.missing)
	place := func(file string, src *source) {
		if src == nil {
			return
		}
		names, lines := src.includes()
		for i, n := range names {
			if left[n] {
				delete(left, n)
				all = append(all, absence{n, Pos{File: file, Line: lines[i]}, src.sourceLine(lines[i])})
			}
		}
	}
	for _, h := range u.headers {
		place(h, p.files.loaded(filepath.Join(p.dir, h)))
	}
	for _, name := range p.files.paths() {
		place(p.display(name), p.files.loaded(name))
	}
	for _, n := range slices.Sorted(maps.Keys(left)) { // by a macro
		all = append(all, absence{n, Pos{File: u.name()}, ""})
	}
	for _, a := range all {
		if e := p.files.refused(a.name); e != nil {
			return nil, e
		}
		if strings.HasPrefix(path.Base(a.name), "doca") {
			return nil, &ParseError{Pos: a.pos, Text: "include file not found: " + a.name, Line: a.line}
		}
	}
	return all, nil
}

// includeSearch tells, from the text alone, which headers include what is nowhere.
// It does not know which lines are compiled, so a header that it suspects may be
// sound.
type includeSearch struct {
	p     *parser
	found map[string]bool // by include
}

// complete reports whether all that a header includes is there.
func (s *includeSearch) complete(name string) bool {
	return !slices.ContainsFunc(s.p.reach(name), func(h string) bool {
		src := s.p.files.loaded(filepath.Join(s.p.dir, h))
		if src == nil {
			return false
		}
		names, _ := src.includes()
		return slices.ContainsFunc(names, func(n string) bool { return !s.find(n) })
	})
}

func (s *includeSearch) find(include string) bool {
	there, known := s.found[include]
	if !known {
		there = slices.ContainsFunc(s.p.search(false), func(dir string) bool {
			path := filepath.Join(dir, include)
			if rel, ok := strings.CutPrefix(path, builtin); ok {
				_, err := standIns.Open("standin/" + rel)
				return err == nil
			}
			_, err := os.Stat(path)
			return err == nil
		})
		s.found[include] = there
	}
	return there
}

// refused is the reason why an include that exists could not be used.
func (f *files) refused(include string) *ParseError {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found *ParseError
	for name, e := range f.byPath {
		var pe *ParseError
		if strings.HasSuffix(name, "/"+include) && errors.As(e.err, &pe) && (found == nil || pe.Error() < found.Error()) {
			found = pe
		}
	}
	return found
}

// foreign are the names that the headers of a unit use and none declares, and
// that come, one must assume, from includes that are not there.
type foreign struct {
	absent []absence
	types  []string
	macros []string // names in places where no type can be
}

// text declares the types as structs that nobody completes, so that pointers
// to them are usable, and the macros without a replacement.
func (f *foreign) text() string {
	var b strings.Builder
	for _, n := range f.types {
		fmt.Fprintf(&b, "typedef struct %s %s;\n", n, n)
	}
	for _, n := range f.macros {
		fmt.Fprintf(&b, "#define %s\n", n)
	}
	return b.String()
}

// addForeign takes an unknown name for one of an absent include, and reports
// whether that is new.
func (p *parser) addForeign(u unit, f *foreign, name string) bool {
	switch {
	case name == "" || slices.Contains(f.types, name) || slices.Contains(f.macros, name) || p.definesType(name):
		return false
	case p.isMacro(u, name):
		f.macros = append(f.macros, name)
	default:
		f.types = append(f.types, name)
	}
	return true
}

// definesType reports whether a header of the directory has a typedef of a
// name: the C compiler misses those as well whose own type is unknown.
func (p *parser) definesType(name string) bool {
	q := regexp.QuoteMeta(name)
	def := regexp.MustCompile(`\btypedef\b[^;{}]*(?:\(\s*\*+\s*` + q + `\s*\)|\b` + q + `\s*(?:\[[^\]]*\]\s*)*;)`)
	return slices.ContainsFunc(p.files.paths(), func(path string) bool {
		s := p.files.loaded(path)
		return s != nil && filepath.Dir(path) == p.dir && s.words(name) != nil && def.Match(s.text)
	})
}

// isMacro reports whether the headers of a unit use an unknown name where no
// type can be: in front of a type, or at the very end.
func (p *parser) isMacro(u unit, name string) bool {
	return slices.ContainsFunc(p.reach(u.name()), func(h string) bool {
		s := p.files.loaded(filepath.Join(p.dir, h))
		if s == nil {
			return false
		}
		spots := s.words(name)
		if spots == nil {
			return false
		}
		code := s.onlyCode()
		for _, at := range spots {
			if s.inDirective(at) {
				continue
			}
			m := behindName.FindSubmatch(code[at+len(name):])
			next, then := string(m[1]), string(m[2])
			if next != "" && (then != "" || slices.Contains(notTypes, next)) || len(bytes.TrimSpace(code[at+len(name):])) == 0 {
				return true
			}
		}
		return false
	})
}

var behindName = regexp.MustCompile(`^\s*(?:(?:const|volatile|restrict)\b\s*)*([A-Za-z_]\w*)?\s*([A-Za-z_*]?)`)

// onlyCode is the text with comments and directives blanked.
func (s *source) onlyCode() []byte {
	code := bytes.Repeat([]byte{' '}, len(s.text))
	s.code(func(off int) bool {
		code[off] = s.text[off]
		return true
	})
	return code
}

// blame names what may be the reason for an error.
func (f *foreign) blame(text string) string {
	if f == nil || len(f.absent) == 0 {
		return text
	}
	return text + ", perhaps because of a missing include: " + f.files()
}

func (f *foreign) files() string {
	var names []string
	for _, a := range f.absent {
		names = append(names, a.String())
	}
	return strings.Join(names, ", ")
}

// notes say what was assumed.
func (f *foreign) notes() (notes []string) {
	for _, a := range f.absent {
		notes = append(notes, "not installed: "+a.String()+"; declarations that need it are missing")
	}
	for _, x := range []struct {
		names []string
		as    string
	}{{f.types, "opaque types"}, {f.macros, "macros without effect"}} {
		if x.names != nil {
			slices.Sort(x.names)
			notes = append(notes, fmt.Sprintf("no header declares %s: taken to be %s of %s", strings.Join(x.names, ", "), x.as, f.files()))
		}
	}
	return notes
}
