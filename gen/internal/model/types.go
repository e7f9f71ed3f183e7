package model

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// ABI is the package that every generated package imports.
const ABI = "abi"

// wordTypes are the typedefs of C's own headers that DOCA uses.
var wordTypes = map[string]GoType{
	"size_t": {Scalar, "", "uint64", "size_t"}, "ssize_t": {Scalar, "", "int64", "int64_t"},
	"uint8_t": {Scalar, "", "uint8", "uint8_t"}, "uint16_t": {Scalar, "", "uint16", "uint16_t"},
	"uint32_t": {Scalar, "", "uint32", "uint32_t"}, "uint64_t": {Scalar, "", "uint64", "uint64_t"},
	"int8_t": {Scalar, "", "int8", "int8_t"}, "int16_t": {Scalar, "", "int16", "int16_t"},
	"int32_t": {Scalar, "", "int32", "int32_t"}, "int64_t": {Scalar, "", "int64", "int64_t"},
	"uintptr_t": {Scalar, "", "uint64", "uint64_t"}, "bool": {Scalar, "", "bool", "uint8_t"},
}

// resolve gives the Go form of a value type. A function type or anything that cannot
// cross the border by itself is an error that says why.
func (b *builder) resolve(t *cparse.Type) (*GoType, error) {
	switch t.Kind {
	case cparse.Void:
		return nil, fmt.Errorf("void is not a value")
	case cparse.Bool:
		return &GoType{Scalar, "", "bool", "uint8_t"}, nil
	case cparse.Int:
		return intType(t), nil
	case cparse.Float:
		if t.Size == 4 {
			return &GoType{Scalar, "", "float32", "float"}, nil
		}
		if t.Size == 8 {
			return &GoType{Scalar, "", "float64", "double"}, nil
		}
		return nil, fmt.Errorf("%d-byte floating point number", t.Size)
	case cparse.EnumT:
		if t.Name == "" { // a member's, in place; as wide as one with a name, and as signed
			return intType(&cparse.Type{Size: t.Size, Signed: t.Signed || t.Size >= 4}), nil
		}
		return b.enumType(t.Name)
	case cparse.Struct, cparse.Union:
		return b.recordType(t)
	case cparse.Pointer:
		return b.pointerType(t)
	case cparse.Named:
		return b.namedType(t)
	}
	return nil, noForm(t)
}

// noForm says of which type in C there is none in Go.
func noForm(t *cparse.Type) error {
	if text := t.String(); text != "" {
		return fmt.Errorf("no Go form for C type %q", text)
	}
	return fmt.Errorf("no Go form for a %s of C", t.Kind)
}

func intType(t *cparse.Type) *GoType {
	name := fmt.Sprintf("int%d", t.Size*8)
	if !t.Signed {
		name = "u" + name
	}
	return &GoType{Scalar, "", name, name + "_t"}
}

// enumType is an enumeration by its tag. doca_error_t is Go's error code wherever it is.
func (b *builder) enumType(tag string) (*GoType, error) {
	if tag == "doca_error" {
		return &GoType{EnumK, ABI, "Error", "int32_t"}, nil
	}
	e, ok := b.enums[tag]
	if b.hidden["enum "+tag] {
		return nil, fmt.Errorf("enum %s belongs to package %s, which imports this one", tag, e.lib)
	}
	if !ok {
		return nil, fmt.Errorf("enum %s is not declared in a header of these libraries, or their bindings do not have it%s", tag, origin(tag))
	}
	return &GoType{EnumK, e.lib, e.goName, e.c}, nil
}

// recordType is a struct or union by value. union doca_data, which is user data everywhere, is 64 bits.
func (b *builder) recordType(t *cparse.Type) (*GoType, error) {
	if t.Kind == cparse.Union && t.Name == "doca_data" {
		return &GoType{DataK, ABI, "Data", "uint64_t"}, nil
	}
	return b.recordNamed(t, t.Name)
}

