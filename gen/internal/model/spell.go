package model

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// Spell writes a declaration of name with the ABI of t, using nothing but the
// standard integer types, opaque struct tags and union doca_data. Two spellings of
// one type, such as int and int32_t, become one.
func Spell(t *cparse.Type, name string) string { return plain.declare(t, name) }

// SpellExact is Spell for C that computes with what it declares: an enumeration has the sign that it has in C, what is
// stored in a bool becomes 0 or 1, and what is volatile is read each time.
func SpellExact(t *cparse.Type, name string) string { return exact.declare(t, name) }

// spelling is a way to write types.
type spelling int

const (
	plain spelling = iota // as Spell does
	exact                 // as SpellExact does
)

// declare writes a declaration from the inside out, as C has it: pointers, arrays and functions wrap the
// name, until the type is one of leaves.
func (s spelling) declare(t *cparse.Type, name string) string {
	if k := underlying(t).Kind; s == exact && t.Volatile && k != cparse.Pointer && k != cparse.Array {
		c := *t
		c.Volatile = false
		return "volatile " + s.declare(&c, name)
	}
	switch t.Kind {
	case cparse.Pointer:
		inner := "*" + name
		if k := underlying(t.Elem).Kind; k == cparse.FuncT || k == cparse.Array {
			inner = "(" + inner + ")"
		}
		return s.declare(t.Elem, inner)
	case cparse.Array:
		if t.Len < 0 {
			return s.declare(t.Elem, name+"[]")
		}
		return s.declare(t.Elem, fmt.Sprintf("%s[%d]", name, t.Len))
	case cparse.FuncT:
		return s.declare(t.Elem, name+"("+s.params(t)+")")
	case cparse.Named:
		return s.named(t, name)
	}
	leaf := t.Name
	if l, ok := leaves[t.Kind]; ok {
		leaf = l[s](t)
	}
	return qualified(t, leaf, name)
}

// leaves are how the types are written that contain no others, plain and exact.
var leaves = map[cparse.Kind][2]func(t *cparse.Type) string{
	cparse.Void:   {always("void"), always("void")},
	cparse.Bool:   {always("uint8_t"), always("_Bool")},
	cparse.Int:    {plainInt, exactInt},
	cparse.Float:  {float, float},
	cparse.EnumT:  {plainEnum, sized},
	cparse.Struct: {tagged, tagged},
	cparse.Union:  {tagged, tagged},
}

func always(text string) func(*cparse.Type) string { return func(*cparse.Type) string { return text } }

func sized(t *cparse.Type) string { return intType(t).C }

func plainInt(t *cparse.Type) string {
	if isChar(t) {
		return "char"
	}
	return sized(t)
}

// exactInt tells a char, which has no sign on arm64, from a signed char.
func exactInt(t *cparse.Type) string {
	if t.Name == "signed char" {
		return sized(t)
	}
	return plainInt(t)
}

func float(t *cparse.Type) string {
	if t.Size == 4 {
		return "float"
	}
	return "double"
}

// plainEnum is signed, as Go's form of an enumeration is, unless the enumeration is packed.
func plainEnum(t *cparse.Type) string {
	switch t.Size {
	case 1, 2:
		return sized(t)
	case 8:
		return "int64_t"
	}
	return "int32_t"
}

func tagged(t *cparse.Type) string {
	if t.Name == "" { // behind a pointer
		return "void"
	}
	return string(t.Kind) + " " + t.Name
}

// named writes a typedef: those of C's own headers by their name, all others as what they stand for.
func (s spelling) named(t *cparse.Type, name string) string {
	w, word := wordTypes[t.Name]
	isBool := t.Name == "bool"
	switch {
	case word && !(s == exact && isBool):
		return qualified(t, w.C, name)
	case t.Elem == nil && isBool:
		return qualified(t, "_Bool", name)
	case t.Elem == nil:
		return qualified(t, t.Name, name)
	case (t.Elem.Kind == cparse.Struct || t.Elem.Kind == cparse.Union) && t.Elem.Name == "":
		return qualified(t, t.Name, name) // of an untagged record, which shim.h declares
	}
	e := *t.Elem
	e.Const, e.Volatile = e.Const || t.Const, e.Volatile || t.Volatile
	return s.declare(&e, name)
}

// params writes the parameters of a function type, named by their places.
func (s spelling) params(t *cparse.Type) string {
	var ps []string
	for i, p := range t.Params {
		ps = append(ps, s.param(p.Type, fmt.Sprintf("arg%d", i)))
	}
	if t.Variadic {
		ps = append(ps, "...")
	}
	if len(ps) == 0 {
		return "void"
	}
	return strings.Join(ps, ", ")
}

func qualified(t *cparse.Type, base, name string) string {
	if t.Const {
		base = "const " + base
	}
	if name == "" {
		return base
	}
	return base + " " + name
}

// SpellParam spells a parameter: arrays and functions decay to pointers.
func SpellParam(t *cparse.Type, name string) string { return plain.param(t, name) }

// SpellExactParam is SpellParam as SpellExact spells.
func SpellExactParam(t *cparse.Type, name string) string { return exact.param(t, name) }

func (s spelling) param(t *cparse.Type, name string) string {
	if f := function(t); f != nil {
		return s.declare(&cparse.Type{Kind: cparse.Pointer, Elem: f}, name)
	}
	if u := underlying(t); u.Kind == cparse.Array {
		return s.declare(&cparse.Type{Kind: cparse.Pointer, Elem: u.Elem}, name)
	}
	return s.declare(t, name)
}

// SpellMember spells a member of a record as SpellExact does: what holds a function is a pointer.
func SpellMember(t *cparse.Type, name string) string {
	if f := function(t); f != nil {
		return SpellExact(&cparse.Type{Kind: cparse.Pointer, Elem: f}, name)
	}
	return SpellExact(t, name)
}

// Pointer writes f as a pointer to function, for the symbol table.
func (f *Func) Pointer() string { return SpellFuncPointer(f.C) }

// SpellFuncPointer writes a pointer to f with f's name.
func SpellFuncPointer(f *cparse.Func) string { return plain.funcPointer(f, f.Name) }

func (s spelling) funcPointer(f *cparse.Func, name string) string {
	t := &cparse.Type{Kind: cparse.FuncT, Elem: f.Ret, Params: f.Params, Variadic: f.Variadic}
	return s.declare(&cparse.Type{Kind: cparse.Pointer, Elem: t}, name)
}

// Prototype writes the declaration as the header has it, on one line.
func (f *Func) Prototype() string { return f.C.Prototype() }
