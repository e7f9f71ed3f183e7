package cparse

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
)

// recordSpecifier reads a struct or union specifier.
func (c *collector) recordSpecifier(s *spec, r *cc.StructOrUnionSpecifier) error {
	kind, name := Struct, r.Token.SrcStr()
	if r.StructOrUnion.Case == cc.StructOrUnionUnion {
		kind = Union
	}
	s.typ = &Type{Kind: kind, Name: name}
	if r.Case == cc.StructOrUnionSpecifierTag {
		s.opaque = r
		return nil
	}
	c.complete[name] = true
	rec := &Record{Kind: string(kind), Name: name, Complete: true, Pack: c.pack.now}
	rec.Attrs = layout(append(attrsOf(r.AttributeSpecifierList), attrsOf(r.AttributeSpecifierList2)...))
	at := r.StructOrUnion.Token.Position()
	src := c.sourceOf(at.Filename)
	rec.Pos = Pos{File: c.p.display(at.Filename), Line: at.Line}
	if src != nil {
		rec.Doc = src.docBefore(src.offset(at.Line, at.Column))
	}
	for l := r.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		if l.StructDeclaration == nil || l.StructDeclaration.Case == cc.StructDeclarationAssert {
			continue
		}
		fields, err := c.fields(src, l.StructDeclaration)
		if err != nil {
			return inRecord(kind, name, err)
		}
		rec.Fields = append(rec.Fields, fields...)
	}
	if err := checkRecordWeight(rec); err != nil {
		return err
	}
	s.record = rec
	if name != "" {
		c.addRecord(at.Filename, rec)
	}
	return nil
}

// inRecord names the struct or union that an error is in, with a tag if it can.
func inRecord(kind Kind, name string, err error) error {
	if name != "" {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	if in := "a " + string(kind) + " in it: "; !strings.HasPrefix(err.Error(), in) {
		return fmt.Errorf("%s%w", in, err)
	}
	return err
}

// fields reads one member declaration, which may declare several members.
func (c *collector) fields(src *source, d *cc.StructDeclaration) ([]*Field, error) {
	spec, err := c.qualifiers(d.SpecifierQualifierList)
	if err != nil {
		return nil, err
	}
	attrs := append(spec.attrs, attrsOf(d.AttributeSpecifierList)...)
	if err := checkAttrs(attrs); err != nil {
		return nil, err
	}
	var anon *Record
	if spec.record != nil && spec.record.Name == "" {
		anon = spec.record
	}
	doc := src.memberDoc(d.Position(), d.Token.Position())
	if d.StructDeclaratorList == nil {
		if anon == nil {
			return nil, nil // declares a tag at most
		}
		return []*Field{{Type: spec.typ, Anon: anon, Doc: doc, Attrs: layout(attrs)}}, nil
	}
	var all []*Field
	for l := d.StructDeclaratorList; l != nil; l = l.StructDeclaratorList {
		sd := l.StructDeclarator
		t, err := c.declType(spec.typ, sd.Declarator)
		if err == nil {
			err = checkArrays(t)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", sd.Declarator.Name(), err)
		}
		f := &Field{Name: sd.Declarator.Name(), Type: t, Anon: anon, Doc: doc, Attrs: layout(attrs)}
		if sd.Case == cc.StructDeclaratorBitField {
			n, err := c.constant(sd.ConstantExpression)
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", f.Name, err)
			}
			f.Bits = int(n)
		}
		all = append(all, f)
	}
	return all, nil
}

// enumSpecifier reads an enum specifier.
func (c *collector) enumSpecifier(s *spec, e *cc.EnumSpecifier) error {
	name := e.Token2.SrcStr()
	s.typ = &Type{Kind: EnumT, Name: name, Size: 4}
	if e.Case == cc.EnumSpecifierTag {
		if t := c.enums[name]; t != nil {
			s.typ = t
		}
		return nil
	}
	if e.EnumTypeSpecifier != nil {
		return fmt.Errorf("enum %s names its type, as in C23", name)
	}
	at := e.Token.Position()
	src := c.sourceOf(at.Filename)
	en := &Enum{Name: name, Pos: Pos{File: c.p.display(at.Filename), Line: at.Line}}
	for l := e.EnumeratorList; l != nil; l = l.EnumeratorList {
		k := &EnumConst{Name: l.Enumerator.Token.SrcStr()}
		end := l.Enumerator.Token
		if e := l.Enumerator.ConstantExpression; e != nil {
			if err := c.checkConstant(e); err != nil {
				return fmt.Errorf("enum %s: %s: %w", name, k.Name, err)
			}
			if t := cc.NodeTokens(e); len(t) > 0 {
				end = t[len(t)-1]
			}
		}
		var ok bool
		if k.Value, k.Unsigned, ok = intValue(l.Enumerator.Value()); !ok {
			return fmt.Errorf("enum %s: %s has no value that fits", name, k.Name)
		}
		k.Doc = src.memberDoc(l.Enumerator.Token.Position(), end.Position())
		en.Consts = append(en.Consts, k)
	}
	if src != nil {
		off := src.offset(at.Line, at.Column)
		en.Doc = src.docBefore(off)
		en.Packed = c.isPacked(src.enumAttrs[off])
	}
	c.sizeEnum(s, en)
	s.enum = en
	c.addEnum(at.Filename, en)
	return nil
}

// packEnum makes an enumeration as small as its values allow, as the packed attribute does.
func (c *collector) packEnum(s *spec, e *Enum) {
	e.Packed = true
	c.sizeEnum(s, e)
}

// sizeEnum sets the size of the type of an enumeration to that of C compilers:
// an int, or what else the values need.
func (c *collector) sizeEnum(s *spec, e *Enum) {
	var lo, hi int64
	big := false
	for _, k := range e.Consts {
		if k.Unsigned {
			big = true
			continue
		}
		lo, hi = min(lo, k.Value), max(hi, k.Value)
	}
	t := *s.typ
	t.Signed = lo < 0
	t.Size = 8
	for _, size := range []int{4, 2, 1} {
		limit := int64(1) << (8*size - 1) // of a signed number
		if fits := lo == 0 && hi < 2*limit || lo < 0 && lo >= -limit && hi < limit; fits && !big && (size == 4 || e.Packed) {
			t.Size = size
		}
	}
	s.typ = &t
	if e.Name != "" {
		c.enums[e.Name] = &t
	}
}

// isPacked reports whether the text taken out from behind enum, an attribute
// or a macro that expands to one, says packed.
func (c *collector) isPacked(text string) bool {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r > 127 || !isIdent(byte(r)) }) {
		if m := c.macros[w]; m != nil && strings.Contains(replacement(m), "packed") {
			return true
		}
	}
	return strings.Contains(text, "packed")
}
