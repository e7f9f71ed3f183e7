package cparse

import (
	"bytes"
	"regexp"
)

// overlay changes the text for cc/v4 where its scanner or parser does not cope
// with the original. All lines and columns stay what they are.
func (s *source) overlay() {
	// A string that a backslash carries over the end of the file makes the
	// scanner loop.
	s.text = append(bytes.Clone(s.text), '\n', '\n')
	// So does an empty or unfinished literal in _Pragma.
	for i := 0; ; i += len(pragma) {
		j := bytes.Index(s.text[i:], []byte(pragma))
		if j < 0 {
			break
		}
		i += j
		copy(s.text[i:], noPragma)
	}
	for _, d := range s.directives {
		if d.name == "line" { // places are those of the header itself
			s.blank(d.start, d.end)
		}
	}
	s.dropEmpty()
	s.moveEnumAttrs()
}

// dropEmpty blanks semicolons that end nothing: cc/v4 makes a member of one in
// a struct, and says so on standard error.
func (s *source) dropEmpty() {
	prev, round := byte(0), 0
	var empty []int
	if s.system {
		return
	}
	s.code(func(off int) bool {
		switch c := s.text[off]; c {
		case '(':
			round++
		case ')':
			round = max(round-1, 0)
		case ';':
			if round == 0 && (prev == ';' || prev == '{') {
				empty = append(empty, off)
				return true
			}
		}
		prev = s.text[off]
		return true
	})
	for _, off := range empty {
		s.text[off] = ' '
	}
}

const (
	pragma   = "_Pragma"
	noPragma = "_Pragm_" // a macro without a replacement
)

// blank overwrites text with blanks.
func (s *source) blank(from, to int) {
	for i := from; i < to; i++ {
		if s.text[i] > ' ' {
			s.text[i] = ' '
		}
	}
}

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
	}
	s.enumAttrs[enum] = string(s.text[from:to])
	s.blank(from, to)
}

func (s *source) inComment(off int) bool {
	i := s.commentFrom(off + 1)
	return i > 0 && s.comments[i-1].end > off
}
