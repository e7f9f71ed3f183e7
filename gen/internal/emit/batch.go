package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// batchedTrampolines are the callbacks of a batched form: they submit the next item, and only the end of the
// batch leaves a record.
func (e *emitter) batchedTrampolines(fn *model.Func, t *model.Task) []trampoline {
	var errorHash uint32
	for _, p := range fn.Params {
		if p.Callback != nil && p.Callback.Failed {
			errorHash = p.Callback.Hash
		}
	}
	var out []trampoline
	for _, p := range fn.Params {
		if p.Callback != nil {
			out = append(out, e.batchedTrampoline(p.Callback, t, errorHash))
		}
	}
	return out
}

// submitBatch is the shim that starts a batch: each slot takes an item.
func (e *emitter) submitBatch(t *model.Task) shim {
	s := shim{
		Signature: fmt.Sprintf("int32_t %s_submit_batch(uintptr_t batch, uintptr_t slots, uint32_t n)", batchName(t)),
		Needs:     []string{"doca_task_submit", "doca_buf_set_data"},
	}
	for _, b := range t.Buffers {
		s.Needs = append(s.Needs, b.Setter)
	}
	add := func(lines ...string) { s.Body = append(s.Body, lines...) }
	item := "struct " + batchName(t) + "_item"
	add("struct godoca_batch *b = (struct godoca_batch *)batch;",
		"struct godoca_slot **slot = (struct godoca_slot **)slots;",
		item+" *item = ("+item+" *)b->items;",
		item+" *end = item + b->count, *stop = n < b->count ? item + n : end;",
		"int32_t rc = 0;")
	if e.deferred() {
		add("uint32_t flags = b->count > 1 && GODOCA_DEFER ? 0 : GODOCA_FLUSH; /* one doorbell for all of them */",
			"int together = b->together && flags == 0 && n >= b->count;")
	}
	add("")
	if e.deferred() {
		add("if (together)",
			"\tflags = GODOCA_OPTIMIZE_REPORTS;")
	}
	add("for (; item != stop; slot++, item++) {",
		"\tstruct godoca_slot *s = *slot;",
		"",
		"\ts->batch = b;",
		"\ts->item = (uint8_t *)item;",
		"\trc = "+batchName(t)+"_submit(s->task, s->typed, item"+e.deferArg("together && item + 1 == end ? GODOCA_FLUSH : flags")+");",
		"\tif (rc != 0)",
		"\t\tbreak;",
		"}",
		"b->next = (uint8_t *)item;",
		"b->end = (uint8_t *)(rc == 0 ? end : item);",
		"b->taken = b->pending = (uint32_t)(item - ("+item+" *)b->items);",
		"b->failed = 0;")
	if e.deferred() {
		add("if (flags != GODOCA_FLUSH && b->pending > 0 && !(together && rc == 0))",
			"\tgodoca_sym.doca_ctx_flush_tasks(godoca_sym.doca_task_get_ctx((*(struct godoca_slot **)slots)->task));")
	}
	e.addStep(&s, "b")
	add("return rc;")
	return s
}

// addStep ends a submission with the step of its batch.
func (e *emitter) addStep(s *shim, batch string) {
	if e.steps() {
		s.Body = append(s.Body, "GODOCA_STEP("+batch+", rc);")
	} else {
		s.Body = append(s.Body, batch+"->quiet = 0;")
	}
}

// steps tells whether submissions can make a step of an engine.
func (e *emitter) steps() bool {
	return e.has("doca_pe_progress")
}

// progressBatch drains a progress engine in one crossing, and the queues of batches that wait.
// Its result is the count, so that no Go pointer is passed to a function that may call back.
func progressBatch() shim {
	return shim{
		Signature: "int64_t godoca_pe_progress_batch(uintptr_t ring, uintptr_t pe, uint32_t max)",
		Needs:     []string{"doca_pe_progress"},
		Body: []string{
			"struct godoca_ring *into = (struct godoca_ring *)ring;",
			"struct godoca_ring *outer = godoca_enter(into);",
			"int64_t done = 0, more;",
			"",
			"do {",
			"\twhile (done < max && (into == NULL || into->count < max) &&",
			"\t       godoca_sym.doca_pe_progress((struct doca_pe *)pe) != 0)",
			"\t\tdone++;",
			"\tmore = godoca_resume(into);",
			"\tdone += more;",
			"} while (more > 0 && done < max);",
			"godoca_leave(outer);",
			"return done;",
		},
	}
}

// progressStep makes a step of an engine in one crossing.
func progressStep() shim {
	return shim{
		Signature: "int32_t godoca_pe_progress_step(uintptr_t step)",
		Needs:     []string{"doca_pe_progress"},
		Body:      []string{"godoca_make_step((struct godoca_step *)step, NULL);", "return 0;"},
	}
}

