package emit

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// Callbacks whose result C waits for cannot be put off. A function that takes such ones as C function pointers has a second form,
// whose name ends in Func, that takes Go functions: C calls them on its own thread, by way of a trampoline and an exported
// function. There is one Go function for each such parameter in a process.

// goFuncs are the parameters of a function that can be Go functions; none if one of them cannot.
func goFuncs(fn *model.Func) (out []*model.Param) {
	for _, p := range fn.Params {
		if p.Mode == model.InRaw {
			if p.Go == nil {
				return nil
			}
			out = append(out, p)
		}
	}
	return out
}

// funcForm is a function with Go functions in place of C function pointers.
func funcForm(fn *model.Func) *model.Func {
	form := *fn
	form.Params = nil
	for _, p := range fn.Params {
		q := *p
		if p.Mode == model.InRaw {
			q.Mode = model.InGo
		}
		form.Params = append(form.Params, &q)
	}
	return &form
}

// goName begins the C names of what belongs to a Go function.
func (e *emitter) goName(fn *model.Func, p *model.Param) string {
	return "godoca_call_" + strings.TrimPrefix(e.shimName(fn.CName), "godoca_") + "_" + cName(p)
}

// exported is the name of the Go function that C calls. It has the package in it, for a program may have bindings of a
// library twice.
func (e *emitter) exported(fn *model.Func, p *model.Param) string {
	h := fnv.New32a()
	h.Write([]byte(e.pkg(e.lib.Name)))
	return fmt.Sprintf("%s_%08x", strings.Replace(e.goName(fn, p), "_call_", "_go_", 1), h.Sum32())
}

// goTrampolines is the C that calls the Go functions.
func (e *emitter) goTrampolines(fn *model.Func) string {
	var b strings.Builder
	for _, p := range goFuncs(fn) {
		var decl, params, args []string
		for _, a := range p.Go.Args {
			params = append(params, a.CType)
			switch a.Type.Kind {
			case model.Handle, model.Record, model.Pointer:
				decl, args = append(decl, "void *"), append(args, "(void *)"+a.Name)
			case model.DataK:
				decl = append(decl, "uint64_t")
				if strings.Contains(a.CType, "union doca_data") {
					args = append(args, a.Name+".u64")
				} else {
					args = append(args, "(uint64_t)(uintptr_t)"+a.Name)
				}
			default:
				decl, args = append(decl, a.Type.C), append(args, a.Name)
			}
		}
		result := "void"
		if r := p.Go.Ret; r != nil {
			result = r.C
		}
		call := e.exported(fn, p) + "(" + strings.Join(args, ", ") + ")"
		if result != "void" {
			call = "return " + call
		}
		fmt.Fprintf(&b, "/* %s: %s, as a Go function */\nextern %s %s(%s);\nstatic %s\n{\n\t%s;\n}\n\n", fn.CName, p.CName,
			result, e.exported(fn, p), strings.Join(decl, ", "), model.Spell(p.Go.C.Elem, e.goName(fn, p)+"("+strings.Join(params, ", ")+")"), call)
	}
	return b.String()
}

// funcShim is the shim of the form with Go functions.
func (e *emitter) funcShim(fn *model.Func) shim {
	s := e.shim(funcForm(fn))
	s.Signature = strings.Replace(s.Signature, e.shimName(fn.CName)+"(", e.shimName(fn.CName)+"_func(", 1)
	s.Extern = strings.TrimSpace(e.goTrampolines(fn))
	s.Before = ""
	return s
}

// goFunc emits the Go side of the form.
func (f *file) goFunc(fn *model.Func) {
	funcs := goFuncs(fn)
	if len(funcs) == 0 {
		return
	}
	for _, p := range funcs {
		f.exportedFunc(fn, p)
	}
	form := funcForm(fn)
	name := fn.GoName + "Func"
	f.Comment(fixed(name + " is like [" + fn.GoName + `], with Go functions. DOCA calls them when it needs their result, on the thread of the call during which that is, or on
		one of its own. A call from C into Go costs several times what one from Go into C does. A function must not panic. nil is NULL in C. There is one
		function for each parameter in the process: the last one that was passed, which may tell objects apart by its arguments.`).String())
	f.body(form, name, f.shimName(fn.CName)+"_func")
}

// variable holds the Go function of a parameter.
func variable(fn *model.Func, p *model.Param) string {
	return "func" + fn.GoName + strings.ToUpper(p.GoName[:1]) + p.GoName[1:]
}

// exportedFunc emits what C calls.
func (f *file) exportedFunc(fn *model.Func, p *model.Param) {
	name := f.exported(fn, p)
	f.Var().Id(variable(fn, p)).Qual("sync/atomic", "Pointer").Types(f.funcType(p))
	f.Line()
	var params, args []jen.Code
	for _, a := range p.Go.Args {
		id := jen.Id(a.Name)
		switch a.Type.Kind {
		case model.Handle, model.Record:
			params, args = append(params, id.Clone().Qual(unsafePkg, "Pointer")), append(args, jen.Parens(f.goType(a.Type)).Call(id))
		case model.Pointer:
			params, args = append(params, id.Clone().Qual(unsafePkg, "Pointer")), append(args, id)
		default:
			params, args = append(params, id.Clone().Add(cgoType(a.Type.C))), append(args, f.fromC(a.Type, id))
		}
	}
	call := jen.Parens(jen.Op("*").Id(variable(fn, p)).Dot("Load").Call()).Call(args...)
	f.Comment("//export " + name)
	fnc := f.Func().Id(name).Params(params...)
	switch r := p.Go.Ret; {
	case r == nil:
		fnc.Block(call)
	case p.Go.Status:
		fnc.Add(cgoType("int32_t")).Block(jen.Return(cgoType("int32_t").Call(f.abiFn("CodeOf").Call(call))))
	case r.Kind == model.Handle || r.Kind == model.Record || r.Kind == model.Pointer:
		fnc.Qual(unsafePkg, "Pointer").Block(jen.Return(jen.Qual(unsafePkg, "Pointer").Call(call)))
	default:
		fnc.Add(cgoType(r.C)).Block(jen.Return(f.toC(r, call)))
	}
	f.Line()
}

// funcType is the type of a Go function that stands for a callback.
func (f *file) funcType(p *model.Param) *jen.Statement {
	var params []jen.Code
	for _, a := range p.Go.Args {
		params = append(params, jen.Id(a.GoName).Add(f.goType(a.Type)))
	}
	t := jen.Func().Params(params...)
	switch r := p.Go.Ret; {
	case r == nil:
		return t
	case p.Go.Status:
		return t.Error()
	default:
		return t.Add(f.goType(r))
	}
}

// goParam adds a parameter that is a Go function. What was there before comes back if the call fails.
func (f *file) goParam(c *call, fn *model.Func, p *model.Param) {
	v, before := jen.Id(variable(fn, p)), p.GoName+"Before"
	c.in(p.GoName, f.funcType(p))
	c.prepare = append(c.prepare, jen.If(jen.Id(p.GoName).Op("!=").Nil()).Block(
		jen.Id(before).Op(":=").Add(v.Clone()).Dot("Swap").Call(jen.Op("&").Id(p.GoName)),
		jen.Defer().Func().Params().Block(jen.If(jen.Err().Op("!=").Nil()).Block(
			v.Clone().Dot("CompareAndSwap").Call(jen.Op("&").Id(p.GoName), jen.Id(before)))).Call()))
	c.args = append(c.args, cgoType("uint8_t").Call(f.abiFn("Byte").Call(jen.Id(p.GoName).Op("!=").Nil())))
}
