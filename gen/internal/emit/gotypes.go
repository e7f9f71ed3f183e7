package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

const unsafePkg = "unsafe"

// goType writes a Go type.
func (e *emitter) goType(t *model.GoType) *jen.Statement {
	name, stars := t.Name, 0
	for strings.HasPrefix(name, "*") {
		name, stars = name[1:], stars+1
	}
	s := &jen.Statement{}
	for range stars {
		s = s.Op("*")
	}
	switch {
	case name == "unsafe.Pointer":
		return s.Qual(unsafePkg, "Pointer")
	case t.Pkg == "":
		return s.Id(name)
	}
	return s.Qual(e.pkg(t.Pkg), name)
}

// toC converts a Go value for a shim.
func (e *emitter) toC(t *model.GoType, v *jen.Statement) *jen.Statement {
	switch t.Kind {
	case model.Handle:
		return address(v)
	case model.Record:
		return jen.Qual(unsafePkg, "Pointer").Call(v)
	case model.Pointer:
		return v
	}
	if t.Name == "bool" {
		return cgoType("uint8_t").Call(jen.Qual(e.pkg("abi"), "Byte").Call(v))
	}
	return cgoType(t.C).Call(v)
}

// address passes a pointer to an object of C's: as a number, which spares cgo the question
// whether it points to Go memory.
func address(v *jen.Statement) *jen.Statement {
	return cgoType("uintptr_t").Call(jen.Uintptr().Call(jen.Qual(unsafePkg, "Pointer").Call(v)))
}

// local declares the variable that a shim writes a result of this type to.
func local(t *model.GoType) *jen.Statement {
	switch t.Kind {
	case model.Handle, model.Record, model.Pointer:
		return jen.Qual(unsafePkg, "Pointer")
	}
	return cgoType(t.C)
}

// place is the address of such a variable, for the shim.
func place(t *model.GoType, name string) *jen.Statement {
	switch t.Kind {
	case model.Handle, model.Record, model.Pointer:
		return pointerAt(name)
	}
	return jen.Op("&").Id(name)
}

// pointerAt is the address of a variable that a shim writes a pointer to: as that of a number, which spares cgo the question
// what the variable points to before the call. That is nothing.
func pointerAt(name string) *jen.Statement {
	return jen.Parens(jen.Op("*").Add(cgoType("uintptr_t"))).Call(ptr(jen.Op("&").Id(name)))
}

// fromC converts what a shim wrote.
func (e *emitter) fromC(t *model.GoType, v *jen.Statement) *jen.Statement {
	switch {
	case t.Kind == model.Pointer:
		return v
	case t.Kind == model.Handle, t.Kind == model.Record:
		return jen.Parens(e.goType(t)).Call(v)
	case t.Name == "bool":
		return v.Op("!=").Lit(0)
	}
	return e.goType(t).Call(v)
}
