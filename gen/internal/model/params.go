package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// addFunc binds a function, or notes why it cannot be bound. One of a device's header is for the documentation alone.
func (b *builder) addFunc(h *cparse.Header, f *cparse.Func) {
	if b.lib.ForDevice() && cparse.ForDevice(h.Name) {
		b.lib.DeviceFuncs = append(b.lib.DeviceFuncs, &DeviceFunc{decl(f.Name, "", h.Name, f.Doc, f.Stability), f})
		b.bound()
		return
	}
	if b.kernels != nil {
		b.addKernel(h, f)
		return
	}
	if i, ok := b.funcOwners[f.Name]; ok && b.specs[i].Name != b.lib.Name {
		b.skip(h.Name, "function", f.Name, "package "+b.specs[i].Name+" has it, whose headers declare it too")
		return
	}
	g := exported(b.lib.Prefix, f.Name)
	fn := &Func{Decl: decl(f.Name, g, h.Name, f.Doc, f.Stability), C: f}
	if !f.Inline {
		fn.Soname = b.lib.Soname
	}
	callbacks, err := b.makeFunc(fn)
	if err != nil {
		b.skip(h.Name, "function", f.Name, err.Error())
		return
	}
	fn.GoName = b.claim(g, "Func", f.Name)
	b.lib.Callbacks = append(b.lib.Callbacks, callbacks...)
	b.lib.Funcs = append(b.lib.Funcs, fn)
	b.bound()
}

// makeFunc decides the Go form of a function, in this order: the result, what a variadic one is, callbacks,
// and each parameter that no other has claimed (a length belongs to its bytes). The callbacks are those that it
// installs. The error says why the function has no Go form.
func (b *builder) makeFunc(fn *Func) ([]*Callback, error) {
	f := fn.C
	if strings.Contains(f.Name, "$") {
		return nil, fmt.Errorf("there is a dollar sign in its name, which cgo cannot write")
	}
	if f.Label != "" && !f.Inline {
		return nil, fmt.Errorf("its symbol is %s by a label, and functions are looked up by their names", f.Label)
	}
	if err := b.result(fn); err != nil {
		return nil, err
	}
	if f.Variadic {
		switch n := len(f.Params); {
		case n > 0 && isFormat(f.Params[n-1]):
			fn.Format = true
		case slices.ContainsFunc(f.Params, isCode):
			fn.Launch = true
		default:
			return nil, fmt.Errorf("variadic: cgo cannot pass arguments of unknown types")
		}
	}
	for i, p := range f.Params {
		fn.Params = append(fn.Params, &Param{CName: p.Name, GoName: param(p.Name, i), C: p.Type, Pair: -1})
	}
	// What else a function takes that installs a callback is for the callback: it is used after the call.
	installs := false
	for i, p := range fn.Params {
		if c := function(p.C); c != nil && deferrable(c) == nil && !acts(f, f.Params[i], c) {
			installs = true
		}
	}
	b.arrays(fn)
	var callbacks []*Callback
	for i, p := range fn.Params {
		if p.Mode != "" {
			continue
		}
		if c := function(p.C); c != nil {
			if deferrable(c) != nil || acts(f, f.Params[i], c) {
				p.Go = b.goFunc(c)
				p.Mode, p.Type = InRaw, &GoType{Pointer, "", "unsafe.Pointer", "void *"}
				continue
			}
			cb, err := b.callback(fn, p, c)
			if err != nil {
				return nil, err
			}
			p.Mode, p.Callback = InTramp, cb
			callbacks = append(callbacks, cb)
			continue
		}
		if err := b.mode(fn, i); err != nil {
			return nil, err
		}
		addressed(fn, p)
		if isVoidPointer(p) && (installs || cookieName.MatchString(p.CName)) {
			p.Type = &GoType{DataK, ABI, "Data", "uint64_t"} // a cookie for the callback
		}
		if installs && (p.Mode == InBytes || p.Mode == OutChars) && !isConst(underlying(p.C).Elem) {
			return nil, fmt.Errorf("keeps the caller's buffer %s and fills it at any time: no Go memory may stay with C", p.CName)
		}
	}
	if f.Inline {
		if err := b.inline(fn); err != nil {
			return nil, err
		}
	}
	fn.Ring = drives(f.Name) && len(fn.Params) > 0 && fn.Params[0].Mode == InValue && fn.Params[0].Type.Kind == Handle
	b.uniqueNames(fn)
	return callbacks, nil
}

// isVoidPointer tells whether a parameter is a pointer of which C knows no more.
func isVoidPointer(p *Param) bool {
	return p.Mode == InValue && p.Type.Kind == Pointer && p.Type.Name == "unsafe.Pointer" && underlying(underlying(p.C).Elem).Kind == cparse.Void
}

// cookieName matches what the program's own data is called, which comes back with a callback: usr_ctx of
// doca_flow_pipe_add_entry. C does not look at it.
var cookieName = regexp.MustCompile(`^(usr|user)_(ctx|context|data|arg|cookie|ptr|priv)$|(^|_)(cookie|opaque)$`)

