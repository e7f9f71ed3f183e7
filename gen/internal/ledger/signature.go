package ledger

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Types resolves the typedefs of a ledger, so that signatures of two versions can be compared by
// what a call passes instead of by how it is spelled.
type Types struct {
	typedefs map[string]string // name -> the C column
	done     map[string]string
	open     map[string]bool
	records  map[string]*Symbol // structs and unions with members
	enums    map[string]*enumRange
	layouts  map[string]*Layout
}

// Types makes the resolver of a ledger's types. It is for one goroutine at a time.
func (l *Ledger) Types() *Types {
	t := &Types{typedefs: map[string]string{}, done: map[string]string{}, open: map[string]bool{}}
	t.index(l)
	for _, s := range l.Symbols {
		if s.Kind == Typedef {
			t.typedefs[s.Name] = s.C
		}
	}
	return t
}

// Call is what a call of a function passes and returns: its prototype without parameter names,
// qualifiers, and typedef names. Two functions of the same Call can be called in the same way.
// The Call of a typedef is that of the type.
func (t *Types) Call(prototype string) string {
	p := &declParser{types: t, toks: cTokens.FindAllString(strings.TrimPrefix(prototype, "typedef "), -1)}
	return p.declaration()
}

// Tags are the structs, unions and enumerations that a Call names, sorted.
func Tags(call string) []string {
	tags := tagName.FindAllString(call, -1)
	slices.Sort(tags)
	return slices.Compact(tags)
}

var (
	cTokens = regexp.MustCompile(`\.\.\.|[\pL_$][\w$\pL\pM\pN]*|\d\w*|\S`)
	tagName = regexp.MustCompile(`(struct|union|enum) [\pL_$][\w$\pL\pM\pN]*`)
	ident   = regexp.MustCompile(`^[\pL_$]`)
)

// basic are the words that C's own number types are made of.
var basic = map[string]bool{"void": true, "char": true, "short": true, "int": true, "long": true, "float": true,
	"double": true, "signed": true, "unsigned": true, "_Bool": true}

var qualifiers = map[string]bool{"const": true, "volatile": true, "restrict": true, "__restrict": true, "extern": true,
	"static": true, "inline": true, "register": true, "__extension__": true}

// words are the types whose typedefs are in C's own headers.
var words = map[string]string{
	"size_t": "u64", "ssize_t": "i64", "uintptr_t": "u64", "intptr_t": "i64", "bool": "u8", "_Bool": "u8",
	"int8_t": "i8", "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32", "uint32_t": "u32",
	"int64_t": "i64", "uint64_t": "u64", "__be16": "u16", "__be32": "u32", "__be64": "u64", "off_t": "i64",
}

type declParser struct {
	types *Types
	toks  []string
	depth int
	name  string // what is declared
}

// tooDeep bounds the recursion, and tooLong the expansion of typedefs, for text that is no API.
const (
	tooDeep = 64
	tooLong = 1 << 13
)

func (p *declParser) peek() string {
	if len(p.toks) == 0 {
		return ""
	}
	return p.toks[0]
}

func (p *declParser) next() string {
	s := p.peek()
	if s != "" {
		p.toks = p.toks[1:]
	}
	return s
}

func (p *declParser) skipQualifiers() {
	for qualifiers[p.peek()] {
		p.next()
	}
}

// declaration parses specifiers and a declarator, whose name is dropped.
func (p *declParser) declaration() string { return p.declarator(p.specifiers()) }

func (p *declParser) specifiers() string {
	p.skipQualifiers()
	var base string
	switch w := p.peek(); {
	case w == "struct" || w == "union" || w == "enum":
		base = p.next()
		base += " " + p.next()
	case basic[w]:
		var all []string
		for basic[p.peek()] || qualifiers[p.peek()] {
			if w := p.next(); basic[w] {
				all = append(all, w)
			}
		}
		base = number32(all)
	case ident.MatchString(w):
		base = p.types.resolve(p.next())
	}
	p.skipQualifiers()
	return base
}

