package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// Tasks that nothing can aim at another operation are allocated for each one. They get a form
// of their own: one crossing allocates and submits, and the callbacks free.

// once is such a task type in one of the objects that have it.
type once struct {
	task      *model.Task
	set       *model.Func // installs the callbacks
	alloc     *model.Func
	callbacks []onceCallback
}

// onceCallback is a trampoline that frees the task.
type onceCallback struct{ Plain, Params, Args, Task, AsTask string }

var onceNeeds = []string{"doca_task_submit", "doca_task_set_user_data", "doca_task_free"}

// onces are those of the functions of one header.
func (e *emitter) onces(header string) []once {
	for _, n := range onceNeeds {
		if !e.has(n) {
			return nil
		}
	}
	var out []once
	for _, t := range e.lib.Tasks {
		if !t.Once() {
			continue
		}
		for _, p := range t.Pools() {
			o := once{task: t}
			for _, fn := range e.lib.Funcs {
				switch {
				case fn.Header != header && header != "":
				case fn.CName == p.SetConf:
					o.set = fn
				case fn.CName == p.AllocInit:
					o.alloc = fn
				}
			}
			if o.set != nil && o.alloc != nil && o.complete() {
				out = append(out, o)
			}
		}
	}
	return out
}

// complete fills in the callbacks; it fails for those that are not given user data.
func (o *once) complete() bool {
	for _, p := range o.set.Params {
		c := p.Callback
		if c == nil {
			continue
		}
		if len(c.Args) != 3 || c.Args[0].Slot != model.SlotObject || c.Args[1].Slot != model.SlotUser {
			return false
		}
		cb := onceCallback{Plain: c.CName, Task: c.Args[0].Name, AsTask: o.task.AsTask}
		var params, args []string
		for _, a := range c.Args {
			params = append(params, a.CType)
			args = append(args, a.Name)
		}
		cb.Params, cb.Args = strings.Join(params, ", "), strings.Join(args, ", ")
		o.callbacks = append(o.callbacks, cb)
	}
	return len(o.callbacks) > 0
}

// setShim installs the callbacks that free.
func (e *emitter) setShim(o once) shim {
	s := e.shim(o.set)
	s.Signature = strings.Replace(s.Signature, e.shimName(o.set.CName)+"(", e.setName(o)+"(", 1)
	s.Needs = append(s.Needs, "doca_task_free")
	if !slices.Contains(s.Needs, o.task.AsTask) {
		s.Needs = append(s.Needs, o.task.AsTask)
	}
	for i := range s.Body {
		for _, c := range o.callbacks {
			s.Body[i] = strings.ReplaceAll(s.Body[i], c.Plain, c.Plain+"_once")
		}
	}
	return s
}

func (e *emitter) setName(o once) string { return e.shimName(o.set.CName) + "_once" }
func (e *emitter) submitName(o once) string {
	stem, _ := model.AllocStem(e.shimName(o.alloc.CName))
	return stem + "_submit"
}

// submitGoName is the Go name of what allocates a task and submits it.
func (o once) submitGoName() string {
	return strings.TrimSuffix(strings.TrimSuffix(o.alloc.GoName, "AllocInit"), "AllocateInit") + "Submit"
}

// submitShim allocates a task and submits it. Bytes have a type, so that cgo sees without a
// look that they hold no pointers.
func (e *emitter) submitShim(o once) shim {
	var params, args, before []string
	for i, p := range o.alloc.Params {
		if p.IsTask(o.task) {
			args = append(args, "&godoca_typed")
			continue
		}
		if o.bytes(i) {
			params, args = append(params, "const uint8_t *"+cName(p)), append(args, cName(p))
			continue
		}
		ps, arg, pre, _ := e.shimParam(o.alloc, p)
		params, args, before = append(params, ps...), append(args, arg), append(before, pre...)
	}
	params = append(params, "uint64_t arg_task_user_data")
	return shim{
		Signature: fmt.Sprintf("int32_t %s(%s)", e.submitName(o), strings.Join(params, ", ")),
		Needs:     append([]string{o.alloc.CName, o.task.AsTask}, onceNeeds...),
		Body: slices.Concat([]string{
			"struct " + o.task.CName + " *godoca_typed;",
			"struct doca_task *godoca_task;",
			"int32_t rc;",
			"",
		}, before, []string{
			fmt.Sprintf("rc = godoca_sym.%s(%s);", o.alloc.CName, strings.Join(args, ", ")),
			"if (rc != 0)",
			"\treturn rc;",
			fmt.Sprintf("godoca_task = godoca_sym.%s(godoca_typed);", o.task.AsTask),
			"godoca_sym.doca_task_set_user_data(godoca_task, (union doca_data){.u64 = arg_task_user_data});",
			"rc = godoca_sym.doca_task_submit(godoca_task);",
			"if (rc != 0)",
			"\tgodoca_sym.doca_task_free(godoca_task);",
			"return rc;",
		}),
	}
}

// bytes tells whether parameter i is bytes whose number follows.
func (o once) bytes(i int) bool {
	return i+1 < len(o.alloc.Params) && o.alloc.Params[i].IsBytes(o.alloc.Params[i+1])
}

// once emits the Go side of the forms of one header.
func (f *file) once(header string) {
	for _, o := range f.onces(header) {
		submit := o.submitGoName()
		f.Comment(o.setDoc(submit))
		f.body(o.set, o.set.GoName+"Once", f.setName(o))
		f.submitOnce(o, submit)
	}
}

// submitOnce emits the wrapper that allocates and submits. Bytes may be Go memory here, for C has copied them
// when it returns.
func (f *file) submitOnce(o once, name string) {
	c := &call{}
	for i, p := range o.alloc.Params {
		id := jen.Id(p.GoName)
		switch {
		case p.IsTask(o.task):
		case o.bytes(i):
			c.in(p.GoName, jen.Index().Byte())
			c.args = append(c.args, jen.Parens(jen.Op("*").Add(cgoType("uint8_t"))).Call(jen.Qual(unsafePkg, "SliceData").Call(id)))
		case i > 0 && o.bytes(i-1):
			c.args = append(c.args, cgoType(spelled(p.C)).Call(jen.Len(jen.Id(o.alloc.Params[i-1].GoName))))
		default:
			f.param(c, o.alloc, i, p)
		}
	}
	data := "taskUserData"
	for slices.ContainsFunc(o.alloc.Params, func(p *model.Param) bool { return p.GoName == data }) {
		data += "Value"
	}
	c.in(data, f.abiFn("Data"))
	c.args = append(c.args, cgoType("uint64_t").Call(jen.Id(data)))
	f.Comment(o.submitDoc(name))
	f.Func().Id(name).Params(c.params...).Params(jen.Err().Error()).Block(
		jen.If(jen.Err().Op("=").Id("library").Dot("Load").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return()),
		jen.If(jen.Id("rc").Op(":=").Add(f.callC(f.submitName(o), c.args...)), jen.Id("rc").Op("!=").Lit(0)).Block(
			jen.Err().Op("=").Id("library").Dot("Error").Call(jen.Lit(o.alloc.CName+", doca_task_submit"), jen.Int32().Call(jen.Id("rc")))),
		jen.Return())
	f.Line()
	f.promise(f.submitName(o))
}
