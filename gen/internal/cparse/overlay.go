package cparse

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
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
		with := noPragma
		if packOp.Match(s.text[i:min(i+50, len(s.text))]) && !s.system {
			with = packPragma
		}
		copy(s.text[i:], with)
	}
	for _, d := range s.directives {
		if d.name == "line" { // places are those of the header itself
			s.blank(d.start, d.end)
		}
	}
	if s.system {
		return
	}
	for _, off := range s.loose {
		s.text[off] = looseQuotes[s.text[off]]
	}
	s.dropAsserts()
	s.dropAttributes()
	s.dropEmpty()
	s.moveEnumAttrs()
	s.markPacks()
}

// looseQuotes stand in for quotes that open nothing, which stop cc/v4 even
// where they are between #if 0 and #endif; quotes is the way back from all that
// overlay puts in the place of something.
var (
	looseQuotes = map[byte]byte{'\'': 1, '"': 2}
	quotes      = strings.NewReplacer("\x01", "'", "\x02", `"`, noPragma, pragma, packPragma, pragma)
)

// joinLines moves blanks between a backslash and the end of its line in front
// of the backslash: such lines go on, for C compilers if not for cc/v4.
func joinLines(text []byte) []byte {
	spots := blankJoin.FindAllIndex(text, -1)
	if spots == nil {
		return text
	}
	text = bytes.Clone(text)
	for _, m := range spots {
		t := bytes.TrimRight(text[m[0]:m[1]], "\r\n")
		t[0], t[len(t)-1] = ' ', '\\'
	}
	return text
}

var blankJoin = regexp.MustCompile(`\\[ \t]+\r?\n`)

// dropAsserts blanks assertions: they declare nothing, and cc/v4 takes none
// without a message.
func (s *source) dropAsserts() {
	for _, word := range []string{"_Static_assert", "static_assert"} {
		for _, at := range s.words(word) {
			i := skipBlanks(s.text, at+len(word))
			if s.inDirective(at) || i == len(s.text) || s.text[i] != '(' {
				continue
			}
			if end := closing(s.text, i); end > 0 {
				if i := skipBlanks(s.text, end); i < len(s.text) && s.text[i] == ';' {
					s.blank(at, i+1)
				}
			}
		}
	}
}

// dropAttributes blanks those attributes of C23 that say nothing about a type
// or about whether a function should be used: cc/v4 takes none.
func (s *source) dropAttributes() {
	for _, m := range harmless.FindAllIndex(s.text, -1) {
		if !s.inComment(m[0]) {
			s.blank(m[0], m[1])
		}
	}
}

var harmless = regexp.MustCompile(`\[\[\s*(?:(?:nodiscard|maybe_unused|noreturn|fallthrough|reproducible|unsequenced|(?:gnu|clang)::(?:unused|nonnull|const|pure|cold|hot|malloc))(?:\s*\([^()]*\))?\s*,?\s*)+\]\]`)

// markPacks turns #pragma pack into something that stays in the syntax tree,
// so that the collector meets it where it takes effect: an assertion whose text
// is the pragma. The macros are in predefined.
func (s *source) markPacks() {
	const longest = 100 // from the # to the name
	for _, d := range s.directives {
		if d.name == "pragma" && packArgs.MatchString(d.rest) {
			i := bytes.Index(s.text[d.start:min(d.start+longest, d.end)], []byte("pack"))
			if i < 0 {
				continue
			}
			end := d.start + i + len("pack")
			s.blank(d.start, end)
			copy(s.text[end-len(packMacro):], packMacro)
		}
	}
}

const packMacro = "_cparse_pack" // as long as "#pragma pack"

func (s *source) inDirective(off int) bool {
	i := sort.Search(len(s.directives), func(i int) bool { return s.directives[i].end > off })
	return i < len(s.directives) && s.directives[i].start <= off
}

