package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// submitPosts is the shim that posts tasks of an inbox.
func (e *emitter) submitPosts(t *model.Task) shim {
	c := e.batchCode(t)
	s := shim{
		Signature: fmt.Sprintf("int32_t %s_submit_posts(uintptr_t inbox, uintptr_t posts, uint32_t n)", c.Name),
		Needs:     append([]string{"doca_task_submit", "doca_buf_set_data"}, c.setters()...),
	}
	add := func(lines ...string) { s.Body = append(s.Body, lines...) }
	add("struct godoca_post **post = (struct godoca_post **)posts, **end = post + n;",
		"int32_t rc = 0;")
	if c.Deferred {
		add("uint32_t flags = n > 1 && GODOCA_DEFER ? 0 : GODOCA_FLUSH; /* one doorbell for all of them */")
	}
	add("",
		"for (; post != end && rc == 0; post += rc == 0)",
		"\trc = "+c.Name+"_submit((*post)->task, (*post)->typed, (struct "+c.Item+" *)(*post)->item"+e.deferArg("flags")+");",
		"((struct godoca_inbox *)inbox)->posted = (uint32_t)(post - (struct godoca_post **)posts);")
	if c.Deferred {
		add("if (flags != GODOCA_FLUSH && post != (struct godoca_post **)posts)",
			"\tgodoca_sym.doca_ctx_flush_tasks(godoca_sym.doca_task_get_ctx((*(struct godoca_post **)posts)->task));")
	}
	add("return rc;")
	return s
}

// postedNeeds are the functions that the callbacks of a posted form call.
func (c batchCode) postedNeeds() []string {
	needs := []string{"doca_buf_get_data_len"}
	for _, o := range c.Outputs {
		needs = append(needs, o.Getter)
	}
	if c.Bytes != nil {
		needs = append(needs, c.Bytes.Getter)
	}
	return needs
}

// result emits the struct of a result.
func (f *file) result(t *model.Task, c batchCode) {
	name := t.GoName + "Result"
	fields := []jen.Code{jen.Id("User").Add(f.abiFn("Data")).Comment("user data of the abi.Post")}
	size := 8
	for _, b := range t.Buffers {
		fields = append(fields, jen.Id(b.GoName+"Len").Uint64().Comment("the buffer's data length"))
		size += 8
	}
	for _, o := range c.Outputs {
		fields = append(fields, jen.Id(o.GoName).Add(f.goType(o.Type)).Comment(o.By))
		size += o.Size
	}
	if rest := 7 - (size+7)%8; rest > 0 {
		fields = append(fields, jen.Id("_").Index(jen.Lit(rest)).Byte())
	}
	f.Comment(resultDoc(t, name))
	f.Type().Id(name).Struct(fields...)
	f.Line()
	if c.Bytes == nil {
		return
	}
	n := jen.Id("r").Dot(c.Bytes.Count.GoName)
	f.Comment("// " + c.Bytes.GoName + " returns the bytes that came with the result. They are in the inbox's memory.")
	f.Func().Params(jen.Id("r").Op("*").Id(name)).Id(c.Bytes.GoName).Params().Index().Byte().Block(
		jen.Return(jen.Qual(unsafePkg, "Slice").Call(jen.Parens(jen.Op("*").Byte()).Call(jen.Qual(unsafePkg, "Add").Call(
			jen.Qual(unsafePkg, "Pointer").Call(jen.Id("r")), jen.Qual(unsafePkg, "Sizeof").Call(jen.Op("*").Id("r")))), n)))
	f.Line()
}

// inbox emits the Go side of a posted form.
func (f *file) inbox(t *model.Task, load *jen.Statement) {
	fn, shimFn := t.GoName+"SubmitPosts", batchName(t)+"_submit_posts"
	f.Comment(postsDoc(fn))
	f.Func().Id(fn).Params(jen.Id("inbox").Op("*").Add(f.abiFn("Inbox")), jen.Id("posts").Index().Op("*").Add(f.abiFn("Post"))).Params(jen.Err().Error()).Block(
		load,
		jen.If(jen.Id("rc").Op(":=").Add(f.callC(shimFn, address(jen.Id("inbox")), address(jen.Qual(unsafePkg, "SliceData").Call(jen.Id("posts"))), cgoType("uint32_t").Call(jen.Len(jen.Id("posts"))))),
			jen.Id("rc").Op("!=").Lit(0)).Block(
			jen.Err().Op("=").Id("library").Dot("Error").Call(jen.Lit("doca_task_submit"), jen.Int32().Call(jen.Id("rc")))),
		jen.Return())
	f.Line()
	f.promise(shimFn)
}
