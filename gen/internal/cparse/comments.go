package cparse

import (
	"regexp"
	"sort"
	"strings"

	"modernc.org/token"
)

// isDoc reports whether a comment is Doxygen's, trailing whether it documents
// what stands in front of it.
func (s *source) isDoc(c comment) (doc, trailing bool) {
	t := string(s.text[c.start:c.end])
	for _, p := range []string{"/**", "/*!", "///", "//!"} {
		if !strings.HasPrefix(t, p) {
			continue
		}
		rest := t[3:]
		if rest == "" || rest[0] == '/' || p == "/**" && rest[0] == '*' {
			return false, false // an empty comment or a ruler
		}
		if rest[0] == '<' {
			return true, true
		}
		return true, c.inline && c.last
	}
	return false, false
}

var (
	groupOnly = regexp.MustCompile(`^(?:[@\\](?:[{}]|name\b.*|defgroup\b.*|addtogroup\b.*)\s*)+$`)
	fileTag   = regexp.MustCompile(`(?m)^\s*[@\\]file\b`)
	groupTag  = regexp.MustCompile(`[@\\](?:defgroup|addtogroup)\b|[@\\][{}]`)
	// conditional directives may stand between a comment and its declaration.
	conditional = map[string]bool{"if": true, "ifdef": true, "ifndef": true, "else": true, "elif": true, "endif": true}
)

// commentFrom is the index of the first comment that starts at an offset or behind it.
func (s *source) commentFrom(off int) int {
	return sort.Search(len(s.comments), func(i int) bool { return s.comments[i].start >= off })
}

// docBefore is the Doxygen block in front of the declaration that starts at an offset.
func (s *source) docBefore(off int) string {
	if s == nil || off < 0 {
		return ""
	}
	i := s.commentFrom(off)
	for i--; i >= 0; i-- {
		c := s.comments[i]
		if !s.onlyMacros(c.end, off) {
			return ""
		}
		doc, trailing := s.isDoc(c)
		if trailing {
			return ""
		}
		if !doc {
			continue
		}
		first := i
		for first > 0 && s.isLine(c) && s.continues(s.comments[first-1], s.comments[first]) {
			first--
		}
		text := s.clean(s.comments[first : i+1])
		switch {
		case text == "" || groupOnly.MatchString(text):
			continue // @{ alone
		case fileTag.MatchString(text) || groupTag.MatchString(text):
			return ""
		}
		return text
	}
	return ""
}

// isLine reports whether c is a // comment.
func (s *source) isLine(c comment) bool { return s.text[c.start+1] == '/' }

// continues reports whether b goes on with the block of /// comments that a is in.
func (s *source) continues(a, b comment) bool {
	if !s.isLine(a) || !s.isLine(b) || s.lineOf(a.start)+1 != s.lineOf(b.start) {
		return false
	}
	doc, trailing := s.isDoc(a)
	return doc && !trailing
}

// onlyMacros reports whether nothing but words (macros that expand to
// attributes or to nothing), other comments and conditionals lie between.
func (s *source) onlyMacros(from, to int) bool {
	i := s.commentFrom(from)
	var b strings.Builder
	at := from
	for ; i < len(s.comments) && s.comments[i].end <= to; i++ {
		b.Write(s.text[at:max(at, s.comments[i].start)])
		at = max(at, s.comments[i].end)
	}
	b.Write(s.text[at:to])
	d := sort.Search(len(s.directives), func(i int) bool { return s.directives[i].start >= from })
	text := b.String()
	for ; d < len(s.directives) && s.directives[d].end <= to; d++ {
		if !conditional[s.directives[d].name] {
			return false
		}
	}
	if strings.Contains(text, "#") {
		var keep []string
		for _, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), "#") {
				keep = append(keep, line)
			}
		}
		text = strings.Join(keep, "\n")
	}
	for i := range len(text) {
		if c := text[i]; c > ' ' && !isIdent(c) && c != '\\' {
			return false
		}
	}
	return true
}

// docAfter is the trailing comment of what ends at an offset.
func (s *source) docAfter(off int) string {
	for off < len(s.text) && strings.IndexByte(" \t\r,;", s.text[off]) >= 0 {
		off++
	}
	at := off
	for at < len(s.text) && s.text[at] <= ' ' {
		at++
	}
	first := s.commentFrom(at)
	if first == len(s.comments) || s.comments[first].start != at {
		return ""
	}
	doc, trailing := s.isDoc(s.comments[first])
	if !doc || !trailing || at != off && s.text[at+3] != '<' {
		return ""
	}
	last := first
	for last+1 < len(s.comments) && s.lineOf(s.comments[last+1].start) == s.lineOf(s.comments[last].end)+1 {
		d, t := s.isDoc(s.comments[last+1])
		if !d || !t || s.comments[last+1].inline {
			break
		}
		last++
	}
	return s.clean(s.comments[first : last+1])
}

// memberDoc is the comment of a member or enumerator, trailing or in front.
func (s *source) memberDoc(start, end token.Position) string {
	if s == nil {
		return ""
	}
	if off := s.offset(end.Line, end.Column); off >= 0 {
		if off < len(s.text) && s.text[off] == '}' {
			off++
		}
		for off < len(s.text) && (isIdent(s.text[off]) || strings.IndexByte(`)'"`, s.text[off]) >= 0) {
			off++
		}
		if doc := s.docAfter(off); doc != "" {
			return doc
		}
	}
	return s.docBefore(s.offset(start.Line, start.Column))
}

// fileDoc is the comment that documents the header itself.
func (s *source) fileDoc() string {
	for _, c := range s.comments {
		if doc, _ := s.isDoc(c); !doc {
			continue
		}
		if text := s.clean([]comment{c}); fileTag.MatchString(text) {
			return text
		}
	}
	return ""
}

// clean is the text of comments without what makes them comments.
func (s *source) clean(cs []comment) string {
	var lines []string
	for _, c := range cs {
		t := strings.ReplaceAll(string(s.orig[c.start:c.end]), "\r", "")
		block := strings.HasPrefix(t, "/*")
		if block {
			t = strings.TrimSuffix(t, "*/")
		}
		t = strings.TrimPrefix(t[3:], "<")
		for i, line := range strings.Split(t, "\n") {
			line = strings.TrimRight(line, " \t")
			if i > 0 {
				line = unstar(line)
			} else {
				line = strings.TrimLeft(line, " \t")
			}
			lines = append(lines, strings.TrimRight(line, " \t*"))
		}
	}
	return strings.ToValidUTF8(strings.Trim(strings.Join(dedent(lines), "\n"), "\n"), "?")
}

// unstar removes the indentation and star in front of a line of a block.
func unstar(line string) string {
	t := strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(t, "*") {
		return line
	}
	return strings.TrimPrefix(strings.TrimPrefix(t, "*"), " ")
}

// dedent removes the blanks that all lines behind the first start with.
func dedent(lines []string) []string {
	indent := -1
	for i, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, " \t")); i > 0 && l != "" && (indent < 0 || n < indent) {
			indent = n
		}
	}
	for i, l := range lines {
		if i > 0 && l != "" && indent > 0 {
			lines[i] = l[indent:]
		}
	}
	return lines
}
