package model

import (
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// opened finds the records whose members the body of an inline function may use: those that it is given and those that
// these lead to, as far as they have a member of a name that the body uses. The shim must know them whole.
type opened struct {
	b       *builder
	members map[string]bool
	seen    map[*cparse.Record]bool
	types   []string // how C names them
	err     error
}

func (b *builder) opened(fn *Func, tokens []string) *opened {
	o := &opened{b: b, members: map[string]bool{}, seen: map[*cparse.Record]bool{}}
	for i, t := range tokens {
		if i > 0 && (tokens[i-1] == "." || tokens[i-1] == "->") {
			o.members[t] = true
		}
	}
	o.by(fn.C)
	for _, c := range fn.Calls {
		o.by(b.funcs[c])
	}
	for i, t := range tokens {
		if i > 0 && (tokens[i-1] == "struct" || tokens[i-1] == "union") {
			o.record(b.records[t])
		}
	}
	return o
}

func (o *opened) by(f *cparse.Func) {
	o.to(f.Ret)
	for _, p := range f.Params {
		o.to(p.Type)
	}
}

// to follows a type to the record that it ends in.
func (o *opened) to(t *cparse.Type) {
	for u := underlying(t); ; u = underlying(t) {
		switch u.Kind {
		case cparse.Pointer, cparse.Array, cparse.FuncT:
			t = u.Elem
			continue
		case cparse.Struct, cparse.Union:
			o.record(o.b.records[tagOf(t)])
		}
		return
	}
}

func (o *opened) record(r *recordInfo) {
	if r == nil || !r.complete || o.seen[r.decl] {
		return
	}
	o.seen[r.decl] = true
	if !o.fields(r.decl) {
		return
	}
	if r.reason != "" && o.err == nil {
		o.err = fmt.Errorf("static inline that uses members of %s, which is not bound", r.ctype)
	}
	if !slices.Contains(o.types, r.ctype) {
		o.types = append(o.types, r.ctype)
	}
}

// fields goes on with the members of a record, and tells whether one has a name that the body uses.
func (o *opened) fields(r *cparse.Record) (used bool) {
	for _, f := range r.Fields {
		used = used || o.members[f.Name]
		if f.Anon != nil {
			used = o.fields(f.Anon) || used
		} else {
			o.to(f.Type)
		}
	}
	return used
}
