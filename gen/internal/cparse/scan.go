package cparse

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	maxFileSize = 4 << 20 // of any file that is read; real headers stay below 1 MB
	maxWord     = 4096
	maxNesting  = 200 // of brackets in one file; cc/v4 recurses some 20 frames a level
)

// scan finds comments and directives, and refuses what would take cc/v4 too long.
func (s *source) scan(name string) error {
	t := s.text
	l := limits{}
	code := false // a token has been seen on this line
	for i := 0; i < len(t); {
		if why := l.see(t[i]); why != "" {
			return s.errorAt(name, i, why, false)
		}
		switch c := t[i]; {
		case c == '\n':
			code = false
			i++
		case c == '/' && i+1 < len(t) && (t[i+1] == '*' || t[i+1] == '/'):
			end := commentEnd(t, i)
			if end < 0 {
				return s.errorAt(name, i, "unterminated comment", true)
			}
			s.comments = append(s.comments, comment{start: i, end: end, inline: code, last: blankUntilEOL(t, end)})
			if bytes.IndexByte(t[i:end], '\n') >= 0 {
				code = false
			}
			i = end
		case c == '#' && !code:
			end, d := s.scanDirective(i)
			if why := l.directive(i, d); why != "" {
				return s.errorAt(name, i, why, false)
			}
			i = end
		case c == '"' || c == '\'':
			code = true
			i = s.literal(i)
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\':
			i++
		default:
			code = true
			i++
		}
	}
	if n := len(l.ifs); n > 0 {
		return s.errorAt(name, l.ifs[n-1], "conditional without #endif", true)
	}
	return nil
}

// limits counts what must not grow without bound in a file.
type limits struct {
	run   int   // tokens since the last ';' or brace
	word  int   // length of the word that is going on
	depth int   // open brackets
	ifs   []int // open conditionals
}

// see counts a byte outside comments, literals and directives, and says what
// is wrong with it.
func (l *limits) see(c byte) string {
	if c <= ' ' {
		l.word = 0
		return ""
	}
	if !isIdent(c) || l.word == 0 {
		l.run++
	}
	if isIdent(c) {
		l.word++
	} else {
		l.word = 0
	}
	switch c {
	case ';':
		l.run = 0
	case '{', '(', '[':
		l.depth++
	case '}', ')', ']':
		l.depth = max(l.depth-1, 0)
	}
	if c == '{' || c == '}' {
		l.run = 0
	}
	switch {
	case l.run > maxRun:
		return fmt.Sprintf("a declaration of more than %d tokens", maxRun)
	case l.word > maxWord:
		return fmt.Sprintf("a word of more than %d characters", maxWord)
	case l.depth > maxNesting:
		return fmt.Sprintf("brackets nest more than %d levels deep", maxNesting)
	}
	return ""
}

// directive is see for a whole directive.
func (l *limits) directive(at int, d directive) string {
	switch {
	case strings.HasPrefix(d.name, "if"):
		l.ifs = append(l.ifs, at)
	case d.name == "endif" && len(l.ifs) > 0:
		l.ifs = l.ifs[:len(l.ifs)-1]
	}
	if len(l.ifs) > maxNesting || nesting(d.rest) > maxNesting {
		return fmt.Sprintf("preprocessor lines or brackets in one nest more than %d levels deep", maxNesting)
	}
	return ""
}

// scanDirective records the directive at i, and comments in it.
func (s *source) scanDirective(i int) (end int, d directive) {
	t := s.text
	start := i
	var b strings.Builder
	i++
loop:
	for i < len(t) {
		switch c := t[i]; {
		case c == '\\' && i+1 < len(t) && t[i+1] == '\n':
			b.WriteByte(' ')
			i += 2
		case c == '\\' && i+2 < len(t) && t[i+1] == '\r' && t[i+2] == '\n':
			b.WriteByte(' ')
			i += 3
		case c == '\n':
			break loop
		case c == '/' && i+1 < len(t) && (t[i+1] == '*' || t[i+1] == '/'):
			end := commentEnd(t, i)
			if end < 0 {
				end = len(t)
			}
			s.comments = append(s.comments, comment{start: i, end: end, inline: true, last: blankUntilEOL(t, end)})
			b.WriteByte(' ')
			i = end
		case c == '"' || c == '\'':
			end := s.literal(i)
			b.Write(t[i:end])
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	text := strings.TrimSpace(b.String())
	n := 0
	for n < len(text) && isIdent(text[n]) {
		n++
	}
	d = directive{start: start, end: i, name: text[:n], rest: strings.TrimSpace(text[n:])}
	s.directives = append(s.directives, d)
	return i, d
}

// nesting is how deeply the brackets in a line nest.
func nesting(text string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return deepest
}

// commentEnd is the offset behind the comment at i, -1 where it has no end.
func commentEnd(t []byte, i int) int {
	if t[i+1] == '/' {
		for i < len(t) && t[i] != '\n' {
			if t[i] == '\\' && i+1 < len(t) {
				i++
			}
			i++
		}
		return min(i, len(t))
	}
	j := bytes.Index(t[i+2:], []byte("*/"))
	if j < 0 {
		return -1
	}
	return i + 2 + j + 2
}

// literal is literalEnd for code. Where the line does not close the literal,
// as in "don't" between #if 0 and #endif, the quote stands for itself.
func (s *source) literal(i int) int {
	end := literalEnd(s.text, i)
	if end-i < 2 || s.text[end-1] != s.text[i] || s.text[end-1] == s.text[i] && escaped(s.text[i:end]) {
		s.loose = append(s.loose, i)
		return i + 1
	}
	return end
}

// escaped reports whether a literal ends in a quote with a backslash before it.
func escaped(t []byte) bool {
	n := 0
	for i := len(t) - 2; i > 0 && t[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// literalEnd is the offset behind the string or character constant at i; an
// unterminated one ends with its line.
func literalEnd(t []byte, i int) int {
	q := t[i]
	for i++; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case q:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(t)
}

func blankUntilEOL(t []byte, i int) bool {
	for ; i < len(t) && t[i] != '\n'; i++ {
		if t[i] != ' ' && t[i] != '\t' && t[i] != '\r' {
			return false
		}
	}
	return true
}

func isIdent(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
