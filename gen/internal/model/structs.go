package model

import (
	"fmt"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// checkRecords finds the complete records whose layout Go cannot mirror.
func (b *builder) checkRecords() {
	// A record may hold another one that turns out not to be representable, so the
	// check runs until nothing changes.
	for changed := true; changed; {
		changed = false
		for _, o := range b.records {
			if !o.complete || o.reason != "" || o.decl.Name == "doca_data" {
				continue
			}
			if reason := b.unrepresentable(o.decl); reason != "" {
				o.reason, changed = reason, true
			}
		}
	}
}

func (b *builder) unrepresentable(r *cparse.Record) string {
	if r.Kind == "union" {
		return "union: Go has no overlapping fields"
	}
	if len(r.Attrs) > 0 {
		return fmt.Sprintf("layout attribute %v", r.Attrs)
	}
	for _, f := range r.Fields {
		if f.Anon != nil || f.Name == "" {
			return "anonymous member"
		}
		if f.Bits > 0 {
			return "bit-field " + f.Name
		}
		if _, _, err := b.fieldType(f.Type); err != nil {
			return "member " + f.Name + ": " + err.Error()
		}
	}
	return ""
}

// fieldType resolves a member; n is the length of an array, else 0.
func (b *builder) fieldType(t *cparse.Type) (g *GoType, n int, err error) {
	if function(t) != nil {
		return &GoType{Pointer, "", "unsafe.Pointer", "void *"}, 0, nil
	}
	u := underlying(t)
	if u.Kind == cparse.Array {
		if u.Len < 0 {
			return nil, 0, fmt.Errorf("flexible array")
		}
		if underlying(u.Elem).Kind == cparse.Array {
			return nil, 0, fmt.Errorf("array of arrays")
		}
		g, err = b.resolve(u.Elem)
		return g, u.Len, err
	}
	g, err = b.resolve(t)
	return g, 0, err
}

func (b *builder) makeStruct(o *recordInfo) *Struct {
	s := &Struct{Decl: decl(o.decl.Name, o.goName, o.header, o.decl.Doc, ""), Kind: o.decl.Kind}
	for i, f := range o.decl.Fields {
		g, n, err := b.fieldType(f.Type)
		if err != nil {
			panic("checkRecords let " + o.decl.Name + " pass: " + err.Error())
		}
		name := camel(f.Name)
		if name == "" {
			name = fmt.Sprintf("Field%d", i)
		}
		s.Fields = append(s.Fields, &Field{CName: f.Name, GoName: name, Type: g, CType: f.Type, Len: n, Doc: f.Doc})
	}
	return s
}
