package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// Struct is a complete record that Go code can fill and read, in the memory layout of C. What Go can
// have as a field is one; the other members have methods.
type Struct struct {
	Decl
	Kind  string `json:"kind"` // struct or union
	Size  int    `json:"size"`
	Align int    `json:"align"` // in C
	// GoAlign is the alignment in Go, which knows none above 8.
	GoAlign int      `json:"go_align"`
	Fields  []*Field `json:"fields,omitempty"`  // by offset
	Methods []*Field `json:"methods,omitempty"` // in C's order
	// CType names the type in C; of a record declared in the place of a member, through that.
	CType string `json:"c_type"`
	// InPlace is set for a record that is declared as the type of a member.
	InPlace bool           `json:"in_place,omitempty"`
	C       *cparse.Record `json:"-"`
	// Holds are the records in it, by their C types.
	Holds []string `json:"-"`
}

// Form says how Go reaches a member.
type Form string

// The forms of members.
const (
	AsField   Form = "field"
	AsPointer Form = "pointer" // a method that returns a pointer to it
	AsValue   Form = "value"   // a getter and a setter: it is not aligned
	AsBits    Form = "bits"    // a getter and a setter of a bit-field
	AsTail    Form = "tail"    // a method that returns the slice of a flexible array
)

// Field is a member of a Struct. Members of anonymous members count as its own, as in C.
type Field struct {
	CName  string   `json:"c"`
	GoName string   `json:"go"`
	Form   Form     `json:"form"`
	Type   *GoType  `json:"type"`
	Dims   []int    `json:"dims,omitempty"` // of an array
	Offset int      `json:"offset"`         // in bytes; of a bit-field, that of its first byte
	Size   int      `json:"size"`           // in bytes; of a bit-field, the bytes that it touches
	Bit    int      `json:"bit,omitempty"`  // first bit, counted from Offset
	Width  int      `json:"width,omitempty"`
	Signed bool     `json:"signed,omitempty"`
	Shares []string `json:"shares,omitempty"` // the members of a union that lie in the same memory
	Doc    string   `json:"doc,omitempty"`
}

// goAlign is what Go aligns a record to.
func goAlign(align int) int { return min(align, pointerSize) }

// checkRecords finds the complete records that Go cannot represent.
func (b *builder) checkRecords() {
	b.nameTypes()
	b.findClashes()
	// A record may hold another one that turns out not to be representable, so the
	// check runs until nothing changes.
	for changed := true; changed; {
		changed = false
		for _, o := range b.records {
			if !o.complete || o.reason != "" || o.decl.Name == "doca_data" {
				continue
			}
			if err := b.checkMembers(o); err != nil {
				o.reason, changed = fmt.Sprintf("%s:%d: %v", o.decl.Pos.File, o.decl.Pos.Line, err), true
			}
		}
	}
}

// checkMembers tells whether a record, and those that it declares in place, are representable.
func (b *builder) checkMembers(o *recordInfo) error {
	if _, err := b.members(o); err != nil {
		return err
	}
	for _, in := range b.inPlace(o, o.decl) {
		if err := b.checkMembers(in); err != nil {
			return err
		}
	}
	return nil
}

// makeStructs are the record and those that it declares in the place of members, these first.
func (b *builder) makeStructs(o *recordInfo) (all []*Struct, err error) {
	for _, in := range b.inPlace(o, o.decl) {
		in.goName = b.claim(in.goName, "Member", in.ctype)
		inner, err := b.makeStructs(in)
		if err != nil {
			return nil, err
		}
		all = append(all, inner...)
	}
	m, err := b.members(o)
	if err != nil {
		return nil, err
	}
	l := b.layoutOf(o.decl)
	s := &Struct{
		Decl: decl(o.name(), o.goName, o.header, o.decl.Doc, ""), Kind: o.decl.Kind, Size: l.size, Align: l.align, GoAlign: goAlign(l.align),
		CType: o.ctype, InPlace: o.inPlace, C: o.decl, Holds: m.holds,
	}
	for _, f := range m.list {
		if f.Form == AsField {
			s.Fields = append(s.Fields, f)
		} else {
			s.Methods = append(s.Methods, f)
		}
	}
	return append(all, s), nil
}

// recordName is the tag of a record, or the typedef of one that has none.
func recordName(r *cparse.Record) string {
	if r.Name == "" {
		return r.Typedef
	}
	return r.Name
}

// recordC is how C names the type.
func recordC(r *cparse.Record) string {
	if r.Name == "" {
		return r.Typedef
	}
	return r.Kind + " " + r.Name
}

func (o *recordInfo) name() string {
	if o.inPlace {
		return strings.TrimSuffix(strings.TrimPrefix(o.ctype, "__typeof__("), ")")
	}
	return recordName(o.decl)
}

// inPlace are the untagged records that named members of r declare; those of anonymous members of
// r count as its own.
func (b *builder) inPlace(o *recordInfo, r *cparse.Record) (all []*recordInfo) {
	for _, f := range r.Fields {
		switch {
		case f.Anon == nil:
		case f.Name == "":
			all = append(all, b.inPlace(o, f.Anon)...)
		case underlying(element(f.Type)).Kind != cparse.Pointer:
			in := b.inner[f.Anon]
			if in == nil {
				lvalue := o.lvalue + "." + f.Name
				for t := f.Type; t.Kind == cparse.Array; t = t.Elem {
					lvalue += "[0]"
				}
				in = &recordInfo{lib: o.lib, goName: o.goName + camel(f.Name), complete: true, decl: f.Anon, header: o.header,
					inPlace: true, lvalue: lvalue, ctype: "__typeof__(" + lvalue + ")"}
				b.inner[f.Anon] = in
			}
			if !slices.Contains(all, in) { // struct { ... } a, b;
				all = append(all, in)
			}
		}
	}
	return all
}

// element is what an array is of.
func element(t *cparse.Type) *cparse.Type {
	for t.Kind == cparse.Array {
		t = t.Elem
	}
	return t
}
