package model

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// CollectFunc is the function of each package with callbacks that collects their records.
const CollectFunc = "Collect"

// payloadKind is the bit of a kind that says that its records have a payload.
const payloadKind = 1 << 31

// deferrable tells why a callback cannot be written to a ring and handled later: C waits for what it returns, or
// it is code (doca_dpa_func_t).
func deferrable(f *cparse.Type) error {
	if underlying(f.Elem).Kind != cparse.Void {
		return fmt.Errorf("the callback returns a value")
	}
	if f.Variadic {
		return fmt.Errorf("the callback is variadic")
	}
	if len(f.Params) == 0 {
		return fmt.Errorf("a function without parameters is code, and reports nothing")
	}
	for _, p := range f.Params {
		if u := underlying(p.Type); u.Kind == cparse.Other || (u.Kind == cparse.Pointer && underlying(u.Elem).Kind == cparse.Other) {
			return fmt.Errorf("the callback takes a %s", u.Name)
		}
	}
	return nil
}

// callback makes the trampoline for parameter p of fn.
func (b *builder) callback(fn *Func, p *Param, f *cparse.Type) (*Callback, error) {
	role := roleName(fn.CName, p.CName)
	cb := &Callback{
		Func: fn.CName, Param: p.CName, Type: p.C.Name, Header: fn.Header, Function: f,
		GoName: exported(b.lib.Prefix, role), CName: "godoca_on_" + strings.TrimPrefix(role, "doca_"),
		Failed: strings.Contains(p.CName, "error"),
	}
	if ofForm.MatchString(role) {
		cb.CName = "godoca_callback_" + strings.TrimPrefix(role, "doca_")
	}
	kind := "Kind" + cb.GoName
	if name := b.claim(kind, "Callback", "callback "+fn.CName+" "+p.CName); name != kind {
		cb.GoName, cb.CName = strings.TrimPrefix(name, "Kind"), cb.CName+"_"+strings.ToLower(strings.TrimPrefix(name, kind))
	}
	h := fnv.New32a()
	h.Write([]byte(cb.CName))
	cb.Hash = h.Sum32() &^ payloadKind
	if err := b.slots(fn, cb, f); err != nil {
		return nil, fmt.Errorf("callback %s: %w", p.CName, err)
	}
	if slices.ContainsFunc(cb.Args, func(a CallbackArg) bool { return a.Slot == SlotPayload || a.Slot == SlotMore }) {
		cb.Hash |= payloadKind
	}
	if !slices.ContainsFunc(cb.Args, func(a CallbackArg) bool { return a.Slot == SlotCtx }) {
		cb.Ctx = b.ctxOf(fn, f)
	}
	return cb, nil
}

// ofForm matches how trampolines of forms end in C: that of no callback has such an end behind the same beginning.
var ofForm = regexp.MustCompile(`_(batched|queued|posted|once|more|tell)$`)

// completes notes that the callback ends a task, so that its record has a status.
func (b *builder) completes(cb *Callback, tag string) {
	if as, ok := b.asTask[tag]; ok && !b.funcs[as].Inline {
		cb.Task, cb.AsTask = tag, as
	}
}

// isEventTag recognises `struct doca_x_event_y *`: a type tag without content, which no function
// is given or returns.
func (b *builder) isEventTag(t *cparse.Type) bool {
	u := underlying(t)
	return u.Kind == cparse.Struct && strings.Contains(u.Name, "_event_") && !b.passed[u.Name]
}

// roleName names what a callback reports: the function that installs it without its
// verb, and the parameter's own word: doca_dma_task_memcpy and completion make TaskMemcpyCompletion.
func roleName(fn, p string) string {
	for _, s := range []string{"_set_conf", "_register", "_cb", "_callbacks"} {
		fn = strings.TrimSuffix(fn, s)
	}
	if i := strings.Index(fn, "_set_"); i >= 0 {
		fn = fn[:i] + fn[i+len("_set"):]
	}
	for _, s := range []string{"_cb", "_callback", "_handler"} {
		p = strings.TrimSuffix(p, s)
	}
	p = strings.TrimSuffix(p, "_event")
	p = strings.TrimPrefix(p, "task_")
	if words := strings.SplitAfterN(p, "_", 3); len(words) == 3 && words[0] == "doca_" && strings.HasPrefix(fn, words[0]+words[1]) {
		p = words[2]
	}
	switch p {
	case "", "cb", "callback", "handler", "event":
		return fn
	}
	if strings.HasSuffix(fn, "_"+p) {
		return fn
	}
	return fn + "_" + p
}
