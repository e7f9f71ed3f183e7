package model

import (
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// findClashes finds records that headers declare with different members, such as those for two generations of a device. A
// program includes one of these headers; bindings cannot know which, so they have neither.
func (b *builder) findClashes() {
	for _, o := range b.records {
		i := slices.IndexFunc(o.others, func(other otherDecl) bool { return !b.sameMembers(o.decl, other.decl) })
		if i < 0 {
			continue
		}
		x, y := o.decl.Pos, o.others[i].decl.Pos
		o.clash = true
		o.reason = fmt.Sprintf("%s:%d and %s:%d give it different members: a program includes one of the two, and the bindings cannot know which", x.File, x.Line, y.File, y.Line)
	}
}

// enumClashes finds enumerators that two enumerations have, or one that headers declare with different values: a program includes one of
// these headers, and a constant in Go has one type and one value. The reason is by the enumerator's name.
func enumClashes(headers []*cparse.Header) map[string]string {
	type place struct {
		of *cparse.Enum
		c  *cparse.EnumConst
	}
	first, clashes := map[string]place{}, map[string]string{}
	for _, h := range headers {
		for _, e := range h.Enums {
			for _, c := range e.Consts {
				x, ok := first[c.Name]
				if !ok {
					first[c.Name] = place{e, c}
					continue
				}
				if enumName(x.of) == enumName(e) && x.c.Value == c.Value || clashes[c.Name] != "" {
					continue
				}
				clashes[c.Name] = fmt.Sprintf("%s:%d and %s:%d both have it, in %s and %s: a program includes one of the two, and the bindings cannot know which",
					x.of.Pos.File, x.of.Pos.Line, e.Pos.File, e.Pos.Line, valueOf(x.of, x.c), valueOf(e, c))
			}
		}
	}
	return clashes
}

// valueOf names an enumerator's enumeration and its value.
func valueOf(e *cparse.Enum, c *cparse.EnumConst) string {
	name := "an enum without a name"
	switch {
	case e.Name != "":
		name = "enum " + e.Name
	case e.Typedef != "":
		name = e.Typedef
	}
	return fmt.Sprintf("%s (%s)", name, Decimal(c.Value, c.Unsigned))
}

// sameMembers tells whether two declarations have the same members in the same places.
func (b *builder) sameMembers(x, y *cparse.Record) bool {
	if x == y {
		return true
	}
	l, m := b.layoutOf(x), b.layoutOf(y)
	if l.err != nil || m.err != nil {
		return memberText(x) == memberText(y)
	}
	if l.size != m.size || l.align != m.align || !slices.Equal(l.bits, m.bits) || len(x.Fields) != len(y.Fields) {
		return false
	}
	for i, f := range x.Fields {
		g := y.Fields[i]
		if f.Name != g.Name || f.Bits != g.Bits || (f.Anon == nil) != (g.Anon == nil) {
			return false
		}
		if f.Anon != nil && !b.sameMembers(f.Anon, g.Anon) || f.Anon == nil && SpellMember(f.Type, "") != SpellMember(g.Type, "") {
			return false
		}
	}
	return true
}

// memberText is the declaration without the name.
func memberText(r *cparse.Record) string {
	c := *r
	c.Name = ""
	return c.Declaration()
}
