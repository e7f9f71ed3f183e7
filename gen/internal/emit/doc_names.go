package emit

import (
	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/doxygen"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// docNames knows what each C name is in Go.
type docNames struct {
	pkg     func(string) string // the import path of a package
	symbols map[string]docSymbol
	imports map[string]map[string]bool // of each library, the packages that its package imports
}

type docSymbol struct{ pkg, name string }

// newDocNames collects the names of all libraries, for comments refer to other packages too.
func newDocNames(m *model.Model, pkg func(string) string) *docNames {
	n := &docNames{pkg: pkg, symbols: map[string]docSymbol{}, imports: map[string]map[string]bool{}}
	for _, l := range m.Libraries {
		add := func(c, g string) {
			if g != "" {
				n.symbols[c] = docSymbol{l.Name, g}
			}
		}
		for _, o := range l.Objects {
			add(o.CName, o.GoName)
		}
		for _, s := range l.Structs {
			add(s.CName, s.GoName)
		}
		for _, t := range l.Typedefs {
			add(t.CName, t.GoName)
		}
		for _, c := range l.Constants {
			add(c.CName, c.GoName)
		}
		for _, e := range l.Enums {
			add(e.CName, e.GoName)
			for _, c := range e.Consts {
				add(c.CName, c.GoName)
				if e.CName == "doca_error" {
					n.symbols[c.CName] = docSymbol{"abi", c.GoName}
				}
			}
		}
		for _, f := range l.Funcs {
			add(f.CName, f.GoName)
		}
		n.imports[l.Name] = imported(l)
	}
	n.symbols["doca_error"] = docSymbol{"abi", "Error"}
	n.symbols["doca_data"] = docSymbol{"abi", "Data"}
	if m.API != nil {
		for _, h := range m.API.Headers {
			for _, t := range h.Typedefs {
				n.typedef(t)
			}
		}
	}
	return n
}

// typedef adds another name of an enum or a struct.
func (n *docNames) typedef(t *cparse.Typedef) {
	if _, known := n.symbols[t.Name]; known || t.Type == nil {
		return
	}
	if s, ok := n.symbols[t.Type.Name]; ok && t.Type.Name != "" && t.Type.Kind != cparse.Pointer {
		n.symbols[t.Name] = s
	}
}

// imported are the packages that the Go package of a library imports.
func imported(l *model.Library) map[string]bool {
	pkgs := map[string]bool{"abi": true, l.Name: true}
	add := func(t *model.GoType) {
		if t != nil && t.Pkg != "" {
			pkgs[t.Pkg] = true
		}
	}
	for _, f := range l.Funcs {
		add(f.Ret.Type)
		for _, p := range f.Params {
			if p.Mode != model.InTramp && p.Mode != model.Implied {
				add(p.Type)
			}
		}
	}
	for _, s := range l.Structs {
		for _, f := range s.Fields {
			add(f.Type)
		}
	}
	return pkgs
}

// scope is that of a declaration.
func (f *file) scope(cName string) *doxygen.Scope {
	return f.docNames().scope(f.lib.Name, cName)
}

// scope is where the comment of self stands, a C name of package lib.
func (n *docNames) scope(lib, self string) *doxygen.Scope {
	return &doxygen.Scope{Lookup: func(c string) (string, bool, bool) { return n.goName(lib, self, c) }}
}

// docNames are made once for a model.
func (e *emitter) docNames() *docNames {
	if e.names == nil {
		e.names = newDocNames(e.m, e.pkg)
	}
	return e.names
}

// goName is a C name in Go, as it is written in the comment of self in package lib.
func (n *docNames) goName(lib, self, c string) (name string, link, ok bool) {
	sym, ok := n.symbols[c]
	switch {
	case !ok:
		return "", false, false
	case sym.pkg == lib:
		return sym.name, c != self, true
	case n.imports[lib][sym.pkg]:
		return sym.pkg + "." + sym.name, true, true
	}
	return n.pkg(sym.pkg) + "." + sym.name, true, true
}
