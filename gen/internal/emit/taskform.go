package emit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// The forms in which tasks of a type are run by the dozen, one crossing for many. The form is
// also how the functions that install its callbacks end.
const (
	batched = "batched" // tasks with buffers alone: they carry out the items of batches by themselves
	queued  = "queued"  // with more inputs: batches wait in a queue for tasks, and for the peer
	posted  = "posted"  // with outputs: what they have received goes to an inbox
)

// batchCode is the C of a task type's form.
type batchCode struct {
	Form     string
	Name     string // of its functions
	CName    string // the struct of an item
	Item     string
	Result   string // the struct of a result
	Buffers  []itemBuffer
	Inputs   []input  // setters other than those of buffers
	Fields   []cField // what the setters take
	Peer     string   // that of them which says for whom it is, if there is one
	Outputs  []output
	Bytes    *output // the output that is bytes, if there is one
	Deferred bool    // the SDK can put the doorbell off until the last task of a submission
	Done     callbackCode
	Failed   callbackCode
}

type itemBuffer struct{ Field, Setter string }

// input is a setter and the fields it takes.
type input struct{ Setter, Args string }

// output is a getter and its field. For bytes, which have a method in place of it, Len is the getter of their length, and Count its field.
type output struct {
	Getter, Len string
	cField
	Count cField
}

// cField is a member of a struct that C and Go share.
type cField struct {
	Name, Decl string // in C
	GoName     string
	Type       *model.GoType
	Size       int
	By         string // the C function that takes or returns it
}

// callbackCode is a callback of a form.
type callbackCode struct {
	Func, Param, CName, Params string
	Data                       string // the argument that is the task's user data
	Ctx                        string // the argument that is the context's
	Hash                       uint32
	Status                     string
}

// batched tells whether a task type gets a form.
func (e *emitter) batched(t *model.Task) bool {
	return len(t.Buffers) > 0 && t.SetConf != "" && e.has("doca_task_submit") && e.has("doca_buf_set_data") && e.form(t) != ""
}

// form is the form of a task type; empty if its fields are of a kind that no form knows.
func (e *emitter) form(t *model.Task) string {
	inputs, _, known := e.inputs(t)
	outputs, bytes, knownOut := e.outputs(t)
	switch {
	case !known || !knownOut:
		return ""
	case len(inputs) > 0 && bytes == nil && onlyLengths(outputs) && e.again() != nil:
		return queued
	case len(outputs) > 0 || bytes != nil:
		if len(inputs) > 0 || !e.has("doca_buf_get_data_len") {
			return ""
		}
		return posted
	case len(inputs) > 0:
		if e.again() == nil {
			return ""
		}
		return queued
	}
	return batched
}

// onlyLengths tells whether all outputs say how much a buffer has been filled. The buffer says that, too.
func onlyLengths(outputs []output) bool {
	return !slices.ContainsFunc(outputs, func(o output) bool { return o.Name != "result_len" && o.Name != "result_length" })
}

// inputs are the setters of a task that are not for buffers, and the fields for what they take.
func (e *emitter) inputs(t *model.Task) (in []input, fields []cField, known bool) {
	prefix := t.CName + "_set_"
	names := itemMembers(t)
	for _, name := range t.Setters {
		if slices.ContainsFunc(t.Buffers, func(b model.TaskField) bool { return b.Setter == name }) {
			continue
		}
		fn := e.function(name)
		if fn == nil || fn.Ret.Mode != model.RetVoid || len(fn.Params) < 2 {
			return nil, nil, false
		}
		var args []string
		for _, p := range fn.Params[1:] {
			t := formType(fn, p)
			if t == nil {
				return nil, nil, false
			}
			f, ok := e.cField(names.name(p.CName, strings.TrimPrefix(name, prefix)), t)
			if !ok {
				return nil, nil, false
			}
			f.By = name
			fields = append(fields, f)
			args = append(args, "item->"+f.Name)
		}
		in = append(in, input{name, strings.Join(args, ", ")})
	}
	slices.SortStableFunc(fields, func(a, b cField) int { return cmp.Compare(b.Size, a.Size) })
	return in, fields, true
}

// formType is what a field of an item has for a setter's parameter: arrays are a pointer and a count there.
func formType(fn *model.Func, p *model.Param) *model.GoType {
	switch {
	case p.Mode == model.InValue:
		return p.Type
	case p.Mode == model.InC:
		return &model.GoType{Kind: model.Pointer, Name: "unsafe.Pointer", C: "void *"}
	case p.Mode == model.Implied && fn.Params[p.Pair].Mode == model.InC:
		return p.Number()
	}
	return nil
}

// outputs are the getters of a task for what nobody can set. One of them may be bytes, with
// another for their number.
func (e *emitter) outputs(t *model.Task) (out []output, bytes *output, known bool) {
	_, fields, _ := e.inputs(t)
	set := map[string]bool{}
	for _, f := range fields {
		set[f.Name] = true
	}
	prefix := t.CName + "_"
	for _, s := range t.Setters {
		set[strings.TrimPrefix(s, prefix+"set_")] = true
	}
	var left []string
	for _, g := range t.Getters {
		if name := strings.TrimPrefix(g, prefix+"get_"); !set[name] {
			left = append(left, name)
		}
	}
	names := resultMembers(t)
	for _, name := range left {
		getter := prefix + "get_" + name
		fn := e.function(getter)
		if fn == nil || fn.Ret.Mode != model.RetValue || len(fn.Params) != 1 {
			return nil, nil, false
		}
		o := output{Getter: getter}
		if slices.Contains(left, name+"_len") {
			if bytes != nil {
				return nil, nil, false
			}
			o.Len = getter + "_len"
			bytes = &o
			continue
		}
		var ok bool
		if o.cField, ok = e.cField(names.name(name), fn.Ret.Type); !ok {
			return nil, nil, false
		}
		o.By = getter
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b output) int { return cmp.Compare(b.Size, a.Size) })
	if bytes != nil {
		bytes.GoName = model.FieldName(names.name(strings.TrimPrefix(bytes.Getter, prefix+"get_")))
		bytes.Count = out[slices.IndexFunc(out, func(o output) bool { return o.Getter == bytes.Len })].cField
	}
	return out, bytes, true
}

