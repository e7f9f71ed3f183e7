package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// hasMore tells whether a callback has arguments that a record has no place for.
func hasMore(c *model.Callback) bool {
	return slices.ContainsFunc(c.Args, func(a model.CallbackArg) bool { return a.Slot == model.SlotMore })
}

// more emits, for each callback of a header that has more arguments than a record, or arrays, the struct of what follows the
// record, and the function that reads it.
func (f *file) more(header string) {
	for _, c := range f.lib.Callbacks {
		if c.Header != header || !hasMore(c) {
			continue
		}
		var fields []jen.Code
		var args []model.CallbackArg
		for _, a := range c.Args {
			if a.Slot != model.SlotMore {
				continue
			}
			args = append(args, a)
			t := f.goType(a.Type)
			if a.Len != "" {
				t = jen.Index().Add(t)
			}
			fields = append(fields, jen.Id(a.GoName).Add(t))
		}
		f.moreOf(c, fields, args)
	}
}

func (f *file) moreOf(c *model.Callback, fields []jen.Code, args []model.CallbackArg) {
	name := c.GoName + "More"
	f.Comment(fixed(name + ` has the arguments of the callback [Kind` + c.GoName + `] that its record has no place for. Arrays are copies, as they
		were during the callback. They are in C memory, and valid as long as the record.`).String())
	f.Type().Id(name).Struct(fields...)
	f.Line()
	f.Comment(fixed(`Get` + name + ` returns what belongs to a record of the kind [Kind` + c.GoName + `] in ring.`).String())
	body := []jen.Code{jen.Id("p").Op(":=").Id("ring").Dot("Payload").Call(jen.Id("record"))}
	for _, a := range args {
		if a.Len == "" {
			body = append(body, jen.Id("m").Dot(a.GoName).Op("=").Add(f.fromWord(a.Type, f.abiFn("Take").Types(jen.Uint64()).Call(jen.Op("&").Id("p"), jen.Lit(1)).Index(jen.Lit(0)))))
			continue
		}
		body = append(body, jen.Id("m").Dot(a.GoName).Op("=").Add(f.abiFn("Take").Types(f.goType(a.Type)).Call(jen.Op("&").Id("p"), f.count(c, a))))
	}
	f.Func().Id("Get"+name).Params(jen.Id("ring").Op("*").Add(f.abiFn("Ring")), jen.Id("record").Op("*").Add(f.abiFn("Record"))).
		Params(jen.Id("m").Id(name)).Block(append(body, jen.Return())...)
	f.Line()
}

// count is the expression for the number of an array's elements.
func (f *file) count(c *model.Callback, array model.CallbackArg) *jen.Statement {
	for _, a := range c.Args {
		if a.Name != array.Len {
			continue
		}
		if a.Slot == model.SlotMore {
			return jen.Int().Call(jen.Id("m").Dot(a.GoName))
		}
		return jen.Int().Call(jen.Id("record").Dot("Args").Index(jen.Lit(a.Index)))
	}
	return jen.Lit(0)
}

// fromWord converts 64 bits to what the argument is in Go.
func (f *file) fromWord(t *model.GoType, v *jen.Statement) *jen.Statement {
	switch {
	case t.Kind == model.Handle || t.Kind == model.Record:
		return jen.Op("*").Parens(jen.Op("*").Add(f.goType(t))).Call(ptr(jen.Op("&").Add(v)))
	case t.Kind == model.Pointer:
		return jen.Op("*").Parens(jen.Op("*").Add(f.goType(t))).Call(ptr(jen.Op("&").Add(v)))
	case t.Name == "bool":
		return v.Op("!=").Lit(0)
	}
	return f.goType(t).Call(v)
}
