package cparse

import (
	"bytes"
	"regexp"
)

// enumAttr matches what cc/v4's grammar lacks: an attribute between enum and
// its tag, spelled out or as a macro.
var enumAttr = regexp.MustCompile(`^enum\s+(?:(__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\))(?:\s*[A-Za-z_]\w*)?|([A-Za-z_]\w*)\s+[A-Za-z_]\w*)\s*\{`)

// moveEnumAttrs blanks attributes that stand between enum and its tag, and
// remembers them by the offset of the keyword. Lines and columns stay.
func (s *source) moveEnumAttrs() {
	const longest = 500 // more than any attribute that makes sense
	keyword := []byte("enum")
	for at := 0; ; at += len(keyword) {
		i := bytes.Index(s.text[at:], keyword)
		if i < 0 {
			return
		}
		at += i
		if at > 0 && isIdent(s.text[at-1]) {
			continue
		}
		m := enumAttr.FindSubmatchIndex(s.text[at:min(at+longest, len(s.text))])
		if m == nil || s.inComment(at) {
			continue
		}
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		s.takeOut(at, at+from, at+to)
	}
}

// takeOut blanks the text of an attribute of the enum at an offset.
func (s *source) takeOut(enum, from, to int) {
	if s.enumAttrs == nil {
		s.enumAttrs = map[int]string{}
		s.text = bytes.Clone(s.text)
	}
	s.enumAttrs[enum] = string(s.text[from:to])
	for i := from; i < to; i++ {
		if s.text[i] != '\n' {
			s.text[i] = ' '
		}
	}
}

func (s *source) inComment(off int) bool {
	i := s.commentFrom(off + 1)
	return i > 0 && s.comments[i-1].end > off
}