// cField is a value that C and Go hold in the same bytes; records have no such form.
func (e *emitter) cField(name string, t *model.GoType) (cField, bool) {
	f := cField{Name: name, GoName: model.FieldName(name), Type: t}
	switch t.Kind {
	case model.Handle, model.Pointer:
		f.Decl = "void *" + name
	case model.Scalar, model.EnumK:
		f.Decl = t.C + " " + name
	default:
		return f, false
	}
	f.Size = t.Size()
	return f, true
}

// function is a function of the current library.
func (e *emitter) function(name string) *model.Func {
	for _, fn := range e.lib.Funcs {
		if fn.CName == name {
			return fn
		}
	}
	return nil
}

// again is the code of DOCA_ERROR_AGAIN.
func (e *emitter) again() *int64 {
	for _, l := range e.m.Libraries {
		for _, en := range l.Enums {
			for i := range en.Consts {
				if en.Consts[i].CName == "DOCA_ERROR_AGAIN" {
					return &en.Consts[i].Value
				}
			}
		}
	}
	return nil
}

// deferred tells whether this SDK can submit several tasks with one doorbell.
func (e *emitter) deferred() bool {
	return e.has("doca_task_submit_ex") && e.has("doca_ctx_flush_tasks") && e.has("doca_task_get_ctx")
}

// deferArg is the argument with the flags of a submission, if there are flags.
func (e *emitter) deferArg(v string) string {
	if e.deferred() {
		return ", " + v
	}
	return ""
}

// batchName begins the C names of a task type's form: godoca_dma_task_memcpy.
func batchName(t *model.Task) string { return "godoca_" + strings.TrimPrefix(t.CName, "doca_") }

// peers are the inputs of tasks that say for whom a task is.
var peers = map[string]bool{"consumer_id": true, "rdma_connection": true}

// batchCode collects what the templates need for a task type that has a form.
func (e *emitter) batchCode(t *model.Task) batchCode {
	c := batchCode{Form: e.form(t), Name: batchName(t), Deferred: e.deferred()}
	c.Item, c.CName, c.Result = c.Name+"_item", c.Name+"_item", c.Name+"_result"
	for _, b := range t.Buffers {
		c.Buffers = append(c.Buffers, itemBuffer{bufferField(b), b.Setter})
	}
	c.Inputs, c.Fields, _ = e.inputs(t)
	for _, f := range c.Fields {
		if peers[f.Name] {
			c.Peer = f.Name
		}
	}
	c.Outputs, c.Bytes, _ = e.outputs(t)
	for _, p := range e.function(t.SetConf).Params {
		if p.Callback == nil {
			continue
		}
		tr := e.trampoline(p.Callback)
		code := callbackCode{Func: tr.Func, Param: tr.Param, CName: tr.CName + "_" + c.Form, Params: tr.Params,
			Data: p.Callback.Args[1].Name, Ctx: p.Callback.Args[2].Name, Hash: tr.Hash, Status: tr.Status}
		if p.Callback.Failed {
			c.Failed = code
		} else {
			c.Done = code
		}
	}
	return c
}

// setters are the functions that a submission calls for an item.
func (c batchCode) setters() []string {
	var out []string
	for _, b := range c.Buffers {
		out = append(out, b.Setter)
	}
	for _, i := range c.Inputs {
		out = append(out, i.Setter)
	}
	return out
}

// batchTask returns the task type whose completion callbacks a function installs, if it has
// a batch form.
func (e *emitter) batchTask(fn *model.Func) *model.Task {
	for _, t := range e.lib.Tasks {
		if t.SetConf == fn.CName && e.batched(t) {
			for _, p := range fn.Params {
				if p.Callback != nil && (p.Callback.Task != t.CName || len(p.Callback.Args) != 3 || p.Callback.Args[1].Slot != model.SlotUser) {
					return nil
				}
			}
			return t
		}
	}
	return nil
}

// item emits the struct of an item.
func (f *file) item(t *model.Task, c batchCode) {
	var fields []jen.Code
	size := 0
	if c.Form != queued {
		exchange := "1: give the task these buffers; 0: it has them, only set their data"
		if c.Form == posted {
			exchange = "1: give the task these buffers, and set this to 0; 0: only set their data"
		}
		fields = append(fields, jen.Id("Exchange").Uint64().Comment(exchange))
		size += 8
	}
	for _, b := range t.Buffers {
		fields = append(fields, jen.Id(b.GoName).Qual(f.pkg("common"), "BufView").Comment(b.Setter))
		size += 24
	}
	for _, x := range c.Fields {
		fields = append(fields, jen.Id(x.GoName).Add(f.goType(x.Type)).Comment(x.By))
		size += x.Size
	}
	if rest := 63 - (size+63)%64; rest > 0 && c.Form != posted {
		fields = append(fields, jen.Id("_").Index(jen.Lit(rest)).Byte().Comment("to the end of a cache line"))
	}
	f.Comment(itemDoc(t, c.Form))
	f.Type().Id(t.GoName + "Item").Struct(fields...)
	f.Line()
}
