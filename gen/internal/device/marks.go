package device

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The attributes that stand for the marks of functions in preprocessed text.
const (
	globalMark = "__dpa_global__"
	rpcMark    = "__dpa_rpc__"
)

// mark is what a source says of a function that the host starts.
type mark struct {
	name   string
	rpc    bool
	pos    Pos
	static bool
}

// token of preprocessed C. A group in brackets is one token with what is inside.
type token struct {
	text   string // of a group the opening bracket
	inside []token
	pos    Pos
}

// marks finds the declarations and definitions of functions that have a mark, in preprocessed text. A function
// that has both marks is an error.
func marks(text string) ([]mark, error) {
	var found []mark
	var decl []token
	end := func() error {
		all, err := marked(decl)
		found = append(found, all...)
		decl = nil
		return err
	}
	for _, t := range group(tokens(text)) {
		body := t.text == "{" && len(decl) > 0 && last(decl).text == "(" // not the members of a record
		if t.text != ";" && !isAttribute(decl, t) {
			decl = append(decl, t)
		}
		if t.text == ";" || body {
			if err := end(); err != nil {
				return nil, err
			}
		}
	}
	kinds := map[string]bool{}
	for _, m := range found {
		if rpc, ok := kinds[m.name]; ok && rpc != m.rpc {
			return nil, m.pos.errorf("%s is marked with both __dpa_global__ and __dpa_rpc__", m.name)
		}
		kinds[m.name] = m.rpc
	}
	return found, nil
}

func last(list []token) token { return list[len(list)-1] }

// isAttribute folds the brackets of an attribute into its word, so that they are not taken for parameters.
func isAttribute(decl []token, t token) bool {
	words := []string{"__attribute__", "__attribute", "__asm__", "__asm", "asm", "_Alignas", "__typeof__", "__typeof", "typeof", "_Static_assert", "_Atomic"}
	if t.text != "(" || len(decl) == 0 || !slices.Contains(words, last(decl).text) || last(decl).inside != nil {
		return false
	}
	decl[len(decl)-1].inside = append([]token{}, t.inside...)
	return true
}

// marked returns the functions that one declaration declares, if it has a mark.
func marked(decl []token) (found []mark, err error) {
	var global, rpc, static bool
	for i, t := range decl {
		switch {
		case t.text == "typedef":
			return nil, nil // DOCA's headers mark types as well
		case t.text == "static" || strings.Trim(t.text, "_") == "inline":
			static = true
		case strings.HasPrefix(t.text, "__attribute"):
			global = global || has(t.inside, globalMark)
			rpc = rpc || has(t.inside, rpcMark)
		case t.text == "(" && i > 0:
			at := decl[i-1]
			if at.text == "(" && len(at.inside) == 1 { // a name in brackets
				at = at.inside[0]
			} else if i+1 < len(decl) && decl[i+1].text == "(" {
				continue // the brackets of such a name
			}
			if word.MatchString(at.text) {
				found = append(found, mark{name: at.text, pos: at.pos})
			}
		}
	}
	if !global && !rpc {
		return nil, nil
	}
	for i := range found {
		found[i].rpc, found[i].static = rpc, static
		if global && rpc {
			return nil, found[i].pos.errorf("%s is marked with both __dpa_global__ and __dpa_rpc__", found[i].name)
		}
	}
	return found, nil
}

func has(list []token, text string) bool {
	return slices.ContainsFunc(list, func(t token) bool { return t.text == text || has(t.inside, text) })
}

var (
	word       = regexp.MustCompile(`^[\pL_$][\w$\pL\pM\pN]*$`)
	lineMarker = regexp.MustCompile(`^#(?:line)?\s+(\d+)\s+"((?:[^"\\]|\\.)*)"`)
	lexemes    = regexp.MustCompile(`[\pL_$][\w$\pL\pM\pN]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\s\w]|\d[\w.]*`)
)

// tokens cuts preprocessed text into words and signs.
func tokens(text string) (all []token) {
	at := Pos{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			if m := lineMarker.FindStringSubmatch(line); m != nil {
				n, _ := strconv.Atoi(m[1])
				at = Pos{File: m[2], Line: n - 1}
				continue
			}
			at.Line++
			continue // a pragma
		}
		at.Line++
		for _, s := range lexemes.FindAllString(line, -1) {
			all = append(all, token{text: s, pos: at})
		}
	}
	return all
}

// group folds what is in brackets into the opening one. Brackets that do not match are the compiler's to report.
func group(flat []token) []token {
	closing := map[string]string{"(": ")", "{": "}", "[": "]"}
	type open struct {
		list  []token
		close string
	}
	stack := []open{{}}
	for _, t := range flat {
		top := &stack[len(stack)-1]
		switch {
		case closing[t.text] != "":
			stack = append(stack, open{[]token{t}, closing[t.text]})
		case t.text == top.close:
			g := top.list[0]
			g.inside = append([]token{}, top.list[1:]...)
			stack = stack[:len(stack)-1]
			top = &stack[len(stack)-1]
			top.list = append(top.list, g)
		default:
			top.list = append(top.list, t)
		}
	}
	return stack[0].list
}

// Pos is a place in a source.
type Pos struct {
	File string
	Line int
}

// Error is what is wrong with a source, where it is.
type Error struct {
	Pos  Pos
	Text string
}

// Error has the form of the C compiler's messages.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: error: %s", e.Pos.File, e.Pos.Line, e.Text)
}

func (p Pos) errorf(format string, args ...any) error {
	return &Error{p, fmt.Sprintf(format, args...)}
}
