package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// types emits the enums, objects, structs, typedefs and constants of one header and
// returns how many there are.
func (f *file) types(header string) int {
	n := 0
	for _, e := range f.lib.Enums {
		if e.Header == header {
			f.enum(e)
			n++
		}
	}
	for _, o := range f.lib.Objects {
		if o.Header == header {
			f.object(o)
			n++
		}
	}
	for _, s := range f.lib.Structs {
		if s.Header == header {
			f.record(s)
			n++
		}
	}
	for _, t := range f.lib.Typedefs {
		if t.Header == header {
			f.Comment(f.typeDoc(t.Decl, t.CName))
			if s := f.Type().Id(t.GoName); t.Distinct {
				s.Add(f.aliased(t))
			} else {
				s.Op("=").Add(f.aliased(t))
			}
			f.Line()
			n++
		}
	}
	return n + f.constants(header)
}

// aliased is the type that a scalar typedef stands for.
func (f *file) aliased(t *model.Typedef) *jen.Statement {
	if t.Type.Pkg == f.lib.Name && t.Type.Name == t.GoName {
		return jen.Id(goScalar(t.Type.C))
	}
	return f.goType(t.Type)
}

// goScalar is the predeclared Go type for a scalar of the ABI: uint32 for uint32_t.
func goScalar(c string) string {
	switch c {
	case "float":
		return "float32"
	case "double":
		return "float64"
	case "size_t":
		return "uint64"
	}
	return c[:len(c)-len("_t")]
}

// enum emits a type with its constants and their names. doca_error is package abi's: the constants here are
// its values under the names of this package.
func (f *file) enum(e *model.Enum) {
	f.Comment(f.typeDoc(e.Decl, e.C()))
	if e.CName == "doca_error" {
		f.Type().Id(e.GoName).Op("=").Add(f.abiFn("Error"))
	} else {
		f.Type().Id(e.GoName).Id(goScalar(e.Type))
	}
	f.Line()
	var defs []jen.Code
	for _, c := range e.Consts {
		defs = append(defs, jen.Comment(f.constDoc(c.GoName, c.CName, c.Doc)), jen.Id(c.GoName).Id(e.GoName).Op("=").Id(model.Decimal(c.Value, e.Type == "uint64_t")))
	}
	f.Comment("// The values of " + e.C() + ".")
	f.Const().Defs(defs...)
	f.Line()
	if e.CName == "doca_error" {
		return
	}
	f.Comment("// String returns the name of the enumerator.")
	cases := []jen.Code{}
	seen := map[int64]bool{}
	for _, c := range e.Consts {
		if !seen[c.Value] {
			seen[c.Value] = true
			cases = append(cases, jen.Case(jen.Id(c.GoName)).Block(jen.Return(jen.Lit(c.CName))))
		}
	}
	f.Func().Params(jen.Id("v").Id(e.GoName)).Id("String").Params().String().Block(
		jen.Switch(jen.Id("v")).Block(cases...),
		jen.Return(jen.Lit(e.C()+"(").Op("+").Qual("strconv", "FormatInt").Call(jen.Int64().Call(jen.Id("v")), jen.Lit(10)).Op("+").Lit(")")))
	f.Line()
}

// object emits an opaque struct. cgo.Incomplete keeps programs from making or copying one.
func (f *file) object(o *model.Object) {
	f.Comment(f.typeDoc(o.Decl, "struct "+o.CName, "Only pointers to it exist in Go."))
	f.Type().Id(o.GoName).Struct(jen.Id("_").Qual("runtime/cgo", "Incomplete"))
	f.Line()
}

// constants emits the macros of one header, and the enumerators that have no type.
func (f *file) constants(header string) int {
	var defs []jen.Code
	n := 0
	for _, c := range f.lib.Constants {
		if c.Header != header {
			continue
		}
		n++
		defs = append(defs, jen.Comment(f.constDoc(c.GoName, c.CName, c.Doc)))
		defs = append(defs, jen.Id(c.GoName).Op("=").Id(c.Value))
	}
	if n == 0 {
		return 0
	}
	f.Comment("// The constants of " + header + ".")
	f.Const().Defs(defs...)
	f.Line()
	return n
}
