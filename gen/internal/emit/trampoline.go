package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// trampoline is the C function that DOCA calls back: it writes one record.
type trampoline struct {
	Func, Param, CName, Params string
	Hash                       uint32
	Status                     string
	Slot                       string // the argument that points to the task's slot
	Args                       string // the names of Params
	Item                       string // the struct of a batch's item
	Next                       string // the call that submits the slot's task for the next item
	ErrorHash                  uint32
	Failed                     bool
	Unused                     []string
	Stores                     []string
}

// looksUp tells whether a callback asks DOCA why its task has failed.
func (e *emitter) looksUp(c *model.Callback) bool {
	return c.Failed && c.AsTask != "" && e.has("doca_task_get_status")
}

// trampoline has a store for each argument that has a place in the record; bytes are copied behind it.
func (e *emitter) trampoline(c *model.Callback) trampoline {
	t := trampoline{Func: c.Func, Param: c.Param, CName: c.CName, Hash: c.Hash, Status: "0"}
	if e.looksUp(c) {
		t.Status = fmt.Sprintf("godoca_sym.doca_task_get_status(godoca_sym.%s(arg0))", c.AsTask)
	}
	var params, names []string
	for i, a := range c.Args {
		params, names = append(params, a.CType), append(names, a.Name)
		switch a.Slot {
		case model.SlotNone:
			t.Unused = append(t.Unused, a.Name)
		case model.SlotObject:
			t.Stores = append(t.Stores, "r->object = (void *)"+a.Name)
		case model.SlotPeer:
			t.Stores = append(t.Stores, "r->peer = (void *)"+a.Name)
		case model.SlotUser:
			t.Stores = append(t.Stores, "r->user = "+dataBits(c, i))
		case model.SlotCtx:
			t.Stores = append(t.Stores, "r->ctx = "+dataBits(c, i))
		case model.SlotArg:
			t.Stores = append(t.Stores, fmt.Sprintf("r->args[%d] = %s", a.Index, word(a)))
		case model.SlotMore:
			if a.Len == "" {
				t.Stores = append(t.Stores, fmt.Sprintf("godoca_sym.runtime->more(ring, r, &(uint64_t){%s}, sizeof(uint64_t))", word(a)))
				continue
			}
			t.Stores = append(t.Stores, fmt.Sprintf("godoca_sym.runtime->more(ring, r, %[1]s, %[1]s == NULL ? 0 : (size_t)%[2]s * sizeof(*%[1]s))", a.Name, a.Len))
		case model.SlotPayload:
			n := a.Len
			if n == "" {
				n = fmt.Sprintf("%s != NULL ? __builtin_strlen((const char *)%s) : 0", a.Name, a.Name)
			}
			t.Stores = append(t.Stores, fmt.Sprintf("godoca_sym.runtime->payload(ring, r, %s, %s)", a.Name, n))
		}
	}
	switch {
	case c.Ctx != nil:
		t.Stores = append(t.Stores, fmt.Sprintf("r->ctx = %s(%s)", ctxName(c.Ctx), objectArg(c)))
	case !slices.ContainsFunc(c.Args, func(a model.CallbackArg) bool { return a.Slot == model.SlotCtx }):
		t.Stores = append(t.Stores, "r->ctx = UINT64_MAX")
	}
	for _, none := range []string{"r->object = NULL", "r->peer = NULL", "r->user = 0"} {
		member, _, _ := strings.Cut(none, "=")
		if !slices.ContainsFunc(t.Stores, func(s string) bool { return strings.HasPrefix(s, member) }) {
			t.Stores = append(t.Stores, none)
		}
	}
	t.Stores = payloadLast(t.Stores)
	t.Params, t.Args = strings.Join(params, ", "), strings.Join(names, ", ")
	return t
}

// word is an argument as 64 bits.
func word(a model.CallbackArg) string {
	if strings.Contains(a.CType, "*") {
		return "(uint64_t)(uintptr_t)" + a.Name
	}
	return "(uint64_t)" + a.Name
}

// ctxName is the C function that goes a CtxPath.
func ctxName(p *model.CtxPath) string {
	return "godoca_ctx_by_" + strings.TrimPrefix(p.Owner, "doca_")
}

// objectArg is the argument of a callback that becomes the record's object.
func objectArg(c *model.Callback) string {
	for _, a := range c.Args {
		if a.Slot == model.SlotObject {
			return a.Name
		}
	}
	return "NULL"
}

// ctxPaths are those of the callbacks of one header.
func (e *emitter) ctxPaths(header string) []*model.CtxPath {
	var out []*model.CtxPath
	for _, c := range e.lib.Callbacks {
		if c.Header == header && c.Ctx != nil && !slices.ContainsFunc(out, func(p *model.CtxPath) bool { return p.Owner == c.Ctx.Owner }) {
			out = append(out, c.Ctx)
		}
	}
	return out
}

// batchedTrampoline is the variant for tasks whose user data is a slot: only the last completion of a
// batch, and every failure, leaves a record.
func (e *emitter) batchedTrampoline(c *model.Callback, t *model.Task, errorHash uint32) trampoline {
	tr := e.trampoline(c)
	tr.CName += "_batched"
	tr.Failed, tr.ErrorHash = c.Failed, errorHash
	tr.Item = batchName(t) + "_item"
	tr.Next = batchName(t) + "_submit(slot->task, slot->typed, item" + e.deferArg("GODOCA_FLUSH") + ")"
	var stores []string
	for _, a := range c.Args {
		if a.Slot == model.SlotUser {
			tr.Slot = a.Name
		}
	}
	for _, s := range tr.Stores {
		if strings.HasPrefix(s, "r->user = ") {
			s = "r->user = batch->user"
		}
		stores = append(stores, s)
	}
	tr.Stores = append(stores, "r->args[0] = batch->pending", "r->args[1] = batch->failed", "r->args[2] = (uint64_t)((struct "+tr.Item+" *)slot->item - (struct "+tr.Item+" *)batch->items)")
	return tr
}

// dataBits is an argument that is user data as 64 bits: union doca_data, or the pointer that a cookie is.
func dataBits(c *model.Callback, i int) string {
	if strings.Contains(c.Args[i].CType, "union doca_data") {
		return c.Args[i].Name + ".u64"
	}
	return "(uint64_t)(uintptr_t)" + c.Args[i].Name
}

// payloadLast puts the store that may take the record back behind all others.
func payloadLast(stores []string) []string {
	var first, last []string
	for _, s := range stores {
		if strings.HasPrefix(s, "godoca_sym.runtime->payload") || strings.HasPrefix(s, "godoca_sym.runtime->more") {
			last = append(last, s)
		} else {
			first = append(first, s)
		}
	}
	if len(last) > 0 { // the first begins the payload
		last[0] = strings.Replace(last[0], "runtime->more", "runtime->payload", 1)
	}
	return append(first, last...)
}

// callbacks emits the Kind constants of one header.
func (f *file) callbacks(header string) int {
	var defs []jen.Code
	for _, c := range f.lib.Callbacks {
		if c.Header != header {
			continue
		}
		defs = append(defs,
			jen.Comment(f.kindDoc(c)),
			jen.Id("Kind"+c.GoName).Add(f.abiFn("Kind")).Op("=").Id(fmt.Sprintf("%#08x", c.Hash)))
	}
	if len(defs) == 0 {
		return 0
	}
	f.Comment("// The kinds of records that the callbacks of this header leave in a ring.")
	f.Const().Defs(defs...)
	f.Line()
	return len(defs) / 2
}