// dropEmpty blanks semicolons that end nothing: cc/v4 makes a member of one in
// a struct, and says so on standard error.
func (s *source) dropEmpty() {
	prev, round := byte(0), 0
	var empty []int
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
	// packPragma is a macro like packMacro, for a string.
	packPragma = "_Pack__"
)

var packArgs = regexp.MustCompile(`^pack\s*\(`)

var packOp = regexp.MustCompile(`^_Pragma\s*\(\s*"\s*pack\s*\([^"\\\n]*"\s*\)`)

// blank overwrites text with blanks.
func (s *source) blank(from, to int) {
	for i := from; i < to; i++ {
		if s.text[i] > ' ' {
			s.text[i] = ' '
		}
	}
}

// moveEnumAttrs blanks attributes that stand between enum and its tag, which
// cc/v4's grammar lacks, and remembers them by the offset of the keyword.
func (s *source) moveEnumAttrs() {
	for _, at := range s.words("enum") {
		if from, to := s.enumAttr(at); to > from {
			s.takeOut(at, from, to)
		}
	}
}

// enumAttr is the range of the attributes, spelled out or as macros, between
// the enum keyword at an offset and the tag or brace behind it.
func (s *source) enumAttr(at int) (from, to int) {
	const longest = 2000 // more than any attributes that make sense
	t := s.text[:min(at+longest, len(s.text))]
	i := skipBlanks(t, at+len("enum"))
	from = i
	tagged, called := false, false // a plain word, and behind one a word with brackets
	for to = i; i < len(t); i = skipBlanks(t, i) {
		word := i
		for i < len(t) && isIdent(t[i]) {
			i++
		}
		switch next := skipBlanks(t, i); {
		case word == i && t[i] == '{' && called:
			return 0, 0 // the body of a function that returns the enumeration
		case word == i && t[i] == '{':
			return from, to // no tag
		case word == i || next == len(t):
			return 0, 0
		case t[next] == '(':
			called = called || tagged && !s.isAttr(string(t[word:i]))
			if i = closing(t, next); i < 0 {
				return 0, 0
			}
			to = i
		case t[next] == '{' && s.definesAttr(string(t[word:i])):
			return from, i
		case t[next] == '{' || t[next] == ':' && typed.Match(t[next:]):
			return from, to // the word is the tag
		case !isIdent(t[next]):
			return 0, 0
		default:
			tagged = tagged || !s.isAttr(string(t[word:i]))
			to = i
		}
	}
	return 0, 0
}

// isAttr reports whether a word is that of an attribute, or a macro of the file for one.
func (s *source) isAttr(word string) bool {
	return strings.HasPrefix(word, "__attribute") || s.definesAttr(word)
}

// definesAttr reports whether a word is a macro of the file for an attribute.
func (s *source) definesAttr(word string) bool {
	for _, d := range s.directives {
		if name, value := d.macro(); d.name == "define" && name == word && strings.Contains(value, "__attribute") {
			return true
		}
	}
	return false
}

// typed matches the type that an enumeration of C23 may name.
var typed = regexp.MustCompile(`^:[\s\w]+\{`)

// words are the offsets of a word in the code, directives included.
func (s *source) words(word string) (all []int) {
	for at := 0; ; at += len(word) {
		i := bytes.Index(s.text[at:], []byte(word))
		if i < 0 {
			return all
		}
		at += i
		end := at + len(word)
		if at > 0 && isIdent(s.text[at-1]) || end < len(s.text) && isIdent(s.text[end]) || s.inComment(at) {
			continue
		}
		all = append(all, at)
	}
}

func skipBlanks(t []byte, i int) int {
	for i < len(t) && t[i] <= ' ' {
		i++
	}
	return i
}

// closing is the offset behind the bracket that closes the one at i, or -1.
func closing(t []byte, i int) int {
	depth := 0
	for i < len(t) {
		switch t[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			i = literalEnd(t, i)
			continue
		}
		i++
	}
	return -1
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
