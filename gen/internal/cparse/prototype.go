package cparse

import (
	"fmt"
	"strings"
)

// Prototype returns the declaration on one line, with the header's own type names.
func (f *Func) Prototype() string { return funcLine(f) }

// Declaration returns the typedef on one line.
func (t *Typedef) Declaration() string {
	name := typedefType(t)
	switch t.Type.Kind {
	case Struct, Union, EnumT:
		return "typedef " + name + " " + t.Name
	}
	return "typedef " + t.Type.declare(t.Name)
}

// Declaration returns the record on one line, in C, with its members and the attributes of its
// layout if it is complete.
func (r *Record) Declaration() string {
	if !r.Complete {
		return r.Kind + " " + r.Name
	}
	pack := ""
	if r.Pack > 0 {
		pack = fmt.Sprintf(" /* #pragma pack(%d) */", r.Pack)
	}
	return strings.TrimSpace(r.Kind+" "+r.Name) + pack + " " + memberBlock(r)
}

func memberBlock(r *Record) string {
	var b strings.Builder
	b.WriteString("{ ")
	for _, f := range r.Fields {
		b.WriteString(f.Declaration() + "; ")
	}
	return b.String() + "}" + attributes(r.Attrs)
}

func attributes(all []string) (s string) {
	for _, a := range all {
		s += " __attribute__((" + a + "))"
	}
	return s
}

// Declaration returns the member on one line, in C, without a semicolon.
func (f *Field) Declaration() string {
	s := strings.TrimRight(inPlace(f.Type, f.Anon).declare(f.Name), " ")
	if f.Bits > 0 || f.Name == "" && f.Anon == nil {
		s += fmt.Sprintf(" : %d", f.Bits)
	}
	return s + attributes(f.Attrs)
}

// inPlace is a type with what is declared in its place: an untagged record, or a number for an
// untagged enumeration.
func inPlace(t *Type, r *Record) *Type {
	c := *t
	switch {
	case t.Kind == Array || t.Kind == Pointer:
		c.Elem = inPlace(t.Elem, r)
	case t.Kind == EnumT && t.Name == "":
		sign := "u"
		if t.Signed {
			sign = ""
		}
		c = Type{Kind: Int, Name: fmt.Sprintf("%sint%d_t", sign, t.Size*8), Const: t.Const}
	case r != nil && t.Name == "" && (t.Kind == Struct || t.Kind == Union):
		c.Name = memberBlock(r)
	}
	return &c
}
