package emit

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// derived is a Go name that the package of a library has beside those of the C declarations: that of a form.
type derived struct {
	name string
	of   *model.Func
	stem string // the Go name that it begins or ends with; another one gives another name
}

// Clashes finds names that the packages would have twice, because a C declaration has the name of a form, or two forms have the same.
// What it returns are the names that must not be given to a declaration for the packages to have each name once: by library,
// with what has the name instead. The model is then built again with them. A form keeps its name before a declaration, and of two forms
// the one that comes first in the package.
func Clashes(m *model.Model) (map[string]map[string]string, error) {
	e, err := newEmitter(m, Options{Declarations: true})
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]string{}
	for _, l := range m.Libraries {
		if l.Base {
			continue
		}
		e.lib = l
		found, err := e.clashes()
		if err != nil {
			return nil, fmt.Errorf("library %s: %w", l.Name, err)
		}
		if len(found) > 0 {
			all[l.Name] = found
		}
	}
	return all, nil
}

func (e *emitter) clashes() (map[string]string, error) {
	plain, forms, taken := e.declared(), map[string]derived{}, map[string]string{}
	for _, d := range e.derived() {
		first, twice := forms[d.name]
		switch {
		case twice && (first.stem == d.stem || !plain[d.stem]):
			x, y := first.of.C.Pos, d.of.C.Pos
			return nil, fmt.Errorf("%s:%d: %s has a form %s, and so has %s in %s:%d: the package can have one of them", y.File, y.Line, d.of.CName, d.name,
				first.of.CName, x.File, x.Line)
		case twice:
			taken[d.stem] = "nothing, for a form of " + first.of.CName + " has the name " + d.name
		default:
			forms[d.name] = d
			if plain[d.name] {
				taken[d.name] = "a form of " + d.of.CName
			}
		}
	}
	return taken, nil
}

// declared are the names of the current library's package that are not derived from others.
func (e *emitter) declared() map[string]bool {
	names := map[string]bool{}
	for _, x := range e.lib.Enums {
		names[x.GoName] = true
		for _, c := range x.Consts {
			names[c.GoName] = true
		}
	}
	for _, x := range e.lib.Objects {
		names[x.GoName] = true
	}
	for _, x := range e.lib.Structs {
		names[x.GoName] = true
	}
	for _, x := range e.lib.Typedefs {
		names[x.GoName] = true
	}
	for _, x := range e.lib.Constants {
		names[x.GoName] = true
	}
	for _, x := range e.lib.Funcs {
		names[x.GoName] = true
	}
	for _, x := range e.lib.Callbacks {
		names["Kind"+x.GoName] = true
	}
	for _, x := range e.lib.Capabilities {
		names[x.GoName] = true
	}
	return names
}

// derived are the names of the forms in the current library's package.
func (e *emitter) derived() (all []derived) {
	for _, fn := range e.lib.Funcs {
		add := func(stem string, names ...string) {
			for _, n := range names {
				all = append(all, derived{n, fn, stem})
			}
		}
		switch {
		case fn.CName == "doca_pe_progress" && fn.Header == "doca_pe.h":
			add("", "PEProgressBatch", "PEProgressStep")
		case fn.CName == "doca_buf_set_data" && fn.Header == "doca_buf.h":
			add("", "BufView", "BufViewsSetData")
		}
		for i, p := range goFuncs(fn) {
			if i == 0 {
				add(fn.GoName, fn.GoName+"Func")
			}
			add(fn.GoName, variable(fn, p))
		}
		if t := e.batchTask(fn); t != nil {
			form := e.form(t)
			add(fn.GoName, fn.GoName+strings.ToUpper(form[:1])+form[1:])
			add(t.GoName, t.GoName+"Item")
			switch form {
			case batched:
				add(t.GoName, t.GoName+"SubmitBatch")
			case queued:
				add(t.GoName, t.GoName+"SubmitQueued")
			case posted:
				add(t.GoName, t.GoName+"Result", t.GoName+"SubmitPosts")
			}
		}
		for _, c := range e.lib.Callbacks {
			if c.Func == fn.CName && hasMore(c) {
				add("Kind"+c.GoName, c.GoName+"More", "Get"+c.GoName+"More")
			}
		}
		for _, s := range e.lib.Capabilities {
			if s.Queries[0].Func == fn {
				add(s.GoName, "Get"+s.GoName)
			}
		}
	}
	for _, o := range e.onces("") {
		all = append(all, derived{o.set.GoName + "Once", o.alloc, o.set.GoName}, derived{o.submitGoName(), o.alloc, o.alloc.GoName})
	}
	return all
}
