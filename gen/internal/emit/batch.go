package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// item is the C struct of one entry of a batch.
type item struct {
	CName   string
	Task    string
	Buffers []itemBuffer
}

type itemBuffer struct{ Field, Setter string }

// batched tells whether a task type gets a batch form: one crossing for many tasks.
func (e *emitter) batched(t *model.Task) bool {
	return len(t.Buffers) > 0 && e.has("doca_task_submit") && e.has("doca_buf_set_data")
}

func (e *emitter) item(t *model.Task) item {
	i := item{CName: "godoca_" + strings.TrimPrefix(t.CName, "doca_") + "_item", Task: t.CName}
	for _, b := range t.Buffers {
		i.Buffers = append(i.Buffers, itemBuffer{strings.ToLower(b.GoName), b.Setter})
	}
	return i
}

func (e *emitter) submitBatch(t *model.Task) shim {
	it := e.item(t)
	name := strings.TrimSuffix(it.CName, "_item") + "_submit_batch"
	s := shim{
		Signature: fmt.Sprintf("int32_t %s(void *items, uint32_t n, uint32_t *submitted)", name),
		Needs:     []string{"doca_task_submit", "doca_buf_set_data"},
	}
	add := func(lines ...string) { s.Body = append(s.Body, lines...) }
	flush := e.has("doca_task_submit_ex") && e.has("doca_ctx_flush_tasks") && e.has("doca_task_get_ctx")
	for _, b := range it.Buffers {
		s.Needs = append(s.Needs, b.Setter)
	}
	add("struct "+it.CName+" *item = items;", "int32_t rc = 0;", "uint32_t i;")
	if flush {
		add("int defer = GODOCA_HAS(doca_task_submit_ex) && GODOCA_HAS(doca_ctx_flush_tasks) && GODOCA_HAS(doca_task_get_ctx);")
	}
	add("", "for (i = 0; i < n; i++, item++) {")
	for _, b := range it.Buffers {
		add("\tif (item->"+b.Field+".data != NULL) {",
			fmt.Sprintf("\t\trc = godoca_sym.doca_buf_set_data(item->%s.buf, item->%s.data, item->%s.len);", b.Field, b.Field, b.Field),
			"\t\tif (rc != 0)", "\t\t\tbreak;", "\t}",
			fmt.Sprintf("\tif (item->typed != NULL && item->%s.buf != NULL)", b.Field),
			fmt.Sprintf("\t\tgodoca_sym.%s(item->typed, item->%s.buf);", b.Setter, b.Field))
	}
	if flush {
		add("\t/* One doorbell for the batch: only its last task is flushed (DOCA_TASK_SUBMIT_FLAG_FLUSH). */",
			"\tif (defer)",
			"\t\trc = godoca_sym.doca_task_submit_ex(item->task, i + 1 < n ? 0 : 1);",
			"\telse",
			"\t\trc = godoca_sym.doca_task_submit(item->task);")
	} else {
		add("\trc = godoca_sym.doca_task_submit(item->task);")
	}
	add("\tif (rc != 0)", "\t\tbreak;", "}")
	if flush {
		add("if (rc != 0 && i > 0 && defer)",
			fmt.Sprintf("\tgodoca_sym.doca_ctx_flush_tasks(godoca_sym.doca_task_get_ctx(((struct %s *)items)->task));", it.CName))
	}
	add("*submitted = i;", "return rc;")
	return s
}

// progressBatch drains a progress engine in one crossing. Its result is the count, so that
// no Go pointer is passed to a function that may call back.
func progressBatch() shim {
	return shim{
		Signature: "int64_t godoca_pe_progress_batch(uintptr_t ring, uintptr_t pe, uint32_t max)",
		Needs:     []string{"doca_pe_progress"},
		Body: []string{
			"struct godoca_ring *into = (struct godoca_ring *)ring;",
			"struct godoca_ring *outer = godoca_enter(into);",
			"int64_t done = 0;",
			"",
			"while (done < max && (into == NULL || into->count < max) &&",
			"       godoca_sym.doca_pe_progress((struct doca_pe *)pe) != 0)",
			"\tdone++;",
			"godoca_leave(outer);",
			"return done;",
		},
	}
}

