package model

import (
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// places are the libraries that declare a name, in their order.
type places struct {
	libs     []int
	complete []int // of libs, those that have its members
}

// owners decides which library each type belongs to; the others share it. A type that
// common declares is common's, for all others import that; one with members belongs to a
// library that has them; else a library whose name begins the type's goes before others.
type owners struct {
	specs []Spec
	names map[string]*places // "struct x", "enum x", "typedef x"
	owner map[string]int
	// uses are the names that the declarations of each library refer to.
	uses []map[string]bool
}

func findOwners(specs []Spec, found [][]*cparse.Header) *owners {
	o := &owners{specs: specs, names: map[string]*places{}, owner: map[string]int{}}
	for i, hs := range found {
		uses := map[string]bool{}
		for _, h := range hs {
			o.collect(i, h, newBase(specs[i]), uses)
		}
		o.uses = append(o.uses, uses)
	}
	for name, p := range o.names {
		o.owner[name] = o.choose(name, p)
	}
	o.breakCycles()
	return o
}

func (o *owners) declare(name string, lib int, complete bool) {
	p := o.names[name]
	if p == nil {
		p = &places{}
		o.names[name] = p
	}
	if !slices.Contains(p.libs, lib) {
		p.libs = append(p.libs, lib)
	}
	if complete && !slices.Contains(p.complete, lib) {
		p.complete = append(p.complete, lib)
	}
}

func recordKey(tag string) string { return "struct " + tag }

func (o *owners) collect(lib int, h *cparse.Header, have base, uses map[string]bool) {
	for _, e := range h.Enums {
		if have.has(ledger.Enum, enumName(e)) {
			o.declare("enum "+enumName(e), lib, true)
		}
	}
	for _, r := range h.Records {
		if have.hasRecord(r) {
			o.declare(recordKey(r.Name), lib, r.Complete)
		}
		for _, f := range r.Fields {
			refer(f, uses)
		}
	}
	for _, t := range h.Typedefs {
		if have.has(ledger.Typedef, t.Name) {
			o.declare("typedef "+t.Name, lib, true)
		}
		references(t.Type, uses)
	}
	for _, f := range h.Funcs {
		references(f.Ret, uses)
		for _, p := range f.Params {
			references(p.Type, uses)
		}
	}
}

func refer(f *cparse.Field, uses map[string]bool) {
	references(f.Type, uses)
	if f.Anon != nil {
		for _, g := range f.Anon.Fields {
			refer(g, uses)
		}
	}
}

// references notes the names in a type.
func references(t *cparse.Type, uses map[string]bool) {
	if t == nil {
		return
	}
	switch t.Kind {
	case cparse.Struct, cparse.Union:
		uses[recordKey(t.Name)] = true
	case cparse.EnumT:
		uses["enum "+t.Name] = true
	case cparse.Named:
		uses["typedef "+t.Name] = true
		if t.Elem != nil && t.Elem.Kind == cparse.EnumT && t.Elem.Name == "" {
			uses["enum "+t.Name] = true
		}
	}
	references(t.Elem, uses)
	for _, p := range t.Params {
		references(p.Type, uses)
	}
}

func (o *owners) choose(name string, p *places) int {
	libs := p.libs
	if len(p.complete) > 0 {
		libs = p.complete
	}
	if o.specs[libs[0]].Prefix == "" {
		return libs[0]
	}
	_, tag, _ := strings.Cut(name, " ")
	best := libs[0]
	for _, l := range libs {
		if begins(strings.TrimPrefix(tag, "doca_"), o.specs[l].Prefix) && (l == best || !o.named(tag, best) || len(o.specs[l].Prefix) > len(o.specs[best].Prefix)) {
			best = l
		}
	}
	return best
}

func (o *owners) named(tag string, lib int) bool {
	return begins(strings.TrimPrefix(tag, "doca_"), o.specs[lib].Prefix)
}

// imports tells which libraries the package of each one imports.
func (o *owners) imports() [][]bool {
	out := make([][]bool, len(o.specs))
	for i, uses := range o.uses {
		out[i] = make([]bool, len(o.specs))
		for name := range uses {
			if owner, ok := o.owner[name]; ok && owner != i {
				out[i][owner] = true
			}
		}
	}
	return out
}

// breakCycles keeps packages from importing each other. In a circle of libraries, a type
// without members goes to the first library that declares it, for then only later ones refer to
// earlier ones.
func (o *owners) breakCycles() {
	reach := closure(o.imports())
	for name, p := range o.names {
		own := o.owner[name]
		if own != p.libs[0] && len(p.complete) == 0 && reach[own][own] {
			o.owner[name] = p.libs[0]
		}
	}
}

func closure(g [][]bool) [][]bool {
	for k := range g {
		for i := range g {
			for j := range g {
				g[i][j] = g[i][j] || g[i][k] && g[k][j]
			}
		}
	}
	return g
}

// hidden are the types that a library may not name, for its package would import one that
// imports it: what is left when types with members are in the circle.
func (o *owners) hidden() []map[string]bool {
	reach := closure(o.imports())
	out := make([]map[string]bool, len(o.specs))
	for i, uses := range o.uses {
		out[i] = map[string]bool{}
		for name := range uses {
			if own, ok := o.owner[name]; ok && own > i && reach[own][i] {
				out[i][name] = true
			}
		}
	}
	return out
}
