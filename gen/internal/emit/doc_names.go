package emit

import (
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// docNames knows what each C name is in Go.
type docNames struct {
	pkg     func(string) string // the import path of a package
	symbols map[string]docSymbol
	imports map[string]map[string]bool // of each library, the packages that its package imports
}

type docSymbol struct{ pkg, name string }

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

// docScope is where a text stands: what its words mean there.
type docScope struct {
	*docNames
	lib     string
	self    string            // the C name of what is documented
	params  map[string]string // the Go form of the parameters of a function
	never   map[string]bool   // the parameters that cannot be nil in Go, by their C names
	success string            // what DOCA_SUCCESS is
	bare    bool              // where links are not seen
	since   string            // the release that brought it, as far as ledgers know
}

// scope is that of a declaration.
func (f *file) scope(cName string) *docScope {
	return &docScope{docNames: f.docNames(), lib: f.lib.Name, self: cName}
}

// docNames are made once for a model.
func (e *emitter) docNames() *docNames {
	if e.names == nil {
		e.names = newDocNames(e.m, e.pkg)
	}
	return e.names
}

// goName is a C name in Go, as it is written where the text stands.
func (s *docScope) goName(c string) (name string, link, ok bool) {
	if c == "DOCA_SUCCESS" && s.success != "" {
		return s.success, false, true
	}
	sym, ok := s.symbols[c]
	switch {
	case !ok:
		return "", false, false
	case sym.pkg == s.lib:
		return sym.name, c != s.self && !s.bare, true
	case s.imports[s.lib][sym.pkg]:
		return sym.pkg + "." + sym.name, !s.bare, true
	}
	return s.pkg(sym.pkg) + "." + sym.name, !s.bare, true
}

// plainTypes are C's types and values that Go has under other names.
var plainTypes = map[string]string{
	"NULL": "nil", "nullptr": "nil", "TRUE": "true", "FALSE": "false", "size_t": "uint64",
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64", "uintptr_t": "uintptr",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64",
}

// word is a C identifier in Go. Marked tells that the author marked it as a piece of code, so
// that it is no word of English; called that parentheses follow it.
func (s *docScope) word(c string, marked, called bool) (name string, link bool) {
	if g, ok := s.params[c]; ok && (marked || strings.Contains(c, "_")) {
		return g, false
	}
	if g, link, ok := s.goName(c); ok {
		return g, link
	}
	if g, ok := plainTypes[c]; ok {
		return g, false
	}
	if called {
		c += "()"
	}
	return c, false
}
