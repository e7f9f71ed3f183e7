package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/doxygen"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// The comments of what exists in Go alone: other forms of C functions, and what they need.

// taskCalls are the C functions that submit the tasks of a form.
const taskCalls = "Calls doca_task_submit (or doca_task_submit_ex and doca_ctx_flush_tasks) and doca_buf_set_data."

// fixed is a comment of paragraphs.
func fixed(paras ...string) *doxygen.Comment {
	c := doxygen.NewComment(nil, "", doxygen.LineWidth)
	for _, p := range paras {
		c.Para(p)
	}
	return c
}

// formDoc is the comment of the function that configures tasks of a form.
func (f *file) formDoc(fn *model.Func, t *model.Task, goName string) string {
	what := map[string]string{
		batched: `is like [%[1]s], for tasks that carry out batches: see [%[2]sSubmitBatch]. The user data of each task must be
			an [abi.Slot] ([abi.Slot.Data]). A batch leaves one record when it has ended, and one for each failure.`,
		queued: `is like [%[1]s], for tasks that carry out batches which may have to wait: see [%[2]sSubmitQueued]. The user data
			of each task must be an [abi.Slot] ([abi.Slot.Data]). A batch leaves one record when it stops waiting, one when it has
			ended, and one for each failure.`,
		posted: `is like [%[1]s], for tasks whose results go to an inbox: see [%[2]sSubmitPosts]. The user data of each task must
			be an [abi.Post] ([abi.Post.Data]). One record announces all new results in the inbox; each failure leaves a record of
			its own.`,
	}[f.form(t)]
	c := fixed(goName + " " + fmt.Sprintf(what, fn.GoName, t.GoName))
	c.Prototype(fn.Prototype())
	return c.String()
}

// itemDoc is the comment of the struct of an item.
func itemDoc(t *model.Task, form string) string {
	of := "[abi.Batch]"
	if form == posted {
		of = "[abi.Post]"
	}
	return fixed(t.GoName + "Item is one item of an " + of + " of [" + t.GoName + "] tasks. It mirrors a C struct.").String()
}

// resultDoc is the comment of the struct of a result.
func resultDoc(t *model.Task, name string) string {
	return fixed(name + " is what a completed [" + t.GoName + "] task has left in an [abi.Inbox]. It mirrors a C struct.").String()
}

func batchDoc(name string) string {
	return fixed(name+` starts a batch in one call into C. It gives each slot an item, sets the data of the item's buffers
		(and gives the task other buffers, where the item says so) and submits the slot's task. A task that completes goes on
		with the next item by itself. If batch.Step is not nil, it then makes that step of an engine.`,
		`On an error the batch ends with the items that tasks have taken before it; batch.Taken counts them. The batch, its slots
		and its items must be in C memory ([abi.Alloc]).`, taskCalls).String()
}

func queueDoc(name string, progress string) string {
	return fixed(name+` starts a batch in one call into C: it submits free tasks of queue for the items. If no task is free, or
		the peer has no room ([abi.ErrorAgain]), the batch waits in the queue and goes on in `+progress+`, behind the batches that
		wait already. If wait is false, it ends instead. If batch.Step is not nil, it then makes that step of an engine.`,
		`On an error the batch ends with the items that tasks have taken before it; batch.Taken counts them. The queue, the batch
		and its items must be in C memory ([abi.Alloc]). The ring must be that of the engine.`, taskCalls).String()
}

func postsDoc(name string) string {
	return fixed(name+` submits the tasks of posts in one call into C. For each it sets the data of the item's buffers, and
		gives the task other buffers where the item says so.`,
		`On an error the posts in front of the one that failed are submitted; inbox.Posted counts them. The inbox, the posts and
		their items must be in C memory ([abi.Alloc]).`, taskCalls).String()
}

func (o once) setDoc(submit string) string {
	c := fixed(o.set.GoName + "Once is like [" + o.set.GoName + "], for tasks that [" + submit + "] makes. The callbacks free these tasks, so the Object of their records must not be used.")
	c.Prototype(o.set.Prototype())
	return c.String()
}

func (o once) submitDoc(name string) string {
	return fixed(name+" allocates a task and submits it, in one call into C. It copies what it sends before it returns. The context must be configured with ["+o.set.GoName+"Once].",
		"Calls "+o.alloc.CName+", doca_task_set_user_data and doca_task_submit.").String()
}

const progressBatchDoc = `// PEProgressBatch makes progress in one call into C: it calls doca_pe_progress until that returns 0,
// until limit calls have returned 1, or until the ring holds limit records.
//
// Then it lets the batches that wait in the ring's queues go on (see [abi.Queue]), as long as any of
// them can. n counts the calls that returned 1 and the tasks that were submitted for those batches.`

const progressStepDoc = `// PEProgressStep makes a step of an engine in one call into C; step says which, how much it does, and
// for how long it lingers.`

const bufViewDoc = `// BufView is a buffer of a batch's item, and the data segment that a task finds in it.`

const setViewsDoc = `// BufViewsSetData calls doca_buf_set_data for each of n views in C memory whose Data is not 0, and
// then makes its Data 0, in one call into C. The views are stride bytes apart, and the first must not
// be nil. It stops at the first error: that view and those after it keep their Data.`