// drives recognises the functions that callbacks are expected in, so that they take the ring for the records:
// doca_pe_progress, doca_flow_entries_process, doca_ctx_stop, doca_comch_server_disconnect. Nothing depends on it but
// convenience: what runs during another function goes to the overflow.
func drives(name string) bool {
	if strings.Contains(name, "_set_") { // doca_flow_cfg_set_cb_entry_process
		return false
	}
	switch name[strings.LastIndex(name, "_")+1:] {
	case "progress", "process", "start", "stop", "destroy", "disconnect":
		return true
	}
	return false
}

// isFormat recognises the last fixed parameter of doca_log(level, source, ..., const char *format, ...).
func isFormat(p cparse.Param) bool {
	u := underlying(p.Type)
	return u.Kind == cparse.Pointer && isChar(u.Elem) && isConst(u.Elem) && (p.Name == "format" || p.Name == "fmt")
}

// isCode recognises code for a device, which is named by a function type without parameters: doca_dpa_func_t
// of doca_dpa_kernel_launch_update_set.
func isCode(p cparse.Param) bool {
	f := function(p.Type)
	return f != nil && len(f.Params) == 0
}

// result decides what becomes of the return value: doca_error_t is Go's error, const char * a string
// (doca_error_get_name), all else a result beside the error.
func (b *builder) result(fn *Func) error {
	t := fn.C.Ret
	u := underlying(t)
	switch {
	case u.Kind == cparse.Void:
		fn.Ret.Mode = RetVoid
		return nil
	case u.Kind == cparse.EnumT && u.Name == "doca_error":
		fn.Ret.Mode = RetStatus
		return nil
	case u.Kind == cparse.Pointer && isChar(u.Elem):
		fn.Ret.Mode = RetString
		return nil
	}
	g, err := b.resolve(t)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	fn.Ret = Ret{RetValue, g}
	if g.Kind == Record && u.Kind != cparse.Pointer {
		fn.Ret.Mode = RetRecord
		if err := b.byValue(t); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	return nil
}

// mode decides how parameter i, and the one that belongs to it, appear in Go.
func (b *builder) mode(fn *Func, i int) error {
	p := fn.Params[i]
	u := underlying(p.C)
	if u.Kind == cparse.Pointer || u.Kind == cparse.Array {
		return b.pointerMode(fn, i, u)
	}
	if u.Kind == cparse.Other {
		return fmt.Errorf("parameter %s is a %s", p.CName, u.Name)
	}
	g, err := b.resolve(p.C)
	if err != nil {
		return fmt.Errorf("parameter %s: %w", p.CName, err)
	}
	if g.Kind == Record {
		if err := b.byValue(p.C); err != nil {
			return fmt.Errorf("parameter %s: %w", p.CName, err)
		}
		p.Mode, p.Type = InRecord, g
		return nil
	}
	p.Mode, p.Type = InValue, g
	if i+1 < len(fn.Params) && isArgv(fn.Params[i+1].C) && isInteger(p.C) && (p.CName == "" || argCount.MatchString(p.CName)) {
		p.Mode, p.Pair = Implied, i+1
		fn.Params[i+1].Mode, fn.Params[i+1].Pair = InArgv, i
	}
	return nil
}

// byValue tells whether a record can be passed by value: C leaves out what lies behind a flexible array.
func (b *builder) byValue(t *cparse.Type) error {
	o := b.records[tagOf(t)]
	if f := b.flexible(o.decl); f != nil {
		return fmt.Errorf("%s by value, whose %s is a flexible array: C does not pass that", o.ctype, f.Name)
	}
	return nil
}

// flexible is the flexible array that a record ends in, its own or that of a record which it holds there, or nil. All
// members of a union are at its end.
func (b *builder) flexible(r *cparse.Record) *cparse.Field {
	for i, f := range r.Fields {
		if r.Kind != "union" && i < len(r.Fields)-1 {
			continue
		}
		u := underlying(f.Type)
		held := f.Anon
		if o := b.records[tagOf(f.Type)]; held == nil && o != nil {
			held = o.decl
		}
		switch {
		case u.Kind == cparse.Array && u.Len <= 0:
			return f
		case held != nil && (u.Kind == cparse.Struct || u.Kind == cparse.Union):
			if in := b.flexible(held); in != nil {
				return in
			}
		}
	}
	return nil
}

// argCount and isArgv recognise (int argc, char **argv) of doca_argp_start.
var argCount = regexp.MustCompile(`(?i)^(argc|n|nb|num|count)(_|$)|_(n|count|num|len)$`)

func isArgv(t *cparse.Type) bool {
	u := underlying(t)
	if u.Kind != cparse.Pointer {
		return false
	}
	e := underlying(u.Elem)
	return e.Kind == cparse.Pointer && isChar(e.Elem) && !isConst(e.Elem)
}

// uniqueNames keeps two parameters from getting one Go name, and one from hiding a package that
// the wrapper names.
func (b *builder) uniqueNames(fn *Func) {
	seen := map[string]bool{}
	imports := func(t *GoType) {
		if t != nil && t.Pkg != b.lib.Name {
			seen[t.Pkg] = true
		}
	}
	imports(fn.Ret.Type)
	for _, p := range fn.Params {
		imports(p.Type)
	}
	for i, p := range fn.Params {
		if seen[p.GoName] {
			p.GoName += "Value"
		}
		for seen[p.GoName] {
			p.GoName = fmt.Sprintf("%s%d", p.GoName, i)
		}
		seen[p.GoName] = true
	}
}