// setViews sets the data segments of many buffers in one crossing.
func setViews() shim {
	return shim{
		Signature: "int32_t godoca_buf_views_set_data(uintptr_t view, uint32_t n, uint64_t stride)",
		Needs:     []string{"doca_buf_set_data"},
		Body: []string{
			"for (uint8_t *at = (uint8_t *)view; n > 0; n--, at += stride) {",
			"\tstruct godoca_view *v = (struct godoca_view *)at;",
			"\tint32_t rc;",
			"",
			"\tif (v->data == NULL)",
			"\t\tcontinue;",
			"\trc = godoca_sym.doca_buf_set_data(v->buf, v->data, v->len);",
			"\tif (rc != 0)",
			"\t\treturn rc;",
			"\tv->data = NULL;",
			"}",
			"return 0;",
		},
	}
}

// batches emits the Go side of the batch forms of one header.
func (f *file) batches(header string) {
	load := jen.If(jen.Err().Op("=").Id("library").Dot("Load").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return())
	if header == "doca_pe.h" && f.has("doca_pe_progress") {
		f.Comment(progressBatchDoc)
		f.Func().Id("PEProgressBatch").Params(jen.Id("ring").Op("*").Add(f.abiFn("Ring")), jen.Id("pe").Op("*").Id("PE"), jen.Id("limit").Uint32()).
			Params(jen.Id("n").Uint32(), jen.Err().Error()).Block(load,
			jen.Id("done").Op(":=").Add(f.callC("godoca_pe_progress_batch", address(jen.Id("ring")), address(jen.Id("pe")), cgoType("uint32_t").Call(jen.Id("limit")))),
			jen.If(jen.Id("done").Op("<").Lit(0)).Block(
				jen.Return(jen.Lit(0), jen.Id("library").Dot("Error").Call(jen.Lit("doca_pe_progress"), jen.Int32().Call(jen.Id("done"))))),
			jen.Return(jen.Uint32().Call(jen.Id("done")), jen.Nil()))
		f.Line()
		f.Comment(progressStepDoc)
		f.Func().Id("PEProgressStep").Params(jen.Id("step").Op("*").Add(f.abiFn("Step"))).Params(jen.Err().Error()).Block(load,
			jen.If(jen.Id("rc").Op(":=").Add(f.callC("godoca_pe_progress_step", address(jen.Id("step")))), jen.Id("rc").Op("!=").Lit(0)).Block(
				jen.Return(jen.Id("library").Dot("Error").Call(jen.Lit("doca_pe_progress"), jen.Int32().Call(jen.Id("rc"))))),
			jen.Return(jen.Nil()))
		f.Line()
	}
	if header == "doca_buf.h" && f.has("doca_buf_set_data") {
		f.Comment(bufViewDoc)
		f.Type().Id("BufView").Struct(
			jen.Id("Buf").Op("*").Id("Buf").Comment("nil: the buffer that the task has"),
			jen.Id("Data").Uintptr().Comment("address of its data; 0 leaves its data segment as it is"),
			jen.Id("Len").Uint64().Comment("length of the data in bytes"))
		f.Line()
		f.Comment(setViewsDoc)
		f.Func().Id("BufViewsSetData").Params(jen.Id("first").Op("*").Id("BufView"), jen.Id("n").Uint32(), jen.Id("stride").Uint64()).
			Params(jen.Err().Error()).Block(load,
			jen.If(jen.Id("rc").Op(":=").Add(f.callC("godoca_buf_views_set_data", address(jen.Id("first")), cgoType("uint32_t").Call(jen.Id("n")),
				cgoType("uint64_t").Call(jen.Id("stride")))), jen.Id("rc").Op("!=").Lit(0)).Block(
				jen.Return(jen.Id("library").Dot("Error").Call(jen.Lit("doca_buf_set_data"), jen.Int32().Call(jen.Id("rc"))))),
			jen.Return(jen.Nil()))
		f.Line()
	}
	for _, fn := range f.lib.Funcs {
		t := f.batchTask(fn)
		if t == nil || fn.Header != header {
			continue
		}
		c := f.batchCode(t)
		f.item(t, c)
		switch c.Form {
		case batched:
			f.batch(t, load)
		case queued:
			f.queue(t, load)
		case posted:
			f.result(t, c)
			f.inbox(t, load)
		}
	}
}

// batch emits the Go side of a batched form.
func (f *file) batch(t *model.Task, load *jen.Statement) {
	fn := t.GoName + "SubmitBatch"
	shimFn := batchName(t) + "_submit_batch"
	f.Comment(batchDoc(fn))
	f.Func().Id(fn).Params(jen.Id("batch").Op("*").Add(f.abiFn("Batch")), jen.Id("slots").Index().Op("*").Add(f.abiFn("Slot"))).Params(jen.Err().Error()).Block(
		load,
		jen.If(jen.Id("rc").Op(":=").Add(f.callC(shimFn, address(jen.Id("batch")), address(jen.Qual(unsafePkg, "SliceData").Call(jen.Id("slots"))), cgoType("uint32_t").Call(jen.Len(jen.Id("slots"))))),
			jen.Id("rc").Op("!=").Lit(0)).Block(
			jen.Err().Op("=").Id("library").Dot("Error").Call(jen.Lit("doca_task_submit"), jen.Int32().Call(jen.Id("rc")))),
		jen.Return())
	f.Line()
}
