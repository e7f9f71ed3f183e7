package cparse

import "slices"

// What cc/v4 says about a syntax error is true, but rarely what the author of
// the header wants to hear. The functions here guess the cause from the text.

// suspect is the line of a declaration that seems to lack its semicolon: a ')'
// at the end of a line and a word at the start of the next. It is 0 where there
// is none. cc/v4 takes such a prototype for a function definition in the old
// style, and complains only where the file ends.
func (s *source) suspect() int {
	depth, paren := 0, -1
	found := 0
	s.code(func(off int) bool {
		c := s.text[off]
		switch {
		case c == '(' || c == '[':
			depth++
			paren = -1
		case c == ')' || c == ']':
			depth--
			paren = -1
			if depth == 0 && c == ')' {
				paren = off
			}
		default:
			if paren >= 0 && isIdent(c) && s.lineOf(paren) != s.lineOf(off) {
				found = s.lineOf(paren)
				return false
			}
			paren = -1
		}
		return true
	})
	if found == 0 && paren >= 0 {
		found = s.lineOf(paren) // the last declaration of the file
	}
	return found
}

// blockEnd is the offset of the '}' that ends the first block behind an offset, or -1.
func (s *source) blockEnd(from int) int {
	depth, end := 0, -1
	s.code(func(off int) bool {
		if off < from {
			return true
		}
		switch s.text[off] {
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 {
				end = off
				return false
			}
		}
		return true
	})
	return end
}

// notTypes are words in front of a name that is no type.
var notTypes = []string{"auto", "char", "const", "double", "else", "enum", "extern", "float", "inline", "int", "long", "register",
	"restrict", "return", "short", "signed", "static", "struct", "typedef", "union", "unsigned", "void", "volatile", "__attribute__"}

// unknownType is the word in front of an offset where it stands where a type
// should: cc/v4 stops behind a name that it does not know.
func (s *source) unknownType(off int) string {
	const longest = 100 // of a word that is worth showing
	type span struct{ from, to int }
	var last [2]span // words in front of the offset, the nearest last; punctuation is a word
	s.code(func(i int) bool {
		if i >= off {
			return false
		}
		if w := &last[1]; isIdent(s.text[i]) && w.to == i && w.to > w.from && isIdent(s.text[i-1]) {
			w.to++
		} else {
			last[0], last[1] = last[1], span{i, i + 1}
		}
		return true
	})
	var words []string
	for _, w := range last {
		if w.to-w.from > longest {
			return ""
		}
		if w.to > w.from {
			words = append(words, string(s.text[w.from:w.to]))
		}
	}
	if len(words) == 0 {
		return ""
	}
	w := words[len(words)-1]
	if !isIdent(w[0]) || w[0] >= '0' && w[0] <= '9' || slices.Contains(notTypes, w) {
		return ""
	}
	if len(words) > 1 {
		switch before := words[len(words)-2]; {
		case slices.Contains([]string{";", "{", "}", "(", ",", "const", "volatile", "static", "extern", "inline", "typedef"}, before):
		default:
			return ""
		}
	}
	return w
}
