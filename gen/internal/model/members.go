package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// members collects those of a record.
type members struct {
	b     *builder
	owner *recordInfo
	align int
	list  []*Field
	names map[string]bool
	holds []string
}

func (b *builder) members(o *recordInfo) (*members, error) {
	l := b.layoutOf(o.decl)
	if l.err != nil {
		return nil, l.err
	}
	if l.size == 0 && len(o.decl.Fields) == 0 {
		return nil, fmt.Errorf("no members")
	}
	b.inPlace(o, o.decl)
	m := &members{b: b, owner: o, align: goAlign(l.align), names: map[string]bool{}}
	return m, m.collect(o.decl, 0, "", nil)
}

// collect adds the members of r, which begins at a bit of the owner. Shares are the members that
// lie in the same memory, where r is or is in a union.
func (m *members) collect(r *cparse.Record, base int, doc string, shares []string) error {
	l := m.b.layoutOf(r)
	for i, f := range r.Fields {
		others := shares
		if r.Kind == "union" {
			others = append(shares[:len(shares):len(shares)], siblings(r, i)...)
			if others == nil {
				others = []string{}
			}
		}
		d := f.Doc
		if d == "" {
			d = doc
		}
		at := base + l.bits[i]
		switch {
		case f.Name == "" && f.Anon == nil: // a bit-field without a name
		case f.Name == "":
			if err := m.collect(f.Anon, at, d, others); err != nil {
				return err
			}
		default:
			if err := m.add(f, at, d, others); err != nil {
				return fmt.Errorf("member %s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// siblings are the other members of a union, by name; an anonymous one by its members.
func siblings(r *cparse.Record, except int) (names []string) {
	for i, f := range r.Fields {
		if i == except {
			continue
		}
		if f.Name == "" && f.Anon != nil {
			names = append(names, siblings(f.Anon, -1)...)
		} else if f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

func (m *members) add(f *cparse.Field, at int, doc string, shares []string) error {
	out := &Field{CName: f.Name, Doc: doc, Shares: shares, Offset: at / byteBits}
	var err error
	if f.Bits > 0 {
		if out.Type, err = m.b.resolve(f.Type); err != nil {
			return err
		}
		u := underlying(f.Type)
		out.Form, out.Bit, out.Width = AsBits, at%byteBits, f.Bits
		out.Signed = u.Signed && u.Kind != cparse.Bool
		out.Size = (out.Bit + out.Width + byteBits - 1) / byteBits
		m.name(out)
		return nil
	}
	t := f.Type
	if n := underlying(t); n.Kind == cparse.Array && n.Len <= 0 {
		out.Form, t = AsTail, n.Elem
	}
	if out.Type, out.Dims, err = m.b.memberType(t, f.Anon); err != nil {
		return err
	}
	size, align, err := m.b.measure(t, f.Anon)
	if err != nil {
		return err
	}
	if size == 0 {
		return fmt.Errorf("it has no size")
	}
	out.Size = size
	if out.Type.Kind == Record && out.Type.Name[0] != '*' {
		m.holds = append(m.holds, out.Type.C)
	}
	align = goAlign(align)
	aligned := out.Offset%align == 0 && align <= m.align
	switch isBool := out.Type.Name == "bool" && out.Dims == nil; {
	case out.Form == AsTail && !aligned:
		return fmt.Errorf("flexible array that is not aligned")
	case out.Form == AsTail:
	case aligned && shares == nil:
		out.Form = AsField
	case aligned && !isBool:
		out.Form = AsPointer
	default: // in a union, what is read as a bool may be any byte
		out.Form = AsValue
	}
	m.name(out)
	return nil
}

// standard are methods whose signature go vet expects to be that of the standard interfaces.
var standard = map[string]bool{"Format": true, "GobDecode": true, "GobEncode": true, "MarshalJSON": true, "MarshalXML": true,
	"ReadByte": true, "ReadFrom": true, "ReadRune": true, "Scan": true, "Seek": true, "UnmarshalJSON": true, "UnmarshalXML": true,
	"UnreadByte": true, "UnreadRune": true, "WriteByte": true, "WriteTo": true}

// name adds a member under a Go name that no other has: those in C may differ in nothing but case or
// underscores.
func (m *members) name(f *Field) {
	base := camel(f.CName)
	if base == "" { // nothing but underscores
		base = fmt.Sprintf("Field%d", f.Offset)
	}
	if f.Form != AsField && standard[base] {
		base += "Member"
	}
	setter := f.Form == AsValue || f.Form == AsBits
	name := base
	for i := 2; m.names[name] || setter && m.names["Set"+name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	f.GoName = name
	m.list = append(m.list, f)
	m.names[name] = true
	if setter {
		m.names["Set"+name] = true
	}
}

// memberType resolves a member, whose type may declare the record r.
func (b *builder) memberType(t *cparse.Type, r *cparse.Record) (g *GoType, dims []int, err error) {
	if function(t) != nil {
		return &GoType{Pointer, "", "unsafe.Pointer", "void *"}, nil, nil
	}
	for u := underlying(t); u.Kind == cparse.Array; u = underlying(t) {
		dims = append(dims, u.Len)
		t = u.Elem
	}
	if in := b.inner[r]; in != nil && (t.Kind == cparse.Struct || t.Kind == cparse.Union) && t.Name == "" {
		return &GoType{Record, in.lib, in.goName, in.ctype}, dims, nil
	}
	if function(t) != nil {
		return &GoType{Pointer, "", "unsafe.Pointer", "void *"}, dims, nil
	}
	if g, err = b.resolve(t); err == nil && g.Kind == Pointer {
		g = b.toNumbers(t, g)
	}
	return g, dims, err
}

// toNumbers is the type of a member that points to numbers: items of struct doca_x { uint32_t *items; size_t num_items; }. What else
// has no type stays as it is, and so does text.
func (b *builder) toNumbers(t *cparse.Type, raw *GoType) *GoType {
	u := underlying(t)
	if u.Kind != cparse.Pointer || isChar(u.Elem) {
		return raw
	}
	switch underlying(u.Elem).Kind {
	case cparse.Int, cparse.EnumT, cparse.Float:
		if g, err := b.resolve(u.Elem); err == nil {
			return &GoType{Pointer, g.Pkg, "*" + g.Name, "void *"}
		}
	}
	return raw
}

// Count finds the member that counts the values which another one points to: num_items of items. Nil: there is none.
func (s *Struct) Count(of *Field) *Field {
	if of.Dims != nil || !strings.HasPrefix(of.Type.Name, "*") || strings.HasPrefix(of.Type.Name, "**") || of.Type.Kind == Handle {
		return nil
	}
	for _, f := range s.Fields {
		if f.Type.Kind != Scalar || f.Dims != nil || !strings.Contains(f.Type.Name, "int") {
			continue
		}
		if m := countOfMember.FindStringSubmatch(f.CName); m != nil && slices.Contains([]string{of.CName, strings.TrimSuffix(of.CName, "s")}, m[1]+m[2]) {
			return f
		}
	}
	return nil
}

// countOfMember matches what counts elements, with their name.
var countOfMember = regexp.MustCompile(`^(?:n|nb|nr|num|nof)_(\w+)$|^(\w+?)_(?:n|nb|num|count|cnt|len|length)$`)

// Size is that of a value which is no record, in bytes.
func (t *GoType) Size() int {
	switch t.C {
	case "int8_t", "uint8_t":
		return 1
	case "int16_t", "uint16_t":
		return 2
	case "int32_t", "uint32_t", "float":
		return 4
	}
	return pointerSize
}
