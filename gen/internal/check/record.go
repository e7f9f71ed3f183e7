package check

import (
	"fmt"
	"regexp"
	"strings"
)

// record is the C column of a struct or union, taken apart.
type record struct {
	body    string // from the brace to the attributes
	pack    string // of #pragma pack
	members []member
}

type member struct {
	name    string // with the path of the records that it is in: "inner.a"
	bits    bool
	inPlace bool // its type is declared in its place, so it is the same as no other type
}

var (
	sizeColumn = regexp.MustCompile(` size \d+$`)
	packMark   = regexp.MustCompile(` /\* #pragma pack\((\d+)\) \*/`)
	tokens     = regexp.MustCompile(`[\pL_$][\w$\pL\pM\pN]*|\d\w*|\S`)
	identifier = regexp.MustCompile(`^[\pL_$][\w$\pL\pM\pN]*$`)
)

func parseRecord(c string) (*record, error) {
	c = sizeColumn.ReplaceAllString(c, "")
	r := &record{}
	if m := packMark.FindStringSubmatch(c); m != nil {
		r.pack = m[1]
		c = strings.Replace(c, m[0], "", 1)
	}
	open := strings.IndexByte(c, '{')
	if open < 0 {
		return nil, fmt.Errorf("no members in %q", c)
	}
	r.body = c[open:]
	toks := tokens.FindAllString(r.body, -1)
	end := closing(toks, 0)
	if end < 0 {
		return nil, fmt.Errorf("no end of the members in %q", c)
	}
	r.collect(toks[1:end], "")
	return r, nil
}

// pragma writes a declaration under the record's #pragma pack.
func (r *record) pragma(declaration string) string {
	if r.pack == "" {
		return declaration
	}
	return fmt.Sprintf(`_Pragma("pack(push,%s)") %s _Pragma("pack(pop)")`, r.pack, declaration)
}

// closing is the index of what closes the bracket at i, or -1.
func closing(toks []string, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch toks[i] {
		case "{", "(", "[":
			depth++
		case "}", ")", "]":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// collect adds the members of a list; those of an anonymous record are members of the record itself.
func (r *record) collect(toks []string, path string) {
	for len(toks) > 0 {
		end, depth := 0, 0
		for end < len(toks) && (toks[end] != ";" || depth > 0) {
			switch toks[end] {
			case "{", "(", "[":
				depth++
			case "}", ")", "]":
				depth--
			}
			end++
		}
		r.member(toks[:end], path)
		toks = toks[min(end+1, len(toks)):]
	}
}

func (r *record) member(toks []string, path string) {
	var inner []string
	declarator := toks
	for i, t := range toks {
		if t == "{" {
			if end := closing(toks, i); end > 0 {
				inner, declarator = toks[i+1:end], toks[end+1:]
			}
			break
		}
	}
	declarator = withoutAttributes(declarator)
	name, bits := declared(declarator, inner != nil)
	switch {
	case name == "" && inner != nil:
		r.collect(inner, path)
	case name != "":
		r.members = append(r.members, member{name: path + name, bits: bits, inPlace: inner != nil})
		if inner != nil && len(declarator) == 1 { // neither an array nor a pointer
			r.collect(inner, path+name+".")
		}
	}
}

func withoutAttributes(toks []string) (out []string) {
	for i := 0; i < len(toks); i++ {
		if toks[i] == "__attribute__" && i+1 < len(toks) {
			if end := closing(toks, i+1); end > 0 {
				i = end
				continue
			}
		}
		out = append(out, toks[i])
	}
	return out
}

// keywords are the words of a type that are no name.
var keywords = map[string]bool{"const": true, "volatile": true, "restrict": true, "int": true, "char": true, "short": true,
	"long": true, "signed": true, "unsigned": true, "float": true, "double": true, "void": true, "_Bool": true}

// declared is the name that a declarator declares; bare says that its type is not in toks.
func declared(toks []string, bare bool) (name string, bits bool) {
	for i, t := range toks {
		if t == ":" {
			toks, bits = toks[:i], true
			break
		}
	}
	for i, t := range toks {
		if t == "(" && i+1 < len(toks) && toks[i+1] == "*" {
			toks = toks[i+1:]
			if end := closing(append([]string{"("}, toks...), 0); end > 0 {
				toks = toks[:end-1]
			}
			return declared(toks, true)
		}
	}
	for i, t := range toks {
		if t == "[" {
			toks = toks[:i]
			break
		}
	}
	words, basic := 0, false
	for _, t := range toks {
		basic = basic || keywords[t]
		if identifier.MatchString(t) && !keywords[t] {
			name = t
			words++
		}
	}
	if words < 2 && !basic && !bare && !strings.Contains(strings.Join(toks, ""), "*") {
		return "", bits // a type alone: an unnamed bit-field
	}
	return name, bits
}
