package model

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// Spell writes a declaration of name with the ABI of t, using nothing but the
// standard integer types, opaque struct tags and union doca_data. Two spellings of
// one type, such as int and int32_t, become one.
func Spell(t *cparse.Type, name string) string { return spell(t, name, false) }

// SpellExact is Spell for C that computes with what it declares: an enumeration has the sign that it has in C, what is
// stored in a bool becomes 0 or 1, and what is volatile is read each time.
func SpellExact(t *cparse.Type, name string) string { return spell(t, name, true) }

func spell(t *cparse.Type, name string, exact bool) string {
	if k := underlying(t).Kind; exact && t.Volatile && k != cparse.Pointer && k != cparse.Array {
		c := *t
		c.Volatile = false
		return "volatile " + spell(&c, name, exact)
	}
	switch t.Kind {
	case cparse.Pointer:
		inner := "*" + name
		if k := underlying(t.Elem).Kind; k == cparse.FuncT || k == cparse.Array {
			inner = "(" + inner + ")"
		}
		return spell(t.Elem, inner, exact)
	case cparse.Array:
		if t.Len < 0 {
			return spell(t.Elem, name+"[]", exact)
		}
		return spell(t.Elem, fmt.Sprintf("%s[%d]", name, t.Len), exact)
	case cparse.FuncT:
		var ps []string
		for i, p := range t.Params {
			ps = append(ps, spellParam(p.Type, fmt.Sprintf("arg%d", i), exact))
		}
		if t.Variadic {
			ps = append(ps, "...")
		}
		if len(ps) == 0 {
			ps = []string{"void"}
		}
		return spell(t.Elem, name+"("+strings.Join(ps, ", ")+")", exact)
	case cparse.Named:
		if w, ok := wordTypes[t.Name]; ok && !(exact && t.Name == "bool") {
			return qualified(t, w.C, name)
		}
		if t.Elem == nil && t.Name == "bool" {
			return qualified(t, "_Bool", name)
		}
		if t.Elem == nil {
			return qualified(t, t.Name, name)
		}
		if k := t.Elem.Kind; (k == cparse.Struct || k == cparse.Union) && t.Elem.Name == "" {
			return qualified(t, t.Name, name) // of an untagged record, which shim.h declares
		}
		e := *t.Elem
		e.Const, e.Volatile = e.Const || t.Const, e.Volatile || t.Volatile
		return spell(&e, name, exact)
	case cparse.Int:
		if isChar(t) && !(exact && t.Name == "signed char") { // a char has no sign on arm64
			return qualified(t, "char", name)
		}
		return qualified(t, intType(t).C, name)
	case cparse.Bool:
		if exact {
			return qualified(t, "_Bool", name)
		}
		return qualified(t, "uint8_t", name)
	case cparse.Float:
		if t.Size == 4 {
			return qualified(t, "float", name)
		}
		return qualified(t, "double", name)
	case cparse.EnumT:
		switch {
		case t.Size == 1 || t.Size == 2 || exact:
			return qualified(t, intType(t).C, name)
		case t.Size == 8:
			return qualified(t, "int64_t", name)
		}
		return qualified(t, "int32_t", name)
	case cparse.Struct, cparse.Union:
		if t.Name == "" { // behind a pointer
			return qualified(t, "void", name)
		}
		return qualified(t, string(t.Kind)+" "+t.Name, name)
	case cparse.Void:
		return qualified(t, "void", name)
	}
	return qualified(t, t.Name, name)
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
func SpellParam(t *cparse.Type, name string) string { return spellParam(t, name, false) }

// SpellExactParam is SpellParam as SpellExact spells.
func SpellExactParam(t *cparse.Type, name string) string { return spellParam(t, name, true) }

func spellParam(t *cparse.Type, name string, exact bool) string {
	if f := function(t); f != nil {
		return spell(&cparse.Type{Kind: cparse.Pointer, Elem: f}, name, exact)
	}
	if u := underlying(t); u.Kind == cparse.Array {
		return spell(&cparse.Type{Kind: cparse.Pointer, Elem: u.Elem}, name, exact)
	}
	return spell(t, name, exact)
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
func SpellFuncPointer(f *cparse.Func) string { return spellFuncPointer(f, f.Name, false) }

func spellFuncPointer(f *cparse.Func, name string, exact bool) string {
	t := &cparse.Type{Kind: cparse.FuncT, Elem: f.Ret, Params: f.Params, Variadic: f.Variadic}
	return spell(&cparse.Type{Kind: cparse.Pointer, Elem: t}, name, exact)
}

// Prototype writes the declaration as the header has it, on one line.
func (f *Func) Prototype() string { return f.C.Prototype() }
