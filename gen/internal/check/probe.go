package check

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// A probe asks the compiler about one symbol. Each of its lines stands alone: one that does not
// compile is an answer too. What does compile leaves constants in the object file.
type probe struct {
	id     int
	symbol *ledger.Symbol
	record *record // of a struct or union
	lines  []line
	failed map[string]string // role of a line -> what the compiler says of it
}

// line is one line of C and its part in the probe. It is left out when a line that it needs has failed.
type line struct {
	role, text string
	needs      []string
}

// name is the constant that a line defines.
func (p *probe) name(role string) string { return fmt.Sprintf("godoca_%s_%d", role, p.id) }

func (p *probe) add(role, text string, needs ...string) {
	p.lines = append(p.lines, line{role, text, needs})
}

// number adds a constant with the value of an expression.
func (p *probe) number(role, expression string, needs ...string) {
	p.add(role, fmt.Sprintf("const long long %s = %s;", p.name(role), expression), needs...)
}

// usable tells whether a line and all that it needs have compiled so far.
func (p *probe) usable(l line) bool {
	if _, bad := p.failed[l.role]; bad {
		return false
	}
	for _, n := range l.needs {
		if _, bad := p.failed[n]; bad {
			return false
		}
	}
	return true
}

// newProbe returns the probe of a symbol, or nil where the bindings do not depend on it.
func newProbe(id int, s *ledger.Symbol, l *ledger.Ledger) (*probe, error) {
	p := &probe{id: id, symbol: s, failed: map[string]string{}}
	var err error
	switch {
	case s.Ambiguous():
		return nil, nil
	case s.Kind == ledger.Typedef:
		p.typedef()
	case s.Kind == ledger.Struct || s.Kind == ledger.Union:
		err = p.layout()
	case s.Go == "" || isVersion(s.Name):
		return nil, nil
	case s.Kind == ledger.Function || s.Kind == ledger.Inline:
		p.function()
	case s.Kind == ledger.Enum:
		p.enum(l)
	case s.Kind == ledger.Enumerator, s.Kind == ledger.Macro && !strings.HasPrefix(s.C, `"`):
		p.value()
	case s.Kind == ledger.Macro:
		p.text()
	}
	if p.lines == nil {
		return nil, err
	}
	return p, err
}

// isVersion matches what differs between any two releases.
func isVersion(name string) bool {
	return strings.HasPrefix(name, "DOCA_VERSION_") || strings.HasPrefix(name, "DOCA_BUILD_VERSION")
}

const compatible = "__builtin_types_compatible_p"

// function asks for the type of a function, and by its address for its linkage.
func (p *probe) function() {
	fn := p.symbol.Name
	p.add("macro", fmt.Sprintf("\n#ifdef %s\nconst char %s = 1;\n#undef %s\n#endif", fn, p.name("macro"), fn))
	p.add("there", fmt.Sprintf("__typeof__(%s) *const %s = %s;", fn, p.name("there"), fn))
	p.add("want", "typedef "+renameFunction(portable(p.symbol.C), fn, p.name("want"))+";")
	p.number("same", fmt.Sprintf("%s(__typeof__(%s), %s)", compatible, fn, p.name("want")), "there", "want")
}

// typedef asks whether a name is another name for the same type.
func (p *probe) typedef() {
	name, c := p.symbol.Name, portable(p.symbol.C)
	if own := regexp.MustCompile(`^typedef (?:const )?(struct|union|enum) ` + regexp.QuoteMeta(name) + ` ` + regexp.QuoteMeta(name) + `$`); own.MatchString(c) {
		return // of an untagged type, which the typedef alone names
	}
	p.add("there", fmt.Sprintf("typedef %s %s;", name, p.name("there")))
	p.add("want", renameLast(c, name, p.name("want"))+";")
	p.number("same", fmt.Sprintf("%s(%s, %s)", compatible, p.name("there"), p.name("want")), "there", "want")
}

// value asks for the number of an enumerator or a macro.
func (p *probe) value() {
	p.add("defined", fmt.Sprintf("\n#ifdef %s\nconst char %s = 1;\n#endif", p.symbol.Name, p.name("defined")))
	if isInteger(p.expected()) {
		p.number("value", "(long long)("+p.symbol.Name+")")
	} else { // a floating-point number
		p.add("want", fmt.Sprintf("const double %s = %s;", p.name("want"), p.expected()))
		p.add("value", fmt.Sprintf("const double %s = %s;", p.name("value"), p.symbol.Name))
	}
}

func isInteger(s string) bool {
	_, signed := strconv.ParseInt(s, 10, 64)
	_, unsigned := strconv.ParseUint(s, 10, 64)
	return signed == nil || unsigned == nil
}

