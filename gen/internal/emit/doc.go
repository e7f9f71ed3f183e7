package emit

import (
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/doxygen"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// funcDoc is the comment of a wrapper.
func (f *file) funcDoc(fn *model.Func) string {
	if f.opt.Declarations {
		return fn.GoName
	}
	c := doxygen.NewComment(f.funcScope(fn), fn.Doc, doxygen.LineWidth)
	c.Calls(fn.GoName, fn.CName)
	c.Body()
	in, out, callbacks := paramItems(fn, c)
	var errors, status []string
	switch {
	case fn.Ret.Mode == model.RetStatus:
		errors, status = c.Status()
	case c.HasResult():
		switch t := c.Result(); {
		case fn.Ret.Mode == model.RetVoid:
			c.Para(c.Aside())
		case t != "":
			out = append(out, fn.ResultName()+": "+doxygen.LowerFirst(t))
		}
	}
	c.Items("Parameters:", in)
	c.Items("Results:", out)
	c.Items("It installs callbacks that leave these records:", callbacks)
	for _, t := range []string{addressDoc(fn), pointersDoc(fn)} {
		if t != "" {
			c.Para(t)
		}
	}
	for _, t := range status {
		c.Para(t)
	}
	c.Items("Errors:", errors)
	if span := f.spans[fn.CName]; span.Before != "" {
		c.Para("DOCA " + span.Before + " lacks the C function: there, the error is an [*abi.SymbolError]")
	}
	if span := f.spans[fn.CName]; span.From != "" {
		c.Para("Before DOCA " + span.From + " the C function had a different signature: it is not called there, and the error is an [*abi.SymbolError]")
	}
	if span := f.spans[fn.CName]; span.Until != "" {
		c.Para("As of DOCA " + span.Until + " the C function has a different signature: it is not called there, and the error is an [*abi.SymbolError]")
	}
	c.End(promise(fn.Stability, f.spans[fn.CName].Since))
	c.Prototype(fn.Prototype())
	return c.String()
}

// addressDoc says why a pointer of C's is a number in Go.
func addressDoc(fn *model.Func) string {
	var in, out []string
	for _, p := range fn.Params {
		switch {
		case !p.IsAddress():
		case p.Mode.IsOut():
			out = append(out, p.GoName)
		default:
			in = append(in, p.GoName)
		}
	}
	number := func(names []string) string {
		if len(names) == 1 {
			return names[0] + " is a number, not a pointer"
		}
		return strings.Join(names, " and ") + " are numbers, not pointers"
	}
	const why = ", because addresses in imported memory are those of another process"
	switch {
	case in != nil:
		return number(in) + why + ". Go memory must stay pinned for as long as DOCA may use it."
	case out != nil:
		return number(out) + why + "."
	}
	return ""
}

// pointersDoc says whose the memory behind a pointer to pointers is.
func pointersDoc(fn *model.Func) string {
	var names []string
	for _, p := range fn.Params {
		if p.PointsToPointers() {
			names = append(names, p.GoName)
		}
	}
	if names == nil {
		return ""
	}
	points := " points"
	if len(names) > 1 {
		points = " point"
	}
	return strings.Join(names, " and ") + points + ` to pointers. All of it must be in C memory, such as [abi.Alloc] returns, and no pointer may
		lead to Go memory. The caller keeps the memory for as long as DOCA may use it, and frees it; who owns what DOCA has stored there
		is said above.`
}

// promise is what DOCA promises of a declaration that it has since a release.
func promise(st cparse.Stability, since string) doxygen.Promise {
	return doxygen.Promise{Experimental: st == cparse.Experimental, Deprecated: st == cparse.Deprecated, Inline: st == cparse.Inline, Since: since}
}

// typeDoc is the comment of a type that is is in C. What more there is to say of it is more.
func (f *file) typeDoc(d model.Decl, is string, more ...string) string {
	c := doxygen.NewComment(f.scope(d.CName), d.Doc, doxygen.LineWidth)
	said := c.Is(d.GoName, is)
	c.Body()
	c.Members()
	if !said {
		more = slices.Insert(more, 0, "It is "+is+" in C.")
	}
	c.Para(strings.Join(more, " "))
	c.End(promise(d.Stability, ""))
	return c.String()
}

// constDoc is the comment of a constant, or an enumerator.
func (f *file) constDoc(goName, cName, raw string) string {
	return constDoc(f.scope(cName), goName, cName, raw)
}

func constDoc(s *doxygen.Scope, goName, cName, raw string) string {
	c := doxygen.NewComment(s, raw, doxygen.GroupWidth)
	text := c.BriefOf(cName)
	if text != "" {
		text = ": " + doxygen.LowerFirst(text)
	}
	c.Para(goName + " is " + cName + text)
	return rest(c)
}

// memberDoc is the comment of a method for a member of a struct, which text says.
func (f *file) memberDoc(struc, text, raw string) string {
	c := doxygen.NewComment(f.scope(struc), raw, doxygen.LineWidth)
	c.Para(text)
	c.Para(doxygen.UpperFirst(c.Brief()))
	return rest(c)
}

// fieldDoc is the comment of a member of a struct.
func (f *file) fieldDoc(struc, raw string) string {
	c := doxygen.NewComment(f.scope(struc), raw, doxygen.GroupWidth)
	c.Para(doxygen.UpperFirst(c.Brief()))
	return rest(c)
}

// rest ends the comment of something that DOCA promises nothing of by itself.
func rest(c *doxygen.Comment) string {
	c.Body()
	c.Members()
	c.End(doxygen.Promise{})
	return c.String()
}