// recordNamed is a record by its tag, or by the typedef of one that has none.
func (b *builder) recordNamed(t *cparse.Type, name string) (*GoType, error) {
	o, ok := b.records[name]
	if !ok || name == "" {
		return nil, fmt.Errorf("no header of these libraries declares %s %s%s", t.Kind, name, origin(name))
	}
	if b.hidden[recordKey(t.Name)] {
		return nil, fmt.Errorf("%s %s belongs to package %s, which imports this one", t.Kind, t.Name, o.lib)
	}
	if !o.complete {
		return nil, fmt.Errorf("opaque %s %s used by value", t.Kind, t.Name)
	}
	if o.reason != "" {
		return nil, fmt.Errorf("%s %s is not bound: %s", t.Kind, t.Name, o.reason)
	}
	return &GoType{Record, o.lib, o.goName, o.ctype}, nil
}

// pointerType is a pointer that is passed on as it is: typed where it leads to an object or a record that is bound.
func (b *builder) pointerType(t *cparse.Type) (*GoType, error) {
	e := underlying(t.Elem)
	if e.Kind == cparse.Struct || e.Kind == cparse.Union {
		if o, ok := b.records[tagOf(t.Elem)]; ok && o.reason == "" && !b.hidden[recordKey(e.Name)] {
			kind := Handle
			if o.complete {
				kind = Record
			}
			if e.Name == "doca_data" {
				return &GoType{Pointer, "", "unsafe.Pointer", "void *"}, nil
			}
			return &GoType{kind, o.lib, "*" + o.goName, "void *"}, nil
		}
	}
	return &GoType{Pointer, "", "unsafe.Pointer", "void *"}, nil
}

// namedType is a typedef: C's own (uint32_t), one of an enumeration or a record without a tag, or a scalar's, which has
// its name in Go (doca_dpa_dev_uintptr_t is dpadev.Uintptr).
func (b *builder) namedType(t *cparse.Type) (*GoType, error) {
	if w, ok := wordTypes[t.Name]; ok {
		return &w, nil
	}
	if t.Elem == nil {
		return nil, noForm(t)
	}
	if t.Elem.Kind == cparse.EnumT && t.Elem.Name == "" {
		return b.enumType(t.Name)
	}
	if (t.Elem.Kind == cparse.Struct || t.Elem.Kind == cparse.Union) && t.Elem.Name == "" {
		return b.recordNamed(t.Elem, t.Name)
	}
	g, err := b.resolve(t.Elem)
	if err != nil {
		return nil, err
	}
	if td, ok := b.typedefs[t.Name]; ok && g.Kind == Scalar && !b.hidden["typedef "+t.Name] {
		g.Pkg, g.Name = td.lib, td.goName
	}
	return g, nil
}

// tagOf is the tag of a record, or the typedef of one that has none.
func tagOf(t *cparse.Type) string {
	name := ""
	for t.Kind == cparse.Named && t.Elem != nil {
		name, t = t.Name, t.Elem
	}
	if t.Name != "" {
		return t.Name
	}
	return name
}

// underlying follows typedefs.
func underlying(t *cparse.Type) *cparse.Type {
	for t.Kind == cparse.Named && t.Elem != nil {
		t = t.Elem
	}
	return t
}

// function returns the function type of a callback parameter: a function type, a
// pointer to one, or a typedef of either.
func function(t *cparse.Type) *cparse.Type {
	u := underlying(t)
	if u.Kind == cparse.Pointer {
		u = underlying(u.Elem)
	}
	if u.Kind == cparse.FuncT {
		return u
	}
	return nil
}

func isConst(t *cparse.Type) bool {
	for ; t != nil; t = t.Elem {
		if t.Const {
			return true
		}
		if t.Kind != cparse.Named {
			return false
		}
	}
	return false
}

func isChar(t *cparse.Type) bool {
	u := underlying(t)
	return u.Kind == cparse.Int && u.Size == 1 && t.Kind == cparse.Int && strings.HasSuffix(u.Name, "char") && u.Name != "unsigned char"
}

func isData(t *cparse.Type) bool {
	u := underlying(t)
	return u.Kind == cparse.Union && u.Name == "doca_data"
}

func isInteger(t *cparse.Type) bool {
	u := underlying(t)
	return u.Kind == cparse.Int && u.Size >= 2
}

func isByte(t *cparse.Type) bool {
	u := underlying(t)
	return u.Kind == cparse.Int && u.Size == 1 && !u.Signed
}