// text asks for the bytes of a macro that is a string.
func (p *probe) text() {
	p.add("defined", fmt.Sprintf("\n#ifdef %s\nconst char %s = 1;\n#endif", p.symbol.Name, p.name("defined")))
	p.add("want", fmt.Sprintf("const char %s[] = %s;", p.name("want"), p.symbol.C))
	p.add("value", fmt.Sprintf("const char %s[] = %s;", p.name("value"), p.symbol.Name))
}

// enum asks for the size of an enumeration, and for that of one with the enumerators of the ledger.
func (p *probe) enum(l *ledger.Ledger) {
	var list []string
	for i := range l.Symbols {
		s := &l.Symbols[i]
		tag, v, _ := strings.Cut(strings.TrimPrefix(s.C, "enum"), ":")
		if s.Kind != ledger.Enumerator || strings.TrimSpace(tag) != p.symbol.Name {
			continue
		}
		v = strings.TrimSpace(v)
		if _, err := strconv.ParseInt(v, 10, 64); err != nil {
			v += "ull" // above the largest int64
		}
		list = append(list, fmt.Sprintf("%s_%d = %s", p.name("want"), len(list), v))
	}
	name, attributes, tagged := strings.Cut(p.symbol.C, p.symbol.Name)
	if name += p.symbol.Name; !tagged { // of a typedef alone
		name, attributes = p.symbol.Name, strings.TrimPrefix(p.symbol.C, "enum")
	}
	p.number("size", "sizeof("+name+")")
	if list != nil {
		p.add("want", fmt.Sprintf("enum %s { %s }%s;", p.name("want"), strings.Join(list, ", "), attributes))
		p.number("wantsize", "sizeof(enum "+p.name("want")+")", "want")
	}
}

// layout asks for sizes and offsets, of the record and of the one that the ledger describes.
func (p *probe) layout() error {
	r, err := parseRecord(p.symbol.C)
	if err != nil {
		return fmt.Errorf("%s %s: %w", p.symbol.Kind, p.symbol.Name, err)
	}
	p.record = r
	have := string(p.symbol.Kind) + " " + p.symbol.Name
	if strings.HasPrefix(p.symbol.C, string(p.symbol.Kind)+" {") { // the typedef of an untagged record
		have = p.symbol.Name
	}
	want := string(p.symbol.Kind) + " " + p.name("want")
	p.add("want", r.pragma(portable(want+" "+r.body)+";"))
	p.number("size", "sizeof("+have+")")
	p.number("align", "_Alignof("+have+")", "size")
	p.number("wantsize", "sizeof("+want+")", "want")
	p.number("wantalign", "_Alignof("+want+")", "want")
	for i, m := range r.members {
		has, type_ := fmt.Sprintf("has%d", i), fmt.Sprintf("type%d", i)
		if m.bits {
			// The bytes of a bit-field with all bits set tell where it is.
			p.add(has, fmt.Sprintf("const %s %s = {.%s = -1};", have, p.name(has), m.name), "size")
			p.add("want"+has, fmt.Sprintf("const %s %s = {.%s = -1};", want, p.name("want"+has), m.name), "want")
			continue
		}
		p.number(has, fmt.Sprintf("__builtin_offsetof(%s, %s)", have, m.name), "size")
		p.number("want"+has, fmt.Sprintf("__builtin_offsetof(%s, %s)", want, m.name), "want")
		if !m.inPlace {
			p.number(type_, fmt.Sprintf("%s(__typeof__(((%s *)0)->%s), __typeof__(((%s *)0)->%s))", compatible, have, m.name, want, m.name), has, "want"+has)
		} else {
			p.number(type_, fmt.Sprintf("sizeof(((%s *)0)->%s) == sizeof(((%s *)0)->%s)", have, m.name, want, m.name), has, "want"+has)
		}
	}
	return nil
}

// portable replaces what only one machine's compiler knows.
func portable(c string) string { return vaList.ReplaceAllString(c, "__builtin_va_list") }

var vaList = regexp.MustCompile(`struct __va_list_tag ?\*`)

// renameFunction replaces the name that a prototype declares; a type of its result may have the same.
func renameFunction(c, name, by string) string {
	if at := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\)*\(`).FindStringIndex(c); at != nil {
		return c[:at[0]] + by + c[at[0]+len(name):]
	}
	return c
}

// renameLast replaces the last mention of a name.
func renameLast(c, name, by string) string {
	all := word(name).FindAllStringIndex(c, -1)
	if all == nil {
		return c
	}
	at := all[len(all)-1]
	return c[:at[0]] + by + c[at[1]:]
}

func word(name string) *regexp.Regexp {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
}
