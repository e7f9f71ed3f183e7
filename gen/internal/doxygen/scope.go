package doxygen

import (
	"strings"
)

// Scope is where a text stands: what the C names in it are in Go there.
type Scope struct {
	// Lookup is the Go name of a C name, and whether a link may lead to it. Nil knows none.
	Lookup func(c string) (name string, link, ok bool)
	// Params are the Go forms of the parameters of a function, by their C names.
	Params map[string]string
	// NeverNil are the parameters that cannot be nil in Go, by their C names.
	NeverNil map[string]bool

	bare bool // where links are not seen
}

func (s *Scope) lookup(c string) (name string, link, ok bool) {
	if s.Lookup == nil {
		return "", false, false
	}
	name, link, ok = s.Lookup(c)
	return name, link && !s.bare, ok
}

// goWords are C's types and values that Go has under other names.
var goWords = map[string]string{
	"NULL": "nil", "nullptr": "nil", "TRUE": "true", "FALSE": "false", "size_t": "uint64",
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64", "uintptr_t": "uintptr",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64",
}

// GoWord is the Go name of one of C's own types or values.
func GoWord(c string) (name string, ok bool) {
	name, ok = goWords[c]
	return name, ok
}

// word is a C identifier in Go. Marked tells that the author marked it as a piece of code, so
// that it is no word of English; called that parentheses follow it.
func (s *Scope) word(c string, marked, called bool) (name string, link bool) {
	if g, ok := s.Params[c]; ok && (marked || strings.Contains(c, "_")) {
		return g, false
	}
	if g, link, ok := s.lookup(c); ok {
		return g, link
	}
	if g, ok := goWords[c]; ok {
		return g, false
	}
	if called {
		c += "()"
	}
	return c, false
}

// Link is a C name as Go's, as a link if there is something to link to.
func (s *Scope) Link(c string) string {
	g, link := s.word(c, true, false)
	if link {
		return "[" + g + "]"
	}
	return g
}

// Text converts running text, with Doxygen's inline commands, to prose in one piece.
func (s *Scope) Text(t string) string {
	parts := s.inline(t)
	for i, p := range parts[:max(len(parts)-1, 0)] {
		parts[i] = sentence(p)
	}
	return strings.Join(parts, " ")
}

// flat is the text of all sections of a kind.
func (s *Scope) flat(d *document, kind sectionKind) string {
	var blocks []block
	for _, sec := range d.of(kind) {
		blocks = append(blocks, sec.Blocks...)
	}
	return s.Text(flatText(blocks))
}

// capital begins a sentence, unless it begins with the Go name of a parameter.
func (s *Scope) capital(t string) string {
	first := firstRun.FindString(t)
	for _, g := range s.Params {
		if g == first {
			return t
		}
	}
	return UpperFirst(t)
}

// isWordOfEnglish tells whether a parameter has a name that reads as a word, and another one in Go only because Go has its own
// use for the word: type, range, func.
func (s *Scope) isWordOfEnglish(c string) bool {
	g, ok := s.Params[c]
	return ok && g != c && !strings.Contains(c, "_") && firstRun.FindString(g) == g
}