// capabilityDoc is the comment of a struct with the answers to capability queries.
func capabilityDoc(s *model.CapabilitySet, of string) string {
	return fixed(s.GoName + " holds the answers to all capability queries of " + s.Header + " that take " + indefinite(of) +
		". A field whose query is not supported has the zero value.").String()
}

func getCapabilityDoc(s *model.CapabilitySet) string {
	return fixed("Get" + s.GoName + " makes all queries of [" + s.GoName + "]. It stops at the first one that DOCA cannot answer, and returns that error.").String()
}

// packageDoc is the comment of the package of a library, with what its headers say of
// themselves.
func (e *emitter) packageDoc() string {
	c := doxygen.NewComment(e.docNames().scope(e.lib.Name, ""), "", doxygen.LineWidth)
	if e.calls() {
		e.packageWraps(c)
	} else {
		c.Para("Package " + e.lib.Name + " has the types and constants of " + e.lib.Soname + " of the NVIDIA DOCA SDK.")
	}
	if len(e.lib.DeviceFuncs) > 0 {
		c.Para(`The library is for code that runs on the device. A program on the host needs its types: it gets handles and addresses
			from functions for the host, and passes them to code on the device, as arguments or in memory of the device. It shares constants and
			structs with that code. The C compiler asserts the layout of the structs.`)
		c.Para(`Each kind of handle is a Go type of its own, although all of them are numbers in C: where a function takes one kind, the Go
			compiler refuses another. A handle is valid as long as the object that it was made from. Nobody frees a handle. Any goroutine may
			pass it on.`)
		c.Para(`A program on the host cannot call the functions of the library. They are C functions that the compiler of the device links to
			the code there, so the package has no Go functions for them. Below, each is listed by its header with its C prototype, for those who
			write the code for the device.`)
	}
	switch {
	case len(e.lib.Callbacks) > 0:
		c.Para(`Callbacks do not call into Go: each leaves a record in the ring ([abi.Ring]) that is passed to the call during which it
			runs. Where there is none, for any function may call back, the record waits until [` + model.CollectFunc + `] is called.`)
	case slices.ContainsFunc(e.lib.Funcs, func(fn *model.Func) bool { return fn.Ring }):
		c.Para("Callbacks do not call into Go: each leaves a record in the ring ([abi.Ring]) that is passed to the call during which it runs.")
	}
	if slices.ContainsFunc(e.lib.Funcs, func(fn *model.Func) bool { return fn.Stability == cparse.Experimental }) {
		c.Para("Functions that DOCA may change in any release are marked as experimental.")
	}
	doc := strings.TrimSpace(c.String())
	for _, h := range e.lib.Headers {
		doc += e.headerDoc(h)
	}
	return doc
}

// headerDoc is what a header says of itself, and what the package has no Go functions for.
func (e *emitter) headerDoc(h *model.Header) string {
	c := doxygen.NewComment(e.docNames().scope(e.lib.Name, ""), h.Doc, doxygen.LineWidth)
	brief := c.Brief()
	funcs := e.deviceFuncs(h.Name)
	if funcs == "" && (brief == "" && c.Empty() || !e.binds(h.Name)) {
		return ""
	}
	c.Heading(h.Name)
	c.Para(brief)
	c.BodyWithoutHeadings()
	c.End(doxygen.Promise{})
	return "\n//\n" + strings.TrimSpace(c.String()) + funcs
}

// packageWraps begins the comment of a package with Go functions.
func (e *emitter) packageWraps(c *doxygen.Comment) {
	c.Para("Package " + e.lib.Name + " binds " + e.lib.Soname + " of the NVIDIA DOCA SDK: one Go function for each C function.")
	c.Para(`The package adds no policy: it does not check states, frees nothing by itself, and each function may be called wherever
		its C function may be called. Every function returns an error, even where the C function returns nothing, because the library
		in use may lack the function: the error is then an [*abi.SymbolError]. A doca_error_t other than DOCA_SUCCESS is returned as
		an [*abi.CallError].`)
}

// progressLink refers to the function that lets waiting batches go on.
func (f *file) progressLink() string {
	if f.lib.Name == "common" {
		return "[PEProgressBatch]"
	}
	return "[common.PEProgressBatch]"
}

// binds tells whether the package has something of a header.
func (e *emitter) binds(header string) bool {
	var decls []model.Decl
	for _, d := range e.lib.Funcs {
		decls = append(decls, d.Decl)
	}
	for _, d := range e.lib.Enums {
		decls = append(decls, d.Decl)
	}
	for _, d := range e.lib.Objects {
		decls = append(decls, d.Decl)
	}
	for _, d := range e.lib.Structs {
		decls = append(decls, d.Decl)
	}
	for _, d := range e.lib.Typedefs {
		decls = append(decls, d.Decl)
	}
	for _, d := range e.lib.Constants {
		decls = append(decls, d.Decl)
	}
	return slices.ContainsFunc(decls, func(d model.Decl) bool { return d.Header == header })
}
