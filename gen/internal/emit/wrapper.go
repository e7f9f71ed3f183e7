package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// result is one result of a Go wrapper: where the shim writes it and what becomes of it.
type result struct {
	name  string
	typ   *jen.Statement
	vars  []jen.Code
	value *jen.Statement
}

// call collects the parts of a wrapper, in their order:
//
//	func Name(params) (results, err error) {
//		if err = library.Load(); err != nil { return }
//		prepare
//		var out0 ... // the vars of results
//		if rc := C.godoca_name(args); rc != 0 { err = ...; return }
//		return values of results, nil
//	}
type call struct {
	params  []jen.Code
	prepare []jen.Code
	args    []jen.Code
	results []result
}

// wrapper emits the Go function for a C function.
func (f *file) wrapper(fn *model.Func) {
	f.Comment(f.funcDoc(fn))
	f.body(fn, fn.GoName, f.shimName(fn.CName))
	f.goFunc(fn)
	if t := f.batchTask(fn); t != nil {
		form := f.form(t)
		goName := fn.GoName + strings.ToUpper(form[:1]) + form[1:]
		f.Comment(f.formDoc(fn, t, goName))
		f.body(fn, goName, f.shimName(fn.CName)+"_"+form)
	}
}

// body emits a function with the Go form of fn that calls a shim: its own, or that of a task form.
func (f *file) body(fn *model.Func, goName, shim string) {
	c := f.call(fn)
	var named []jen.Code
	var values []jen.Code
	body := []jen.Code{jen.If(jen.Err().Op("=").Id("library").Dot("Load").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return())}
	body = append(body, c.prepare...)
	for _, r := range c.results {
		named = append(named, jen.Id(r.name).Add(r.typ))
		body = append(body, r.vars...)
		values = append(values, r.value)
	}
	named = append(named, jen.Id("err").Error())
	fail := []jen.Code{
		jen.Err().Op("=").Id("library").Dot("Error").Call(jen.Lit(fn.CName), jen.Int32().Call(jen.Id("rc"))),
		jen.Return(),
	}
	body = append(body,
		jen.If(jen.Id("rc").Op(":=").Add(f.callC(shim, c.args...)), jen.Id("rc").Op("!=").Lit(0)).Block(fail...),
		jen.Return(append(values, jen.Nil())...))
	f.Func().Id(goName).Params(c.params...).Params(named...).Block(body...)
	f.Line()
	if f.quiet(fn) {
		f.direct = append(f.direct, shim)
	}
}

// call goes over the parameters, in the order of C, then over the result.
func (f *file) call(fn *model.Func) *call {
	c := &call{}
	if fn.Ring {
		c.in("ring", jen.Op("*").Qual(f.pkg("abi"), "Ring"))
		c.args = append(c.args, address(jen.Id("ring")))
	}
	for i, p := range fn.Params {
		f.param(c, fn, i, p)
	}
	if fn.Launch {
		c.in("args", jen.Op("...").Add(f.abiFn("Arg")))
		c.prepare = append(c.prepare,
			jen.List(jen.Id("argsC"), jen.Err()).Op(":=").Add(f.abiFn("MakeArgs")).Call(jen.Lit(fn.CName), jen.Id("args")),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return()))
		c.args = append(c.args, jen.Parens(jen.Op("*").Add(cgoType("uint64_t"))).Call(ptr(jen.Op("&").Id("argsC"))))
	}
	switch fn.Ret.Mode {
	case model.RetString:
		v := fmt.Sprintf("out%d", len(c.results))
		c.out(result{fn.ResultName(), jen.String(), []jen.Code{jen.Var().Id(v).Qual(unsafePkg, "Pointer")}, f.abiFn("GoString").Call(jen.Id(v))}, pointerAt(v))
	case model.RetRecord:
		v := fmt.Sprintf("out%d", len(c.results))
		t := fn.Ret.Type
		c.results = append(c.results, result{fn.ResultName(), f.goType(t), []jen.Code{jen.Var().Id(v).Add(f.goType(t))}, jen.Id(v)})
		c.args = append(c.args, ptr(jen.Op("&").Id(v)))
	case model.RetValue:
		v := fmt.Sprintf("out%d", len(c.results))
		t := fn.Ret.Type
		c.out(result{fn.ResultName(), f.goType(t), []jen.Code{jen.Var().Id(v).Add(local(t))}, f.fromC(t, jen.Id(v))}, place(t, v))
	}
	return c
}

func (c *call) in(name string, t *jen.Statement) {
	c.params = append(c.params, jen.Id(name).Add(t))
}

// out adds a result, and the addresses that the shim writes it to.
func (c *call) out(r result, at ...jen.Code) {
	c.results = append(c.results, r)
	c.args = append(c.args, at...)
}

