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
		"struct "+c.Item+" *end = (struct "+c.Item+" *)b->items + b->count;",
		"int32_t rc;",
		"",
		"b->pending = b->failed = b->waiting = b->taken = 0;",
		"b->queue = q;",
		"b->next = b->items;",
		"b->end = (uint8_t *)end;",
		"if (!b->same)",
		"\tb->version = ++q->versions;",
		"rc = q->first != NULL && (wait || "+c.Name+"_behind(q, b)) ? GODOCA_AGAIN : "+c.Name+"_feed(q, b, b->same != 1);",
		"if (rc != 0 && b->same != 1) {",
		"\tint32_t failed = 0;",
		"",
		"\t/* Now, for others may use the same buffers before it is an item's turn. */",
		"\tfor (struct "+c.Item+" *item = (struct "+c.Item+" *)b->next; item != end && failed == 0; item++)",
		"\t\tfailed = "+c.Name+"_date(item);",
		"\tif (rc == GODOCA_AGAIN && failed != 0)",
		"\t\trc = failed;",
		"}",
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
