package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// submitQueued is the shim that starts a batch of a queue.
func (e *emitter) submitQueued(t *model.Task) shim {
	c := e.batchCode(t)
	s := shim{
		Signature: fmt.Sprintf("int32_t %s_submit_queued(uintptr_t ring, uintptr_t queue, uintptr_t batch, uint8_t wait)", c.Name),
		Needs:     append([]string{"doca_task_submit", "doca_buf_set_data"}, c.setters()...),
	}
	add := func(lines ...string) { s.Body = append(s.Body, lines...) }
	add("struct godoca_queue *q = (struct godoca_queue *)queue;",
		"struct godoca_batch *b = (struct godoca_batch *)batch;",
		"struct "+c.Item+" *items = (struct "+c.Item+" *)b->items, *end = items + b->count;",
		"int32_t rc = 0;",
		"",
		"b->pending = b->failed = b->waiting = b->taken = 0;",
		"b->queue = q;",
		"b->next = b->items;",
		"b->end = (uint8_t *)end;",
		"/* Now, for others may use the same buffers before it is an item's turn. */",
		"for (struct "+c.Item+" *item = items; item != end && rc == 0; item++) {")
	for _, b := range c.Buffers {
		add("\tif (rc == 0 && item->"+b.Field+".data != NULL)",
			"\t\trc = godoca_sym.doca_buf_set_data(item->"+b.Field+".buf, item->"+b.Field+".data, item->"+b.Field+".len);",
			"\titem->"+b.Field+".data = NULL;")
	}
	add("}",
		"if (rc == 0)",
		"\trc = q->first != NULL && (wait || "+c.Name+"_behind(q, b)) ? GODOCA_AGAIN : "+c.Name+"_feed(q, b);",
		"if (rc == GODOCA_AGAIN && wait) {",
		"\tgodoca_wait((struct godoca_ring *)ring, q, b, "+c.Name+"_resume);",
		"\trc = 0;",
		"} else if (rc != 0) {",
		"\tb->end = b->next;",
		"}")
	e.addStep(&s, "b")
	add("return rc;")
	return s
}

// queue emits the Go side of a queued form.
func (f *file) queue(t *model.Task, load *jen.Statement) {
	fn, shimFn := t.GoName+"SubmitQueued", batchName(t)+"_submit_queued"
	f.Comment(queueDoc(fn, f.progressLink()))
	f.Func().Id(fn).Params(jen.Id("ring").Op("*").Add(f.abiFn("Ring")), jen.Id("queue").Op("*").Add(f.abiFn("Queue")), jen.Id("batch").Op("*").Add(f.abiFn("Batch")), jen.Id("wait").Bool()).Params(jen.Err().Error()).Block(
		load,
		jen.If(jen.Id("rc").Op(":=").Add(f.callC(shimFn, address(jen.Id("ring")), address(jen.Id("queue")), address(jen.Id("batch")), cgoType("uint8_t").Call(f.abiFn("Byte").Call(jen.Id("wait"))))),
			jen.Id("rc").Op("!=").Lit(0)).Block(
			jen.Err().Op("=").Id("library").Dot("Error").Call(jen.Lit("doca_task_submit"), jen.Int32().Call(jen.Id("rc")))),
		jen.Return())
	f.Line()
}