// batches emits the Go side of the batch forms of one header.
func (f *file) batches(header string) {
	load := jen.If(jen.Err().Op("=").Id("library").Dot("Load").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return())
	if header == "doca_pe.h" && f.has("doca_pe_progress") {
		f.Comment(`// PEProgressBatch calls doca_pe_progress until it returns 0, max calls have returned 1
// or the ring holds max records, in one crossing. It returns how many calls returned 1.`)
		f.Func().Id("PEProgressBatch").Params(jen.Id("ring").Op("*").Add(f.abiFn("Ring")), jen.Id("pe").Op("*").Id("PE"), jen.Id("limit").Uint32()).
			Params(jen.Id("n").Uint32(), jen.Err().Error()).Block(load,
			jen.Id("done").Op(":=").Qual("C", "godoca_pe_progress_batch").Call(address(jen.Id("ring")), address(jen.Id("pe")), jen.Qual("C", "uint32_t").Call(jen.Id("limit"))),
			jen.If(jen.Id("done").Op("<").Lit(0)).Block(
				jen.Return(jen.Lit(0), jen.Id("library").Dot("Error").Call(jen.Lit("doca_pe_progress"), jen.Int32().Call(jen.Id("done"))))),
			jen.Return(jen.Uint32().Call(jen.Id("done")), jen.Nil()))
		f.Line()
	}
	if header == "doca_buf.h" && f.has("doca_buf_set_data") {
		f.Comment(`// BufView aims a buffer of a batch's entry. Buf is the buffer; nil leaves the one that the
// task has. Data and Len are its new data segment; a nil Data leaves the old one.`)
		f.Type().Id("BufView").Struct(jen.Id("Buf").Op("*").Id("Buf"), jen.Id("Data").Qual(unsafePkg, "Pointer"), jen.Id("Len").Uint64())
		f.Line()
	}
	for _, t := range f.lib.Tasks {
		if t.Header == header && f.batched(t) {
			f.batch(t, load)
		}
	}
}

func (f *file) batch(t *model.Task, load *jen.Statement) {
	common := f.path + "/common"
	typed := t.GoName[strings.LastIndex(t.GoName, "Task")+len("Task"):]
	if typed == "" {
		typed = "Typed"
	}
	itemName, fn := t.GoName+"Item", t.GoName+"SubmitBatch"
	shimFn := strings.TrimSuffix(f.item(t).CName, "_item") + "_submit_batch"
	fields := []jen.Code{
		jen.Id("Task").Op("*").Qual(common, "Task").Comment("from " + t.GoName + "AsTask"),
		jen.Id(typed).Op("*").Id(t.GoName).Comment("nil: the task's buffers are not exchanged"),
	}
	for _, b := range t.Buffers {
		fields = append(fields, jen.Id(b.GoName).Qual(common, "BufView"))
	}
	f.Comment(fmt.Sprintf("// %s is one entry of a batch. It mirrors a C struct.", itemName))
	f.Type().Id(itemName).Struct(fields...)
	f.Line()
	f.Comment(fmt.Sprintf(`// %s submits many tasks in one crossing: for each item the buffers are
// aimed (doca_buf_set_data), exchanged where the item says so, and the task is submitted.
// It stops at the first error; submitted counts the tasks that are DOCA's now. Items in C
// memory (abi.Alloc) spare cgo the search for Go pointers.
//
// Implements: doca_task_submit, doca_task_submit_ex, doca_buf_set_data`, fn))
	f.Func().Id(fn).Params(jen.Id("items").Index().Id(itemName)).Params(jen.Id("submitted").Uint32(), jen.Err().Error()).Block(
		load,
		jen.Var().Id("out0").Qual("C", "uint32_t"),
		jen.If(jen.Id("rc").Op(":=").Qual("C", shimFn).Call(ptr(jen.Qual(unsafePkg, "SliceData").Call(jen.Id("items"))), jen.Qual("C", "uint32_t").Call(jen.Len(jen.Id("items"))), jen.Op("&").Id("out0")),
			jen.Id("rc").Op("!=").Lit(0)).Block(
			jen.Err().Op("=").Id("library").Dot("Error").Call(jen.Lit("doca_task_submit"), jen.Int32().Call(jen.Id("rc")))),
		jen.Return(jen.Uint32().Call(jen.Id("out0")), jen.Err()))
	f.Line()
	f.direct = append(f.direct, shimFn)
}
