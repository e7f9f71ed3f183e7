package cparse

import (
	"fmt"
	"slices"
)

// giveUpIncomplete makes opaque the records with a member of a type that no
// header completes: their layout is unknown.
func (c *collector) giveUpIncomplete(h *Header) {
	for _, r := range h.Records {
		f, t := c.incompleteField(r)
		if t == nil {
			continue
		}
		h.Problems = append(h.Problems, Problem{Pos: r.Pos, Text: c.foreign.blame(fmt.Sprintf("%s %s: member %s is a %s, which no header completes",
			r.Kind, r.Name, f.Name, c.call(t)))})
		r.Complete, r.Fields, r.Attrs, r.Pack = false, nil, nil, 0
		delete(c.complete, r.Name)
	}
	h.Records = slices.DeleteFunc(h.Records, func(r *Record) bool { return r.Name == "" && !r.Complete })
}

// incompleteField is the first member of an incomplete type, with that type.
func (c *collector) incompleteField(r *Record) (*Field, *Type) {
	for _, f := range r.Fields {
		t := f.Type
		for t.Kind == Array || t.Kind == Named && t.Elem.Kind == Array {
			t = t.Elem
		}
		if bad := c.incomplete(t); bad != nil {
			return f, bad
		}
		if f.Anon != nil {
			if f, bad := c.incompleteField(f.Anon); bad != nil {
				return f, bad
			}
		}
	}
	return nil, nil
}

// call is a type as the header calls it.
func (c *collector) call(t *Type) string {
	if slices.Contains(c.foreign.types, t.Name) {
		return t.Name
	}
	return t.String()
}

// dropIncomplete makes problems of the functions and function types that
// nobody can call, because a parameter or result is a struct that no header
// completes.
func (c *collector) dropIncomplete(h *Header) {
	problem := func(pos Pos, name string, t *Type) {
		h.Problems = append(h.Problems, Problem{Pos: pos, Text: c.foreign.blame(fmt.Sprintf("%s: %s by value, which no header completes", name, c.call(t)))})
	}
	h.Typedefs = slices.DeleteFunc(h.Typedefs, func(d *Typedef) bool {
		t := c.uncallable(d.Type)
		if t != nil {
			problem(d.Pos, d.Name, t)
		}
		return t != nil
	})
	h.Funcs = slices.DeleteFunc(h.Funcs, func(f *Func) bool {
		t := c.uncallable(&Type{Kind: FuncT, Elem: f.Ret, Params: f.Params})
		if t != nil {
			problem(f.Pos, f.Name, t)
		}
		return t != nil
	})
}

// uncallable is the incomplete type that a function, or function pointer, has
// by value; or one of the function pointers that it has in turn.
func (c *collector) uncallable(t *Type) *Type {
	for t.Kind == Named || t.Kind == Pointer || t.Kind == Array {
		t = t.Elem
	}
	if t.Kind != FuncT {
		return nil
	}
	for _, p := range append([]Param{{Type: t.Elem}}, t.Params...) {
		if bad := c.incomplete(p.Type); bad != nil {
			return bad
		}
		if bad := c.uncallable(p.Type); bad != nil {
			return bad
		}
	}
	return nil
}

// incomplete is the struct or union that a type is, where none of the headers
// read completes it.
func (c *collector) incomplete(t *Type) *Type {
	for t.Kind == Named {
		t = t.Elem
	}
	if (t.Kind == Struct || t.Kind == Union) && t.Name != "" && !c.complete[t.Name] {
		return t
	}
	return nil
}
