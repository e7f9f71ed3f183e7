package cparse

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
	return found
}
