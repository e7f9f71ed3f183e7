package cparse

import (
	"regexp"
)

// enumAttr matches what cc/v4's grammar lacks: an attribute between enum and
// its tag, spelled out or as a macro.
var enumAttr = regexp.MustCompile(`\benum\s+(?:(__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\))(?:\s*[A-Za-z_]\w*)?|([A-Za-z_]\w*)\s+[A-Za-z_]\w*)\s*\{`)

// moveEnumAttrs blanks attributes that stand between enum and its tag, and
// remembers them by the offset of the keyword. Lines and columns stay.
func (s *source) moveEnumAttrs() {
	found := enumAttr.FindAllSubmatchIndex(s.text, -1)
	if len(found) == 0 {
		return
	}
	text := append([]byte(nil), s.text...)
	s.enumAttrs = map[int]string{}
	for _, m := range found {
		if s.inComment(m[0]) {
			continue
		}
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		s.enumAttrs[m[0]] = string(text[from:to])
		for i := from; i < to; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	s.text = text
}

func (s *source) inComment(off int) bool {
	for _, c := range s.comments {
		if off >= c.start && off < c.end {
			return true
		}
	}
	return false
}