// number32 names a basic type by sign and size, on 64-bit Linux.
func number32(w []string) string {
	has := func(s string) bool { return slices.Contains(w, s) }
	sign := "i"
	if has("unsigned") {
		sign = "u"
	}
	switch {
	case has("void"), has("float"), has("double"):
		return strings.Join(w, " ")
	case has("_Bool"):
		return "u8"
	case has("char"):
		return sign + "8"
	case has("short"):
		return sign + "16"
	case has("long"):
		return sign + "64"
	}
	return sign + "32"
}

func (t *Types) resolve(name string) string {
	if w, ok := words[name]; ok {
		return w
	}
	if r, ok := t.done[name]; ok {
		return r
	}
	c, ok := t.typedefs[name]
	if !ok || t.open[name] {
		return name
	}
	t.open[name] = true
	r := t.Call(c)
	if len(r) > tooLong {
		r = name
	}
	delete(t.open, name)
	t.done[name] = r
	return r
}

// declarator wraps base in what stands around the name.
func (p *declParser) declarator(base string) string {
	if p.depth++; p.depth > tooDeep {
		return base
	}
	defer func() { p.depth-- }()
	for p.peek() == "*" {
		p.next()
		p.skipQualifiers()
		base = pointer(base)
	}
	var inner []string // of a parenthesised declarator
	if p.peek() == "(" && len(p.toks) > 1 && (p.toks[1] == "*" || p.toks[1] == "(" || p.isName(p.toks[1:])) {
		inner = p.parenthesised()
	} else if ident.MatchString(p.peek()) {
		p.name = p.next()
	}
	base = p.suffixes(base)
	if inner == nil {
		return base
	}
	q := &declParser{types: p.types, toks: inner, depth: p.depth}
	defer func() { p.name = q.name }()
	return q.declarator(base)
}

// isName tells a parenthesised name, as of `typedef void (name)(void)`, from parameters.
func (p *declParser) isName(toks []string) bool {
	return len(toks) > 2 && ident.MatchString(toks[0]) && toks[1] == ")" && toks[2] == "("
}

func (p *declParser) parenthesised() []string {
	p.next()
	open, start := 1, p.toks
	for n := 0; len(p.toks) > 0; n++ {
		switch p.next() {
		case "(":
			open++
		case ")":
			if open--; open == 0 {
				return start[:n]
			}
		}
	}
	return start
}

func pointer(base string) string { return "*" + base }

// suffixes are arrays and parameter lists.
func (p *declParser) suffixes(base string) string {
	switch p.peek() {
	case "[":
		p.next()
		n := ""
		for p.peek() != "]" && p.peek() != "" {
			n += p.next()
		}
		p.next()
		return "[" + n + "]" + p.suffixes(base)
	case "(":
		return "func(" + strings.Join(p.params(), ", ") + ") " + base
	}
	return base
}

func (p *declParser) params() []string {
	p.next()
	var out []string
	declared := p.name
	defer func() { p.name = declared }()
	for p.peek() != ")" && p.peek() != "" {
		before := len(p.toks)
		if p.peek() == "..." {
			out = append(out, p.next())
		} else {
			out = append(out, decayed(p.declaration()))
		}
		for p.peek() != "," && p.peek() != ")" && p.peek() != "" {
			p.next() // an attribute, or no C
		}
		if p.peek() == "," {
			p.next()
		}
		if len(p.toks) == before {
			p.next()
		}
	}
	p.next()
	if len(out) == 1 && out[0] == "void" {
		return nil
	}
	return out
}

// decayed is a parameter's type: arrays and functions are pointers.
func decayed(t string) string {
	if strings.HasPrefix(t, "func(") {
		return pointer(t)
	}
	if strings.HasPrefix(t, "[") {
		if end := strings.Index(t, "]"); end > 0 {
			if _, err := strconv.Atoi(t[1:end]); err == nil || end == 1 {
				return pointer(t[end+1:])
			}
		}
	}
	return t
}
