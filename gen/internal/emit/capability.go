package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// capabilities emits, for each set of one header, a struct with all answers and the
// function that asks.
func (f *file) capabilities(header string) {
	for _, s := range f.lib.Capabilities {
		if s.Header == header {
			f.capabilitySet(s)
		}
	}
}

// capabilitySet asks one query after the other: what is not supported stays zero, any other error ends it.
func (f *file) capabilitySet(s *model.CapabilitySet) {
	var fields, body []jen.Code
	for _, q := range s.Queries {
		fields = append(fields, jen.Id(q.GoName).Add(f.goType(q.Type)).Comment(q.CName))
		helper := "Optional"
		if q.Status {
			helper = "Supported"
		}
		body = append(body,
			jen.If(jen.List(jen.Id("c").Dot(q.GoName), jen.Err()).Op("=").Add(f.abiFn(helper)).Call(jen.Id(q.Func.GoName).Call(jen.Id("of"))),
				jen.Err().Op("!=").Nil()).Block(jen.Return()))
	}
	body = append(body, jen.Return(jen.Id("c"), jen.Nil()))
	f.Comment(capabilityDoc(s, s.Of.In(f.lib.Name)))
	f.Type().Id(s.GoName).Struct(fields...)
	f.Line()
	f.Comment(getCapabilityDoc(s))
	f.Func().Id("Get"+s.GoName).Params(jen.Id("of").Add(f.goType(s.Of))).Params(jen.Id("c").Id(s.GoName), jen.Err().Error()).Block(body...)
	f.Line()
}

// queries emits the list of all capabilities that the library can tell of a device.
func (e *emitter) queries(f *jen.File) {
	var of *model.GoType
	var list []jen.Code
	for _, s := range e.lib.Capabilities {
		if s.Of.Name != "*Devinfo" {
			continue
		}
		of = s.Of
		for _, q := range s.Queries {
			call := jen.Id(q.Func.GoName).Call(jen.Id("of"))
			answer := jen.Return(call)
			if q.Status {
				answer = jen.Return(jen.True(), call)
			}
			list = append(list, jen.Line().Values(
				jen.Id("Name").Op(":").Lit(q.CName), jen.Id("Ask").Op(":").Func().Params(jen.Id("of").Add(e.goType(of))).Params(jen.Any(), jen.Error()).Block(answer)))
		}
	}
	if of == nil || e.lib.Queries == "" {
		return
	}
	f.Comment(fixed(e.lib.Queries + " lists what " + e.lib.Soname + " can tell of a device.").String())
	f.Var().Id(e.lib.Queries).Op("=").Index().Add(e.abiFn("Query")).Index(e.goType(of)).Values(append(list, jen.Line())...)
}
