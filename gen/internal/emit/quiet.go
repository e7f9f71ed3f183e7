package emit

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// quiet tells whether a call can be promised to run no code of the program's: noescape and nocallback. Trampolines never
// enter Go, so what counts is whether C may call a function that the program has given it:
//
//   - during this call, because it takes one;
//   - later, during any call that gets, and not just to read, an object which the function was given for or which shares a call
//     with such an object; during any call of the library, if it was given for no object;
//   - during the functions of DOCA core that get the contexts and tasks of all libraries, or what these are connected with.
func (e *emitter) quiet(fn *model.Func) bool {
	switch {
	case fn.Ring || fn.Format || strings.HasPrefix(fn.CName, "doca_log") || takesCode(fn):
		return false
	case onlyReads(fn):
		return true
	}
	all, objects := e.foreign()
	return !all && !slices.ContainsFunc(changed(fn), func(tag string) bool { return objects[tag] })
}

// promise notes a shim that submits tasks as quiet, unless the library is given code of the program's.
func (f *file) promise(shim string) {
	if all, objects := f.foreign(); !all && len(objects) == 0 {
		f.direct = append(f.direct, shim)
	}
}

// takesCode tells whether a function takes a C function pointer, which may be code of the program's.
func takesCode(fn *model.Func) bool {
	for _, p := range fn.Params {
		if p.Mode == model.InRaw || p.Mode == model.InGo {
			return true
		}
	}
	return false
}

// foreign are the objects of the current library during whose calls code of the program's may run; all of them if it is given
// for no object.
func (e *emitter) foreign() (all bool, objects map[string]bool) {
	if objects, ok := e.code[e.lib]; ok {
		return objects[""], objects
	}
	objects = e.general()
	for _, fn := range e.lib.Funcs {
		for _, p := range fn.Params {
			if p.Mode == model.InRaw && !ofDevice(p.C) {
				tags := changed(fn)
				if len(tags) == 0 {
					objects[""] = true
				}
				for _, tag := range tags {
					objects[tag] = true
				}
			}
		}
	}
	for _, s := range e.lib.Structs {
		if s.C != nil && slices.ContainsFunc(s.C.Fields, func(f *cparse.Field) bool { return isFunction(f.Type) }) {
			objects[""] = true
		}
	}
	given := maps.Clone(objects)
	for _, fn := range e.lib.Funcs { // what shares a call with them
		if tags := changed(fn); slices.ContainsFunc(tags, func(tag string) bool { return given[tag] }) {
			for _, tag := range tags {
				objects[tag] = true
			}
		}
	}
	if e.code == nil {
		e.code = map[*model.Library]map[string]bool{}
	}
	e.code[e.lib] = objects
	return objects[""], objects
}

// general are the structs of the current library that stand for those of all libraries: what their functions x_as_ctx and
// x_as_task return.
func (e *emitter) general() map[string]bool {
	out, own := map[string]bool{}, map[string]bool{}
	for _, o := range e.lib.Objects {
		own[o.CName] = true
	}
	for _, l := range e.m.Libraries {
		for _, fn := range l.Funcs {
			if as := tagOf(fn.C.Ret); l != e.lib && own[as] && strings.HasSuffix(fn.CName, "_as_"+strings.TrimPrefix(as, "doca_")) {
				out[as] = true
			}
		}
	}
	return out
}

// changed are the tags of the structs that a function gets and may change, or makes.
func changed(fn *model.Func) (tags []string) {
	for _, p := range fn.Params {
		if p.C == nil {
			continue
		}
		if t := bare(p.C); t.Kind == cparse.Pointer {
			switch tag := tagOf(p.C); {
			case tag != "" && !isConstType(t.Elem):
				tags = append(tags, tag)
			case tag == "" && tagOf(t.Elem) != "":
				tags = append(tags, tagOf(t.Elem))
			}
		}
	}
	return tags
}

// ofDevice recognises code of a device, which does not run here: a pointer to doca_dpa_func_t, a typedef of a function
// without parameters. Callback types are typedefs of pointers.
func ofDevice(t *cparse.Type) bool {
	f := bare(t)
	return t.Kind == cparse.Pointer && f.Elem.Kind == cparse.Named && bare(f.Elem).Kind == cparse.FuncT && len(bare(f.Elem).Params) == 0
}

// onlyReads tells whether a function has objects as const alone: it changes nothing, so it has nothing to call back about.
func onlyReads(fn *model.Func) bool {
	reads := false
	for _, p := range fn.Params {
		if p.C == nil || p.Mode != model.InValue && p.Mode != model.InStruct {
			continue
		}
		t := bare(p.C)
		if t.Kind != cparse.Pointer {
			continue
		}
		if e := bare(t.Elem); !isConstType(t.Elem) || e.Kind != cparse.Struct && e.Kind != cparse.Union {
			return false
		}
		reads = true
	}
	return reads
}

// tagOf is the tag of the struct that a pointer type points to, or empty.
func tagOf(t *cparse.Type) string {
	if b := bare(t); b.Kind == cparse.Pointer {
		if e := bare(b.Elem); e.Kind == cparse.Struct {
			return e.Name
		}
	}
	return ""
}

// bare is a type without its typedefs.
func bare(t *cparse.Type) *cparse.Type {
	for t.Kind == cparse.Named && t.Elem != nil {
		t = t.Elem
	}
	return t
}

func isConstType(t *cparse.Type) bool {
	for ; t != nil; t = t.Elem {
		if t.Const {
			return true
		}
		if t.Kind != cparse.Named {
			return false
		}
	}
	return false
}

// isFunction tells whether a type is a pointer to a function.
func isFunction(t *cparse.Type) bool {
	b := bare(t)
	return b.Kind == cparse.Pointer && bare(b.Elem).Kind == cparse.FuncT
}
