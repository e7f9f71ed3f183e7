package cparse

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source is a header as text, with what cc/v4 does not keep: where its
// comments and directives are.
type source struct {
	text       []byte // as given to cc/v4; differs from orig where overlay or joinLines say
	orig       []byte
	lines      []int // offset of each line's first byte
	comments   []comment
	directives []directive
	// enumAttrs are the attributes taken out from behind the enum keyword at an offset.
	enumAttrs map[int]string
	loose     []int // quotes that open a literal which its line does not close
	system    bool
	problems  []Problem // declarations that were blanked
}

// comment is one /* */ or // comment.
type comment struct {
	start, end int
	inline     bool // code precedes it on its first line
	last       bool // nothing but blanks follows it on its last line
}

// directive is one preprocessor line, continuation lines included.
type directive struct {
	start, end int
	name, rest string // "define", "X 1"
}

// newSource indexes text. The error says what makes it unfit to be parsed.
// Of a system header only the lines are indexed.
func newSource(name string, text []byte, system bool) (*source, error) {
	s := &source{orig: text, text: text, lines: []int{0}, system: system}
	for i, c := range text {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	if !system {
		s.text = joinLines(text)
	}
	var err error
	if !system {
		err = s.scan(name)
	}
	if i := s.nul(); i >= 0 {
		err = s.errorAt(name, i, "NUL byte: not a text file", false)
	}
	if err != nil {
		return s, err
	}
	s.overlay()
	return s, nil
}

// nul is the offset of the first NUL byte outside a comment, -1 where there is
// none. Those in comments become blanks, which is how a C compiler sees them.
func (s *source) nul() int {
	if bytes.IndexByte(s.text, 0) < 0 {
		return -1
	}
	s.text, s.orig = bytes.Clone(s.text), bytes.Clone(s.orig)
	for i, c := range s.text {
		if c != 0 {
			continue
		}
		if !s.inComment(i) {
			return i
		}
		s.text[i], s.orig[i] = ' ', ' '
	}
	return -1
}

func (s *source) errorAt(name string, off int, text string, quote bool) *ParseError {
	line := s.lineOf(off)
	e := &ParseError{Pos: Pos{File: name, Line: line}, Text: text}
	if quote {
		e.Line = s.sourceLine(line)
	}
	return e
}

// lineOf is the number of the line that holds the offset.
func (s *source) lineOf(off int) int {
	return sort.SearchInts(s.lines, off+1)
}

// offset is the inverse: line and column (in bytes) count from 1. It is -1
// for a place outside the text.
func (s *source) offset(line, col int) int {
	if line < 1 || line > len(s.lines) {
		return -1
	}
	if off := s.lines[line-1] + max(col, 1) - 1; off <= len(s.text) {
		return off
	}
	return -1
}

// sourceLine is the original text of a line, shortened where it is very long.
func (s *source) sourceLine(line int) string {
	const limit = 200
	if line < 1 || line > len(s.lines) {
		return ""
	}
	t := s.orig[s.lines[line-1]:]
	if i := bytes.IndexByte(t, '\n'); i >= 0 {
		t = t[:i]
	}
	t = bytes.TrimSpace(t)
	if len(t) > limit {
		t = append(append([]byte{}, t[:limit]...), "..."...)
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r != '\t' && !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, string(t))
}

// identAt is the identifier at a place, "" where there is none.
func (s *source) identAt(line, col int) string {
	off := s.offset(line, col)
	if off < 0 {
		return ""
	}
	end := off
	for end < len(s.text) && isIdent(s.text[end]) {
		end++
	}
	return string(s.text[off:end])
}

// isInclude reports whether a line is an #include.
func (s *source) isInclude(line int) bool {
	for _, d := range s.directives {
		if s.lineOf(d.start) == line {
			return strings.HasPrefix(d.name, "include")
		}
	}
	return false
}

// guard is the name of the include guard, "" where there is none.
func (s *source) guard() string {
	if len(s.directives) < 2 || s.directives[0].name != "ifndef" || s.directives[1].name != "define" {
		return ""
	}
	if name, _ := s.directives[1].macro(); name == s.directives[0].rest {
		return name
	}
	return ""
}

// once reports whether the file says #pragma once.
func (s *source) once() bool {
	for _, d := range s.directives {
		if d.name == "pragma" && strings.HasPrefix(d.rest, "once") {
			return true
		}
	}
	return false
}

// macro splits a #define into name and value.
func (d directive) macro() (name, value string) {
	n := 0
	for n < len(d.rest) && isIdent(d.rest[n]) {
		n++
	}
	return d.rest[:n], strings.TrimSpace(d.rest[n:])
}

// includes are the names in #include directives, in order, with the line of each.
func (s *source) includes() (names []string, lines []int) {
	for _, d := range s.directives {
		if d.name != "include" || len(d.rest) < 3 {
			continue
		}
		end := byte('>')
		if d.rest[0] == '"' {
			end = '"'
		} else if d.rest[0] != '<' {
			continue
		}
		if i := strings.IndexByte(d.rest[1:], end); i > 0 {
			names = append(names, d.rest[1:1+i])
			lines = append(lines, s.lineOf(d.start))
		}
	}
	return names, lines
}

// lastCodeLine is the last line that holds something else than blanks,
// comments and directives.
func (s *source) lastCodeLine() int {
	last := 0
	s.code(func(off int) bool { last = off; return true })
	return s.lineOf(last)
}

// code calls f with the offset of every byte of code that is not blank, until f returns false.
func (s *source) code(f func(off int) bool) {
	c, d := 0, 0
	for i := 0; i < len(s.text); {
		switch {
		case d < len(s.directives) && i == s.directives[d].start:
			i = s.directives[d].end
			d++
		case c < len(s.comments) && i >= s.comments[c].start:
			i = max(i, s.comments[c].end)
			c++
		case s.text[i] <= ' ':
			i++
		default:
			if !f(i) {
				return
			}
			i++
		}
	}
}
