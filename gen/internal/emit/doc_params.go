package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/doxygen"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// funcScope is the scope of a function: its parameters have their Go names.
func (f *file) funcScope(fn *model.Func) *doxygen.Scope {
	s := f.scope(fn.CName)
	names := s.Lookup
	s.Lookup = func(c string) (string, bool, bool) {
		if c == "DOCA_SUCCESS" {
			return "nil", false, true
		}
		return names(c)
	}
	s.Params, s.NeverNil = map[string]string{}, map[string]bool{}
	for _, p := range fn.Params {
		s.NeverNil[p.CName] = neverNil(fn, p)
		if p.CName != "" && p.Mode != model.InTramp {
			s.Params[p.CName] = paramName(fn, p)
		}
	}
	return s
}

// neverNil tells whether a parameter is a result or a string in Go, or the length of one.
func neverNil(fn *model.Func, p *model.Param) bool {
	switch p.Mode {
	case model.InString, model.InFormat, model.InData:
		return true
	case model.Implied:
		return fn.Params[p.Pair].Mode.IsOut()
	}
	return p.Mode.IsOut()
}

// paramName is what a parameter is called in the Go form: the length of a slice is len(slice).
func paramName(fn *model.Func, p *model.Param) string {
	if p.Mode == model.Implied {
		return "len(" + paramName(fn, fn.Params[p.Pair]) + ")"
	}
	return p.ArgName()
}

// paramItems are the items of the lists of parameters, results and callbacks.
func paramItems(fn *model.Func, c *doxygen.Comment) (in, out, callbacks []string) {
	var names []string
	for _, p := range fn.Params {
		names = append(names, p.CName)
	}
	docs, rest := c.Params(names)
	if fn.Ring {
		in = append(in, "ring: receives the records of callbacks that run during the call; nil leaves them to Collect")
	}
	for _, p := range fn.Params {
		name, text := paramName(fn, p), docs[p.CName].Text(goForm(p))
		switch {
		case p.Callback != nil:
			it := "[Kind" + p.Callback.GoName + "]"
			if text != "" {
				it += ": " + text
			}
			callbacks = append(callbacks, it)
		case text == "":
		case p.Mode == model.Implied && fn.Params[p.Pair].Mode.IsOut(): // its length is not the caller's
		case p.Mode.IsOut():
			out = append(out, name+": "+text)
		case p.Mode == model.InRaw && p.C != nil && p.C.Name != "":
			in = append(in, name+": "+strings.TrimSuffix(text, ".")+"; a C function of type "+p.C.Name)
		default:
			in = append(in, name+": "+text)
		}
	}
	if fn.Launch {
		in = append(in, launchItem(rest))
		rest = slices.DeleteFunc(rest, isRest)
	}
	for _, d := range rest {
		if t := d.Text(doxygen.Form{}); t != "" {
			in = append(in, d.Name+": "+t)
		}
	}
	return in, out, callbacks
}

// goForm is what Go makes of a parameter, as far as a text about it has to know.
func goForm(p *model.Param) doxygen.Form {
	form := doxygen.Form{NeverNil: p.Mode.IsOut(), Result: p.Mode.IsOut(), Flag: p.Type != nil && p.Type.Name == "bool"}
	switch p.Mode {
	case model.InString, model.InFormat, model.InData, model.InList, model.InSlice, model.InC:
		form.NeverNil, form.String = true, true
	}
	return form
}

// isRest tells whether a text is about the arguments of a variadic function.
func isRest(d *doxygen.Param) bool { return d.Name == "..." }

// launchItem is about the arguments that a launch passes on.
func launchItem(docs []*doxygen.Param) string {
	text := "the arguments of the code that is started"
	if i := slices.IndexFunc(docs, isRest); i >= 0 {
		text = strings.TrimSuffix(docs[i].Text(doxygen.Form{}), ".")
	}
	return fmt.Sprintf("args: %s; at most %d. [abi.ArgOf] makes one of an integer or a handle", text, launchArgs)
}
