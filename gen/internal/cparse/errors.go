package cparse

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ParseError is a place in a header that could not be read.
//
// Pos.File is the base name of a header of the directory that was parsed, and
// the whole path of any other file (a system header).
type ParseError struct {
	Pos  Pos
	Text string // what is wrong
	Line string // the source line, without surrounding blanks; empty where there is none
}

// Error returns "file:line: text", followed by the source line.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString(e.Pos.File)
	if e.Pos.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Pos.Line)
	}
	b.WriteString(": ")
	b.WriteString(e.Text)
	if e.Line != "" {
		b.WriteString("\n\t")
		b.WriteString(e.Line)
	}
	return b.String()
}

// ccPos splits a message of cc/v4 into its place and its text.
var ccPos = regexp.MustCompile(`^(.*?):(\d+):(?:(\d+):)? ?(.*)$`)

// ccOrigin is the place in cc/v4's own source that it appends to some messages.
var ccOrigin = regexp.MustCompile(`\s*\([A-Za-z0-9_]+\.go:\d+:[^()]*\)$`)

// convert turns the first message of a cc/v4 error into a ParseError.
func (p *parser) convert(u unit, err error) *ParseError {
	msg, _, _ := strings.Cut(err.Error(), "\n")
	msg = ccOrigin.ReplaceAllString(strings.TrimSpace(msg), "")
	m := ccPos.FindStringSubmatch(msg)
	if m == nil {
		return &ParseError{Pos: Pos{File: u.name()}, Text: msg}
	}
	line, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3])
	file, text := m[1], m[4]
	if file == unitName {
		return p.unfinished(u, line, text)
	}
	e := &ParseError{Pos: Pos{File: p.display(file), Line: line}, Text: text}
	if s := p.files.loaded(file); s != nil {
		e.Line = s.sourceLine(line)
		e.Text = explain(s, line, col, text)
	}
	return e
}

// asParseError makes sure that an error is a ParseError.
func asParseError(u unit, err error) *ParseError {
	var pe *ParseError
	if errors.As(err, &pe) {
		return pe
	}
	return &ParseError{Pos: Pos{File: u.name()}, Text: err.Error()}
}

// explain words the messages that would puzzle somebody who knows C but not cc/v4.
func explain(s *source, line, col int, text string) string {
	switch {
	case strings.HasPrefix(text, "macro expansion limit exceeded"):
		if s.isInclude(line) {
			return "include loop: a header includes itself without end"
		}
		return "macro expansion does not end"
	case strings.HasPrefix(text, "unexpected identifier"), strings.HasPrefix(text, "undefined"):
		if id := s.identAt(line, col); id != "" {
			return text + ": unknown type name or misplaced identifier " + strconv.Quote(id)
		}
	}
	return text
}

// unfinished is an error in the unit itself: what the header before it left open.
func (p *parser) unfinished(u unit, line int, text string) *ParseError {
	name := u.headers[0]
	if i := line - 1; i >= 0 && i < len(u.headers) {
		name = u.headers[i]
	}
	e := &ParseError{Pos: Pos{File: name}, Text: text}
	s := p.files.loaded(filepath.Join(p.dir, name))
	if s == nil {
		return e
	}
	if n := s.suspect(); n > 0 {
		e.Pos.Line, e.Line = n, s.sourceLine(n)
		e.Text = "declaration without a ';' or a body"
		return e
	}
	e.Pos.Line = s.lastCodeLine()
	e.Line = s.sourceLine(e.Pos.Line)
	e.Text = "unfinished declaration at the end of the file: " + text
	return e
}

// display is how positions name a file.
func (p *parser) display(path string) string {
	if filepath.Dir(path) == p.dir {
		return filepath.Base(path)
	}
	return strings.TrimPrefix(path, standInDir+"/")
}
