package check

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// judge reads the answers of a unit that has compiled.
func (c *checker) judge(ctx context.Context, u *unit) error {
	ask := map[string]string{}
	var doubtful []*probe // whose types differ
	for _, p := range u.probes {
		if c.present[p.symbol.Header] {
			c.report.Checked[string(p.symbol.Kind)]++
		}
		switch p.symbol.Kind {
		case ledger.Function, ledger.Inline:
			c.linkage(u, p)
		case ledger.Enumerator, ledger.Macro:
			c.constant(u, p)
		case ledger.Enum:
			c.enum(u, p)
		case ledger.Struct, ledger.Union:
			p.ask(u, ask)
		case ledger.Typedef:
			if _, gone := p.failed["there"]; gone && p.symbol.Go != "" {
				c.missing(p)
			}
		}
		if p.typed() && !u.yes(p, "same") {
			if _, gone := p.failed["there"]; !gone {
				doubtful = append(doubtful, p)
				ask[p.name("have")] = p.symbol.Name
				if _, bad := p.failed["want"]; !bad {
					ask[p.name("want")] = p.name("want")
				}
			}
		}
	}
	spelled := map[string]string{}
	if len(ask) > 0 {
		var err error
		if spelled, err = u.types(ctx, c.compile, ask); err != nil {
			return err
		}
	}
	if len(doubtful) > 0 {
		same, err := u.sameWithoutConst(ctx, c.compile)
		if err != nil {
			return err
		}
		for _, p := range doubtful {
			c.prototype(p, spelled, same[p])
		}
	}
	for _, p := range u.probes {
		if p.record != nil {
			c.record(u, p, spelled)
		}
	}
	return nil
}

// typed tells whether a probe compares types.
func (p *probe) typed() bool {
	k := p.symbol.Kind
	return k == ledger.Function || k == ledger.Inline || k == ledger.Typedef
}

// yes is the answer of a line that yields a truth value; what did not compile is not true.
func (u *unit) yes(p *probe, role string) bool {
	v, ok := u.object.number(p.name(role))
	return ok && v == 1
}

func (u *unit) has(p *probe, role string) bool {
	_, ok := u.object.bytes[p.name(role)]
	return ok
}

func (c *checker) difference(p *probe, kind Kind, expected, found string) {
	c.differs(Difference{Kind: kind, Name: p.title(), Header: p.symbol.Header, Library: p.symbol.Library, Expected: expected, Found: found})
}

// title is the symbol's name, of a type with what it is.
func (p *probe) title() string {
	switch p.symbol.Kind {
	case ledger.Struct, ledger.Union, ledger.Enum:
		return string(p.symbol.Kind) + " " + p.symbol.Name
	}
	return p.symbol.Name
}

func (c *checker) missing(p *probe) { c.difference(p, Missing, p.symbol.C, "") }

// linkage reports functions that are missing, or no functions of the library.
func (c *checker) linkage(u *unit, p *probe) {
	name := p.symbol.Name
	_, gone := p.failed["there"]
	function := p.symbol.Kind == ledger.Function
	switch how := u.object.linkage[name]; {
	case gone && u.has(p, "macro"):
		c.difference(p, Linkage, p.kind(), "a macro")
	case gone:
		c.missing(p)
	case function && how == "local":
		c.difference(p, Linkage, p.kind(), "static inline")
	case function && how == "":
		c.difference(p, Linkage, p.kind(), "a declaration that is linked under another name")
	case !function && how == "extern":
		c.note("%s: static inline in the headers of the bindings, a function of the library here", name)
	}
}

func (p *probe) kind() string {
	if p.symbol.Kind == ledger.Inline {
		return "static inline"
	}
	return "a function of the library"
}

// prototype reports a type that differs. Where nothing but qualifiers do, a call is still the same.
func (c *checker) prototype(p *probe, spelled map[string]string, qualifiers bool) {
	expected, found := spelled[p.name("want")], spelled[p.name("have")]
	if expected == "" {
		expected = strings.TrimPrefix(p.symbol.C, "typedef ")
	}
	if found == "" {
		found = "a different type, which the compiler does not spell out"
	}
	if qualifiers {
		c.note("%s: only qualifiers differ: expected %s, found %s", p.symbol.Name, expected, found)
		return
	}
	kind := Prototype
	if p.symbol.Kind == ledger.Typedef {
		kind = Type
	}
	c.difference(p, kind, expected, found)
}

// constant reports enumerators and macros with other values.
func (c *checker) constant(u *unit, p *probe) {
	found, ok := u.object.bytes[p.name("value")]
	if !ok {
		if c.readsAs(p) {
			return
		}
		if u.has(p, "defined") {
			c.difference(p, Value, p.expected(), "no constant: "+c.macro(p.symbol.Name))
		} else {
			c.missing(p)
		}
		return
	}
	if want, ok := u.object.bytes[p.name("want")]; ok { // a string or a floating-point number
		if !bytes.Equal(want, found) {
			text := strconv.Quote(strings.TrimSuffix(string(found), "\x00"))
			if !strings.HasPrefix(p.symbol.C, `"`) {
				text = strconv.FormatFloat(math.Float64frombits(u.object.order(found)), 'g', -1, 64)
			}
			c.difference(p, Value, p.symbol.C, text)
		}
		return
	}
	v := u.object.order(found)
	if want := p.expected(); want != strconv.FormatInt(int64(v), 10) && want != strconv.FormatUint(v, 10) {
		c.difference(p, Value, want, strconv.FormatInt(int64(v), 10))
	}
}

