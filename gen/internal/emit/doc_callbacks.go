package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/doxygen"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// kindDoc is the comment of the constant for a callback: when it is called, and what its
// records hold.
func (f *file) kindDoc(cb *model.Callback) string {
	s := f.scope("")
	s.Params = argNames(cb)
	c := doxygen.NewComment(s, f.typedefDoc(cb.Type), doxygen.GroupWidth)
	first := "Kind" + cb.GoName + " is the callback " + cb.Param + " of " + s.Link(cb.Func)
	called := f.installDoc(cb)
	if called != "" && strings.TrimSuffix(called, ".") != "the callback" {
		first += ": " + called
	}
	c.Para(first)
	brief := c.Brief()
	if same := f.sameType(cb); same != "" {
		c.Para("See [Kind" + same + "]")
	} else {
		c.Para(notTwice(called, brief))
		c.Body()
	}
	c.Items("Its records ([abi.Record]) hold:", f.recordItems(cb, s, c))
	c.End(doxygen.Promise{})
	return c.String()
}

// argNames are the arguments of a callback in words: a record has them under other names.
func argNames(cb *model.Callback) map[string]string {
	names := map[string]string{"user_data": "user data"}
	if cb.Function != nil {
		for _, p := range cb.Function.Params {
			names[p.Name] = strings.ReplaceAll(p.Name, "_", " ")
		}
	}
	return names
}

// notTwice is what the comment of a callback type says first, without when it is called if that was said of this callback: the
// comment of the type is for success and failure.
func notTwice(called, brief string) string {
	const word = "called "
	if !strings.HasPrefix(strings.ToLower(called), word) || !strings.HasPrefix(strings.ToLower(brief), word) {
		return brief
	}
	_, rest, _ := strings.Cut(brief, ". ")
	return rest
}

// sameType is the first callback with the C type of cb, whose comment says what is common to
// them, unless that is cb.
func (f *file) sameType(cb *model.Callback) string {
	for _, other := range f.lib.Callbacks {
		if other.Type == cb.Type && cb.Type != "" {
			if other == cb {
				return ""
			}
			return other.GoName
		}
	}
	return ""
}

// typedefDoc is the comment of a C callback type.
func (e *emitter) typedefDoc(name string) string {
	if e.m.API == nil || name == "" {
		return ""
	}
	for _, h := range e.m.API.Headers {
		for _, t := range h.Typedefs {
			if t.Name == name {
				return t.Doc
			}
		}
	}
	return ""
}

// installDoc is what the function that installs a callback says of it.
func (f *file) installDoc(cb *model.Callback) string {
	for _, fn := range f.lib.Funcs {
		if fn.CName != cb.Func {
			continue
		}
		var names []string
		for _, p := range fn.Params {
			names = append(names, p.CName)
		}
		docs, _ := doxygen.NewComment(f.funcScope(fn), fn.Doc, 0).Params(names)
		return docs[cb.Param].Text(doxygen.Form{})
	}
	return ""
}

// recordItems say what a record has of the arguments of its callback.
func (f *file) recordItems(cb *model.Callback, s *doxygen.Scope, c *doxygen.Comment) []string {
	params := make([]cparse.Param, len(cb.Args))
	if cb.Function != nil {
		copy(params, cb.Function.Params)
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	docs, _ := c.Params(names)
	var items []string
	for i, a := range cb.Args {
		text := strings.TrimSuffix(docs[names[i]].Text(doxygen.Form{NeverNil: true}), ".")
		var place, typ string
		switch a.Slot {
		case model.SlotNone:
			continue
		case model.SlotPayload:
			place = "[abi.Ring.Payload]"
			text, _, _ = strings.Cut(text, ";") // what follows is about C's memory
		case model.SlotMore:
			place = a.GoName + " of [Get" + cb.GoName + "More]"
		case model.SlotArg:
			place, typ = fmt.Sprintf("Args[%d]", a.Index), goTypeOf(s, params[i].Type, a.CType)
		case model.SlotObject, model.SlotPeer:
			place, typ = string(a.Slot), goTypeOf(s, params[i].Type, a.CType)
		default:
			place = string(a.Slot)
		}
		if typ != "" {
			place += ", " + indefinite(typ)
		}
		if text == "" {
			text = strings.ReplaceAll(names[i], "_", " ")
		}
		if text != "" {
			place += ": " + text
		}
		items = append(items, place)
	}
	if cb.Ctx != nil {
		items = append(items, "Ctx: the user data of the context")
	}
	if cb.Ctx == nil && !slices.ContainsFunc(cb.Args, func(a model.CallbackArg) bool { return a.Slot == model.SlotCtx }) {
		items = append(items, "Ctx: [abi.NoContext]")
	}
	if cb.Failed && cb.AsTask != "" {
		items = append(items, "Status: why the task failed")
	}
	return items
}

// goTypeOf is a C type in Go, for a reader: the handle, or the number.
func goTypeOf(s *doxygen.Scope, t *cparse.Type, spelled string) string {
	pointers := 0
	for t != nil {
		if t.Name != "" {
			if g, link, ok := s.Lookup(t.Name); ok {
				g = strings.Repeat("*", pointers) + g
				if link && pointers < 2 {
					g = "[" + g + "]"
				}
				return g
			}
			if g, ok := doxygen.GoWord(t.Name); ok {
				return strings.Repeat("*", pointers) + g
			}
		}
		if t.Kind == cparse.Pointer {
			pointers++
		}
		t = t.Elem
	}
	if pointers > 0 || strings.Contains(spelled, "*") {
		return "unsafe.Pointer"
	}
	if g, ok := doxygen.GoWord(strings.Fields(spelled)[0]); ok {
		return g
	}
	return ""
}

// indefinite puts the article in front of a type.
func indefinite(typ string) string {
	name := strings.TrimLeft(typ, "[*")
	if i := strings.LastIndex(name, "."); i >= 0 {
		name = name[i+1:]
	}
	if !strings.HasPrefix(typ, "unsafe") && !strings.ContainsAny(name[:1], "AEIaeio") {
		return "a " + typ
	}
	return "an " + typ
}
