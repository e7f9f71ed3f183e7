package cparse

import (
	"fmt"
	"slices"
)

// dropIncomplete makes problems of the functions that nobody can call, because
// a parameter or result is a struct that no header completes.
func (c *collector) dropIncomplete(h *Header) {
	h.Funcs = slices.DeleteFunc(h.Funcs, func(f *Func) bool {
		t := c.incomplete(f.Ret)
		for _, p := range f.Params {
			if t == nil {
				t = c.incomplete(p.Type)
			}
		}
		if t != nil {
			h.Problems = append(h.Problems, Problem{Pos: f.Pos, Text: fmt.Sprintf("%s: %s by value, which no header completes", f.Name, t)})
		}
		return t != nil
	})
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
