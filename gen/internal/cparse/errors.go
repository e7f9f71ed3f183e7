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

	unknown string // the type name that Text says is unknown
	tooLong bool   // see errTooLong
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

// asParseError makes sure that an error is a ParseError.
func asParseError(u unit, err error) *ParseError {
	var pe *ParseError
	if errors.As(err, &pe) {
		return pe
	}
	return &ParseError{Pos: Pos{File: u.name()}, Text: err.Error()}
}

var (
	// ccPos splits a message of cc/v4 into its place and its text.
	ccPos = regexp.MustCompile(`^(.*?):(\d+):(?:(\d+):)? ?(.*)$`)
	// ccOrigin is the place in cc/v4's own source that it appends to some messages.
	ccOrigin = regexp.MustCompile(`\s*\([A-Za-z0-9_]+\.go:\d+:[^()]*\)$`)
	// ccEOF is a message about the end of the unit, which has no place.
	ccEOF = regexp.MustCompile(`^(?:-|<unit>(?::\d+)*): *(.*)$`)
	// ccTwoTypes is what a '}' without ';' makes of the next declaration.
	ccTwoTypes = regexp.MustCompile(`missed/failed type check(?: -)?: \[(?:.* )?TypeSpecifier(?:Enum|StructOrUnion)\b`)
	// ccMixed is what words that make no type together are to cc/v4.
	ccMixed = regexp.MustCompile(`TODO \*cc\.\w+ missed/failed type check(?: -)?: \[(\S+)( .*)?\]`)
)

// plainWords says a message of cc/v4 about its own types in terms of C.
func plainWords(text string) string {
	switch m := ccMixed.FindStringSubmatch(text); {
	case m == nil:
		return text
	case m[2] == "":
		return "type specifier not supported: " + strings.TrimPrefix(m[1], "TypeSpecifier")
	}
	return "two types in one declaration, or an unknown macro"
}

// convert turns the first message of a cc/v4 error into a ParseError; col is
// the column that goes with its line, 0 where there is none.
func (p *parser) convert(u unit, err error) (e *ParseError, col int) {
	const longest = 400
	msg, _, _ := strings.Cut(err.Error(), "\n")
	if len(msg) > 10*longest {
		msg = strings.ToValidUTF8(msg[:10*longest], "?")
	}
	msg = ccOrigin.ReplaceAllString(strings.TrimSpace(msg), "")
	if m := ccEOF.FindStringSubmatch(msg); m != nil {
		return p.unfinished(u, m[1]), 0
	}
	m := ccPos.FindStringSubmatch(msg)
	if m == nil {
		if ccTwoTypes.MatchString(msg) {
			msg = "two types in the declaration of a member: is there a ';' missing behind a '}'?"
		}
		return &ParseError{Pos: Pos{File: u.name()}, Text: msg}, 0
	}
	line, _ := strconv.Atoi(m[2])
	col, _ = strconv.Atoi(m[3])
	file, text := m[1], strings.ReplaceAll(m[4], p.dir+string(filepath.Separator), "")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "?") + "..."
	}
	e = &ParseError{Pos: Pos{File: p.display(file), Line: line}, Text: quotes.Replace(text)}
	if s := p.files.loaded(file); s != nil {
		s.explain(e, col)
		e.Line = s.sourceLine(e.Pos.Line)
	}
	return e, col
}

// explain words the messages that would puzzle somebody who knows C but not cc/v4.
func (s *source) explain(e *ParseError, col int) {
	off := s.offset(e.Pos.Line, col)
	switch {
	case off >= 0 && off < len(s.text) && s.text[off] == looseQuotes['\'']:
		e.Text = "character constant not terminated"
	case off >= 0 && off < len(s.text) && s.text[off] == looseQuotes['"']:
		e.Text = "string literal not terminated"
	case strings.HasPrefix(e.Text, "macro expansion limit exceeded"):
		e.Text = "macro expansion does not end"
		if s.isInclude(e.Pos.Line) {
			e.Text = "include loop: a header includes itself without end"
		}
	case ccTwoTypes.MatchString(e.Text) && off >= 0:
		e.Text = "two types in one declaration: a ';' missing behind the '}'?"
		if end := s.blockEnd(off); end >= 0 {
			e.Pos.Line = s.lineOf(end)
			e.Text = "expected ';' after '}'"
		}
	case strings.HasPrefix(e.Text, "unexpected ") && off >= 0:
		if w := s.unknownType(off); w != "" {
			e.Text = fmt.Sprintf("unknown type name %q (%s)", w, e.Text)
			e.unknown = w
		}
	default:
		e.Text = plainWords(e.Text)
	}
}

// unfinished is an error at the end of a unit: some header left a declaration
// open. It is looked for in the headers of the unit and what they include.
func (p *parser) unfinished(u unit, text string) *ParseError {
	for _, h := range u.headers {
		for _, name := range p.reach(h) {
			s := p.files.loaded(filepath.Join(p.dir, name))
			if s == nil {
				continue
			}
			if n := s.suspect(); n > 0 {
				return &ParseError{Pos: Pos{File: name, Line: n}, Text: "expected ';' or a body after ')'", Line: s.sourceLine(n)}
			}
		}
	}
	e := &ParseError{Pos: Pos{File: u.name()}, Text: "unfinished declaration at the end of the file: " + text}
	if s := p.files.loaded(filepath.Join(p.dir, u.name())); s != nil {
		e.Pos.Line = s.lastCodeLine()
		e.Line = s.sourceLine(e.Pos.Line)
		e.unknown = s.unknownType(len(s.text))
	}
	return e
}

// display is how positions name a file.
func (p *parser) display(path string) string {
	if rel, ok := strings.CutPrefix(path, p.dir+string(filepath.Separator)); ok {
		return rel
	}
	return strings.TrimPrefix(path, builtin)
}