func ptr(v *jen.Statement) *jen.Statement { return jen.Qual(unsafePkg, "Pointer").Call(v) }

func (e *emitter) abiFn(name string) *jen.Statement { return jen.Qual(e.pkg("abi"), name) }

// param adds what one C parameter is in Go: an argument, a result, or neither.
func (f *file) param(c *call, fn *model.Func, i int, p *model.Param) {
	id := jen.Id(p.GoName)
	v := fmt.Sprintf("out%d", len(c.results))
	switch p.Mode {
	case model.InValue, model.InStruct, model.InData:
		c.in(p.GoName, f.goType(p.Type))
		c.args = append(c.args, f.toC(p.Type, id))
	case model.InRecord:
		c.in(p.GoName, f.goType(p.Type))
		c.args = append(c.args, ptr(jen.Op("&").Add(id)))
	case model.InRaw:
		c.in(p.GoName, jen.Qual(unsafePkg, "Pointer"))
		c.args = append(c.args, id)
	case model.InGo:
		f.goParam(c, fn, p)
	case model.InTramp:
	case model.InString, model.InFormat:
		name := p.ArgName()
		cs := "c" + strings.ToUpper(name[:1]) + name[1:]
		c.in(name, jen.String())
		c.prepare = append(c.prepare,
			jen.List(jen.Id(cs), jen.Err()).Op(":=").Add(f.abiFn("CString")).Call(jen.Lit(fn.CName), jen.Id(name)),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return()))
		c.args = append(c.args, jen.Parens(jen.Op("*").Qual("C", "char")).Call(ptr(jen.Id(cs))))
	case model.InBytes:
		c.in(p.GoName, jen.Index().Byte())
		c.args = append(c.args, ptr(jen.Qual(unsafePkg, "SliceData").Call(id)))
	case model.InList:
		c.in(p.GoName, jen.Index().Add(f.goType(p.Type)))
		c.args = append(c.args, ptr(jen.Qual(unsafePkg, "SliceData").Call(id)))
	case model.InSized:
		c.in(p.GoName, jen.Index().Byte())
		sizes := jen.Dict{}
		for value, n := range p.Sizes {
			sizes[jen.Lit(int(value))] = jen.Lit(n)
		}
		c.prepare = append(c.prepare,
			jen.If(jen.Err().Op("=").Add(f.abiFn("CheckSize")).Call(jen.Lit(fn.CName), jen.Lit(p.GoName), jen.Len(id), jen.Int64().Call(jen.Id(fn.Params[i+1].GoName)),
				jen.Map(jen.Int64()).Int().Values(sizes)), jen.Err().Op("!=").Nil()).Block(jen.Return()))
		c.args = append(c.args, ptr(jen.Qual(unsafePkg, "SliceData").Call(id)))
	case model.InMatrix:
		c.in(p.GoName, jen.Index().Byte())
		args := []jen.Code{jen.Lit(fn.CName), jen.Lit(p.GoName), jen.Len(id)}
		for _, d := range p.Dims {
			args = append(args, jen.Uint64().Call(jen.Id(fn.Params[d].GoName)))
		}
		c.prepare = append(c.prepare, jen.If(jen.Err().Op("=").Add(f.abiFn("CheckMatrix")).Call(args...), jen.Err().Op("!=").Nil()).Block(jen.Return()))
		c.args = append(c.args, ptr(jen.Qual(unsafePkg, "SliceData").Call(id)))
	case model.InArray:
		c.in(p.GoName, jen.Index(f.size(p)).Byte())
		c.args = append(c.args, ptr(jen.Op("&").Add(id)))
	case model.InSlice:
		c.in(p.GoName, jen.Index().Add(f.goType(p.Type)))
		c.args = append(c.args, ptr(jen.Qual(unsafePkg, "SliceData").Call(id)))
	case model.InC:
		c.in(p.GoName, f.abiFn("CSlice").Types(f.goType(p.Type)))
		c.args = append(c.args, jen.Add(id).Dot("Pointer").Call())
	case model.InArgv:
		c.in(p.GoName, jen.Index().String())
		c.prepare = append(c.prepare,
			jen.List(jen.Id("argvC"), jen.Err()).Op(":=").Add(f.abiFn("CStrings")).Call(jen.Lit(fn.CName), id),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return()),
			jen.Defer().Add(f.abiFn("FreeCStrings")).Call(jen.Id("argvC")))
		c.args = append(c.args, jen.Id("argvC"))
	case model.Implied:
		f.implied(c, fn, p)
	case model.OutValue, model.OutBool:
		c.out(result{p.GoName, f.goType(p.Type), []jen.Code{jen.Var().Id(v).Add(local(p.Type))}, f.fromC(p.Type, jen.Id(v))}, place(p.Type, v))
	case model.OutText:
		c.out(result{p.GoName, jen.String(), []jen.Code{jen.Var().Id(v).Qual(unsafePkg, "Pointer")}, f.abiFn("GoString").Call(jen.Id(v))}, pointerAt(v))
	case model.OutChars:
		c.results = append(c.results, result{p.GoName, jen.String(), []jen.Code{jen.Var().Id(v).Index(f.size(p)).Byte()}, f.abiFn("Chars").Call(jen.Id(v).Index(jen.Op(":")))})
		c.args = append(c.args, ptr(jen.Op("&").Id(v)))
	case model.OutArray:
		c.results = append(c.results, result{p.GoName, jen.Index(f.size(p)).Byte(), []jen.Code{jen.Var().Id(v).Index(f.size(p)).Byte()}, jen.Id(v)})
		c.args = append(c.args, ptr(jen.Op("&").Id(v)))
	case model.OutList:
		n := v + "n"
		ct := spelledOut(fn.Params[p.Pair].C)
		c.out(result{p.GoName, jen.Index().Add(f.goType(p.Type)),
			[]jen.Code{jen.Var().Id(v).Qual(unsafePkg, "Pointer"), jen.Var().Id(n).Add(cgoType(ct))},
			jen.Qual(unsafePkg, "Slice").Call(jen.Parens(jen.Op("*").Add(f.goType(p.Type))).Call(jen.Id(v)), jen.Id(n))}, pointerAt(v), jen.Op("&").Id(n))
	case model.OutView:
		n := v + "n"
		c.out(result{p.GoName, jen.Index().Byte(),
			[]jen.Code{jen.Var().Id(v).Qual(unsafePkg, "Pointer"), jen.Var().Id(n).Add(cgoType(spelledOut(fn.Params[p.Pair].C)))},
			jen.Qual(unsafePkg, "Slice").Call(jen.Parens(jen.Op("*").Byte()).Call(jen.Id(v)), jen.Id(n))}, pointerAt(v), jen.Op("&").Id(n))
	default:
		panic(fmt.Sprintf("%s: parameter %d has no mode", fn.CName, i))
	}
}

