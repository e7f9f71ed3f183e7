package cparse

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
)

// spec is what stands in front of the declarators of a declaration.
type spec struct {
	typ     *Type
	attrs   []attr
	typedef bool
	static  bool
	inline  bool
	body    string
	label   string  // the symbol, of an assembler label
	record  *Record // declared here, with its members
	enum    *Enum
	opaque  *cc.StructOrUnionSpecifier // a tag and nothing else
}

// qualified are the qualifiers of a type.
type qualified struct{ constant, volatile bool }

func (q *qualified) see(t *cc.TypeQualifier) {
	q.constant = q.constant || t.Case == cc.TypeQualifierConst
	q.volatile = q.volatile || t.Case == cc.TypeQualifierVolatile
}

// specifiers reads declaration specifiers.
func (c *collector) specifiers(ds *cc.DeclarationSpecifiers) (*spec, error) {
	s := &spec{}
	var words []*cc.TypeSpecifier
	var q qualified
	for ; ds != nil; ds = ds.DeclarationSpecifiers {
		switch ds.Case {
		case cc.DeclarationSpecifiersStorage:
			switch ds.StorageClassSpecifier.Case {
			case cc.StorageClassSpecifierTypedef:
				s.typedef = true
			case cc.StorageClassSpecifierStatic:
				s.static = true
			}
		case cc.DeclarationSpecifiersTypeSpec:
			words = append(words, ds.TypeSpecifier)
		case cc.DeclarationSpecifiersTypeQual:
			q.see(ds.TypeQualifier)
			s.attrs = append(s.attrs, attrsOf(ds.TypeQualifier.AttributeSpecifierList)...)
		case cc.DeclarationSpecifiersFunc:
			s.inline = s.inline || ds.FunctionSpecifier.Case == cc.FunctionSpecifierInline
		case cc.DeclarationSpecifiersAlignSpec:
			s.attrs = append(s.attrs, alignas(ds.AlignmentSpecifier))
		case cc.DeclarationSpecifiersAttr:
			s.attrs = append(s.attrs, attrsOf(ds.AttributeSpecifierList)...)
		}
	}
	return s, c.finish(s, words, q)
}

// qualifiers reads the specifiers of a struct member.
func (c *collector) qualifiers(l *cc.SpecifierQualifierList) (*spec, error) {
	s := &spec{}
	var words []*cc.TypeSpecifier
	var q qualified
	for ; l != nil; l = l.SpecifierQualifierList {
		s.attrs = append(s.attrs, attrsOf(l.AttributeSpecifierList)...)
		switch l.Case {
		case cc.SpecifierQualifierListTypeSpec:
			words = append(words, l.TypeSpecifier)
		case cc.SpecifierQualifierListTypeQual:
			q.see(l.TypeQualifier)
			s.attrs = append(s.attrs, attrsOf(l.TypeQualifier.AttributeSpecifierList)...)
		case cc.SpecifierQualifierListAlignSpec:
			s.attrs = append(s.attrs, alignas(l.AlignmentSpecifier))
		}
	}
	return s, c.finish(s, words, q)
}

// finish sets the type that the words of a specifier list spell.
func (c *collector) finish(s *spec, words []*cc.TypeSpecifier, q qualified) error {
	err := checkAttrs(s.attrs)
	if len(words) == 1 && err == nil {
		switch w := words[0]; w.Case {
		case cc.TypeSpecifierVoid:
			s.typ = &Type{Kind: Void}
		case cc.TypeSpecifierBool:
			s.typ = &Type{Kind: Bool, Size: 1}
		case cc.TypeSpecifierTypeName:
			s.typ, err = c.named(w.Token.SrcStr())
		case cc.TypeSpecifierEnum:
			err = c.enumSpecifier(s, w.EnumSpecifier)
		case cc.TypeSpecifierStructOrUnion:
			err = c.recordSpecifier(s, w.StructOrUnionSpecifier)
		case cc.TypeSpecifierAtomic: // has the layout of the type in the brackets
			n := w.AtomicTypeSpecifier.TypeName
			var inner *spec
			if inner, err = c.qualifiers(n.SpecifierQualifierList); err == nil {
				s.typ, err = c.abstractType(inner.typ, n.AbstractDeclarator)
			}
		}
	}
	if err != nil {
		return err
	}
	if s.typ == nil {
		if s.typ, err = arithmetic(words); err != nil {
			return err
		}
	}
	if q.constant || q.volatile {
		t := *s.typ
		t.Const, t.Volatile = t.Const || q.constant, t.Volatile || q.volatile
		s.typ = &t
	}
	return nil
}

// arithmetic is the type that a list of words such as "unsigned long int" spells.
// The sizes are those of Linux on amd64 and arm64.
func arithmetic(words []*cc.TypeSpecifier) (*Type, error) {
	n := map[string]int{}
	var spelled []string
	for _, w := range words {
		word := strings.Trim(w.Token.SrcStr(), "_")
		n[word]++
		spelled = append(spelled, w.Token.SrcStr())
	}
	count := func(allowed ...string) int {
		k := 0
		for _, a := range allowed {
			k += n[a]
		}
		return k
	}
	sign := n["signed"] + n["unsigned"]
	unsigned := n["unsigned"] > 0
	integer := func(name string, size int) (*Type, error) {
		if unsigned {
			name = "unsigned " + name
		}
		return &Type{Kind: Int, Name: name, Size: size, Signed: !unsigned}, nil
	}
	total := len(words)
	switch {
	case total == 0 || sign > 1 || n["int"] > 1:
	case n["char"] == 1 && total == 1+sign:
		if n["signed"] == 1 {
			return &Type{Kind: Int, Name: "signed char", Size: 1, Signed: true}, nil
		}
		return integer("char", 1)
	case n["short"] == 1 && total == 1+sign+n["int"]:
		return integer("short", 2)
	case n["long"] == 1 && n["double"] == 1 && total == 2:
		return &Type{Kind: Float, Name: "long double", Size: 16}, nil
	case n["long"] == 1 && total == 1+sign+n["int"]:
		return integer("long", 8)
	case n["long"] == 2 && total == 2+sign+n["int"]:
		return integer("long long", 8)
	case count("int", "signed", "unsigned") == total:
		return integer("int", 4)
	case n["float"] == 1 && total == 1:
		return &Type{Kind: Float, Name: "float", Size: 4}, nil
	case n["double"] == 1 && total == 1:
		return &Type{Kind: Float, Name: "double", Size: 8}, nil
	}
	if total == 0 {
		return nil, fmt.Errorf("declaration without a type")
	}
	return nil, fmt.Errorf("type not supported: %s", strings.Join(spelled, " "))
}