// readsAs tells whether a macro that uses what another header declares has the value that the bindings expect. The compiler has
// no answer where it sees each header alone; the parser of the bindings has.
func (c *checker) readsAs(p *probe) bool {
	m := c.find(p.symbol.Name)
	return m != nil && p.symbol.Kind == ledger.Macro && model.MacroValue(m) == p.symbol.C && m.NoValue == ""
}

// expected is the value that the bindings have.
func (p *probe) expected() string {
	if p.symbol.Kind == ledger.Enumerator {
		_, v, _ := strings.Cut(p.symbol.C, ":")
		return strings.TrimSpace(v)
	}
	return p.symbol.C
}

// macro is the text of a macro of the SDK.
func (c *checker) macro(name string) string {
	if m := c.find(name); m != nil {
		return m.Value
	}
	return "function-like"
}

// find is a macro of the SDK, or nil.
func (c *checker) find(name string) *cparse.Macro {
	for _, h := range c.sdk.Headers {
		for _, m := range h.Macros {
			if m.Name == name {
				return m
			}
		}
	}
	return nil
}

// enum reports enumerations that are missing or of another size.
func (c *checker) enum(u *unit, p *probe) {
	have, ok := u.object.number(p.name("size"))
	if !ok {
		c.missing(p)
		return
	}
	if want, ok := u.object.number(p.name("wantsize")); ok && want != have {
		c.difference(p, Layout, fmt.Sprintf("size %d", want), strconv.FormatUint(have, 10))
	}
}

// ask collects the members whose types differ.
func (p *probe) ask(u *unit, ask map[string]string) {
	for i, m := range p.record.members {
		role := fmt.Sprintf("type%d", i)
		if m.bits || m.inPlace || !u.has(p, role) || u.yes(p, role) {
			continue
		}
		for _, of := range []struct{ role, tag string }{{"have", p.symbol.Name}, {"want", p.name("want")}} {
			ask[p.name(of.role+strconv.Itoa(i))] = fmt.Sprintf("((%s %s *)0)->%s", p.symbol.Kind, of.tag, m.name)
		}
	}
}

// record reports a struct or union of another layout.
func (c *checker) record(u *unit, p *probe, spelled map[string]string) {
	if _, gone := p.failed["size"]; gone {
		c.missing(p)
		return
	}
	if text, bad := p.failed["want"]; bad {
		c.difference(p, Layout, p.symbol.C, "not comparable: "+text)
		return
	}
	var expected, found []string
	differ := func(e, f string) { expected, found = append(expected, e), append(found, f) }
	for _, what := range []string{"size", "align"} {
		have, _ := u.object.number(p.name(what))
		want, _ := u.object.number(p.name("want" + what))
		if have != want {
			differ(fmt.Sprintf("%s %d", what, want), strconv.FormatUint(have, 10))
		}
	}
	for i, m := range p.record.members {
		has, type_ := fmt.Sprintf("has%d", i), fmt.Sprintf("type%d", i)
		have, there := u.object.bytes[p.name(has)]
		want, known := u.object.bytes[p.name("want"+has)]
		switch {
		case !there || !known:
			differ("member "+m.name, "no such member")
		case m.bits && bits(have) != bits(want):
			differ("bit-field "+m.name+" at "+bits(want), bits(have))
		case !m.bits && !bytes.Equal(have, want):
			differ(fmt.Sprintf("member %s at %d", m.name, u.object.order(want)), strconv.FormatUint(u.object.order(have), 10))
		}
		if !m.bits && there && known && !u.yes(p, type_) {
			e, f := spelled[p.name("want"+strconv.Itoa(i))], spelled[p.name("have"+strconv.Itoa(i))]
			if e == "" || e == f {
				e, f = "as before", "another type"
			}
			differ("member "+m.name+" "+own.ReplaceAllString(e, p.symbol.Name), own.ReplaceAllString(f, p.symbol.Name))
		}
	}
	if expected != nil {
		c.difference(p, Layout, strings.Join(expected, "; "), strings.Join(found, "; "))
	}
}

// bits are the first and the last bit that is set.
func bits(b []byte) string {
	first, last := -1, -1
	for i := range 8 * len(b) {
		if b[i/8]>>(i%8)&1 == 1 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return fmt.Sprintf("bits %d to %d", first, last)
}

// own matches the names that the probes give to the bindings' records.
var own = regexp.MustCompile(`\bgodoca_want_\d+\b`)