// implied passes the length of the parameter that it belongs to.
func (f *file) implied(c *call, fn *model.Func, p *model.Param) {
	owner := fn.Params[p.Pair]
	switch owner.Mode {
	case model.InSlice, model.InC:
		n := p.GoName + "C"
		args := []jen.Code{jen.Lit(fn.CName), jen.Lit(uint64(1)<<min(8*uint(p.Width()), 63) - 1)}
		counts := p.Counts
		if counts == nil {
			counts = []int{p.Pair}
		}
		for _, i := range counts {
			a := fn.Params[i]
			length := jen.Len(jen.Id(a.GoName))
			if a.Mode == model.InC {
				length = jen.Id(a.GoName).Dot("Len").Call()
			}
			args = append(args, f.abiFn("Count").Values(jen.Dict{jen.Id("Name"): jen.Lit(a.GoName), jen.Id("Len"): length}))
		}
		c.prepare = append(c.prepare,
			jen.List(jen.Id(n), jen.Err()).Op(":=").Add(f.abiFn("CountOf")).Call(args...),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return()))
		c.args = append(c.args, cgoType(spelled(p.C)).Call(jen.Id(n)))
	case model.OutList, model.OutView: // passed with its owner
	case model.OutChars, model.OutArray:
		t := spelled(p.C)
		if isPointer(p.C) {
			t = spelledOut(p.C)
		}
		c.args = append(c.args, cgoType(t).Call(f.size(owner)))
	default:
		c.args = append(c.args, cgoType(spelled(p.C)).Call(jen.Len(jen.Id(owner.GoName))))
	}
}

// size is the constant for the size of a buffer.
func (f *file) size(p *model.Param) *jen.Statement {
	for _, l := range f.m.Libraries {
		for _, c := range l.Constants {
			if c.CName == p.SizeMacro {
				if l.Name == f.lib.Name {
					return jen.Id(c.GoName)
				}
				return jen.Qual(f.pkg(l.Name), c.GoName)
			}
		}
	}
	return jen.Lit(p.Size)
}

// spelled is the shim's spelling of a number type.
func spelled(t *cparse.Type) string { return strings.TrimSpace(model.Spell(t, "")) }

// spelledOut is the same for what a pointer points to.
func spelledOut(t *cparse.Type) string {
	for t.Kind == cparse.Named {
		t = t.Elem
	}
	return spelled(t.Elem)
}
