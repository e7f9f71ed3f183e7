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

// taskCalls are the C functions beneath the submission of tasks that can be aimed.
const taskCalls = "It calls doca_task_submit, or doca_task_submit_ex and doca_ctx_flush_tasks, and doca_buf_set_data."

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
		batched: `is [%[1]s] for tasks that work for batches. Their user data is an [abi.Slot] ([abi.Slot.Data]); see
			[%[2]sSubmitBatch]. The end of a batch leaves a record, and so does every failure.`,
		queued: `is [%[1]s] for tasks that work for batches and may have to wait. Their user data is an [abi.Slot]
			([abi.Slot.Data]); see [%[2]sSubmitQueued]. A batch leaves a record when it need not wait any more, when it has ended,
			and for every failure.`,
		posted: `is [%[1]s] for tasks whose results go to an inbox. Their user data is an [abi.Post] ([abi.Post.Data]); see
			[%[2]sSubmitPosts]. One record tells of all that is new in the inbox, and every failure leaves one.`,
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
	return fixed(name + " is what a [" + t.GoName + "] task that has completed left in an [abi.Inbox]. It mirrors a C struct.").String()
}

func batchDoc(name string) string {
	return fixed(name+` starts a batch in one crossing. It gives each slot an item, whose buffers are aimed and exchanged
		where the item says so, and submits the slot's task; a task that has completed goes on with the next item by itself.`,
		`On an error the batch ends with the items that were taken before; Taken of the batch counts them. The memory of
		batch, slots and items is C's ([abi.Alloc]).`, taskCalls).String()
}

func queueDoc(name string, progress string) string {
	return fixed(name+` starts a batch in one crossing: it submits the tasks that queue has for the items. If there are no more,
		or the peer has no room ([abi.ErrorAgain]), the batch waits in the queue and goes on in `+progress+`, after those that
		wait already; without wait it ends instead.`,
		`On an error the batch ends with the items that were taken before; Taken of the batch counts them. The memory of
		queue, batch and items is C's ([abi.Alloc]). The ring is that of the engine.`, taskCalls).String()
}

func postsDoc(name string) string {
	return fixed(name+` submits the tasks of posts in one crossing, each with its item: the buffers are aimed and exchanged where
		the item says so.`,
		`On an error those before the one that failed are submitted; Posted of the inbox counts them. The memory of inbox,
		posts and items is C's ([abi.Alloc]).`, taskCalls).String()
}

func (o once) setDoc(submit string) string {
	c := fixed(o.set.GoName + "Once is [" + o.set.GoName + "] for tasks that [" + submit + "] makes: they are freed when they have ended. The record's Object is gone then.")
	c.Prototype(o.set.Prototype())
	return c.String()
}

func (o once) submitDoc(name string) string {
	return fixed(name+" allocates a task and submits it, in one crossing. What it is given to send is copied before it returns. See ["+o.set.GoName+"Once].",
		"It calls "+o.alloc.CName+", doca_task_set_user_data and doca_task_submit.").String()
}

const progressBatchDoc = `// PEProgressBatch makes progress in one crossing: it calls doca_pe_progress until that returns 0,
// limit calls have returned 1, or the ring holds limit records.
//
// Then the batches that wait in the ring's queues go on (see [abi.Queue]), as often as that makes a
// difference. The result is how many calls returned 1 and how many tasks were submitted for those
// batches.`

const bufViewDoc = `// BufView aims a buffer of a batch's item.`

// capabilityDoc is the comment of a struct with the answers to capability queries.
func capabilityDoc(s *model.CapabilitySet, of string) string {
	return fixed(s.GoName + " is the answer to all capability queries of " + s.Header + " that take " + indefinite(of) +
		". What is not supported has the zero value.").String()
}

func getCapabilityDoc(s *model.CapabilitySet) string {
	return fixed("Get" + s.GoName + " asks for all of [" + s.GoName + "]. A query that DOCA cannot answer ends it with that error.").String()
}

// packageDoc is the comment of the package of a library, with what its headers say of
// themselves.
func (e *emitter) packageDoc() string {
	c := doxygen.NewComment(e.docNames().scope(e.lib.Name, ""), "", doxygen.LineWidth)
	c.Para("Package " + e.lib.Name + " binds " + e.lib.Soname + " of the NVIDIA DOCA SDK: one Go function for each C function.")
	c.Para(`It holds no policy: it checks no states, frees nothing by itself and may be called from where the C function may be
		called. Every function returns an error, also where the C function has no result, because the library in use may lack
		it: the error is an [abi.SymbolError] then. What C returns as a doca_error_t is an [abi.CallError].`)
	if e.lib.ForDevice() {
		c.Para("The library is for code that runs on the device. A program on the host has use for the types; the functions return an [abi.LibraryError].")
	}
	if slices.ContainsFunc(e.lib.Funcs, func(fn *model.Func) bool { return fn.Ring }) {
		c.Para("Callbacks do not enter Go: they leave records in the ring ([abi.Ring]) that is passed to the calls during which they run.")
	}
	if slices.ContainsFunc(e.lib.Funcs, func(fn *model.Func) bool { return fn.Stability == cparse.Experimental }) {
		c.Para("What DOCA may change in any release is marked as experimental.")
	}
	for _, h := range e.lib.Headers {
		c.Read(h.Doc)
		brief := c.Brief()
		if brief == "" && c.Empty() || !e.binds(h.Name) {
			continue
		}
		c.Heading(h.Name)
		c.Para(brief)
		c.BodyWithoutHeadings()
		c.End(doxygen.Promise{})
	}
	return strings.TrimSpace(c.String())
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
