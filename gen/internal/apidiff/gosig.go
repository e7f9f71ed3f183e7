package apidiff

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// goName is the name that a Go declaration of a ledger declares: Create of "func Create(...".
func goName(decl string) string {
	_, rest, _ := strings.Cut(decl, " ")
	if i := strings.IndexAny(rest, " (="); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// qualified is the Go name with its package, or empty.
func qualified(s *ledger.Symbol) string {
	if s == nil || s.Go == "" {
		return ""
	}
	return s.Library + "." + goName(s.Go)
}

// goTypes is a Go declaration without the names of parameters, which callers do not write. A
// declaration of OLD has the types' names of NEW.
func (c *comparison) goTypes(s *ledger.Symbol, old bool) string {
	if !strings.HasPrefix(s.Go, "func ") {
		return strings.TrimSpace(strings.TrimPrefix(s.Go, firstWords(s.Go)))
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+s.Go, parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return s.Go
	}
	fn, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok {
		return s.Go
	}
	c.qualifyTypes(fn.Type, s.Library, old)
	list := func(l *ast.FieldList) string {
		var out []string
		if l != nil {
			for _, f := range l.List {
				for range max(1, len(f.Names)) {
					out = append(out, types.ExprString(f.Type))
				}
			}
		}
		return "(" + strings.Join(out, ", ") + ")"
	}
	return list(fn.Type.Params) + " " + list(fn.Type.Results)
}

// firstWords are those of a type or constant declaration that its name ends.
func firstWords(decl string) string {
	word, _, _ := strings.Cut(decl, " ")
	return word + " " + goName(decl)
}

// qualifyTypes gives the types of a signature their packages, and those of OLD the names that
// they have in NEW.
func (c *comparison) qualifyTypes(fn *ast.FuncType, lib string, old bool) {
	full := func(name string) string {
		if !old {
			return name
		}
		if to, ok := c.goNames[name]; ok {
			return to
		}
		pkg, id, _ := strings.Cut(name, ".")
		if to, ok := c.libraries[pkg]; ok {
			return to + "." + id
		}
		return name
	}
	own := map[*ast.Ident]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				own[name] = true
			}
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok {
				pkg.Name, n.Sel.Name, _ = strings.Cut(full(pkg.Name+"."+n.Sel.Name), ".")
				return false
			}
		case *ast.Ident:
			if !own[n] && n.IsExported() {
				n.Name = full(lib + "." + n.Name)
			}
		}
		return true
	})
}

// library is the Go package of a symbol of OLD, with its name in NEW.
func (c *comparison) library(s *ledger.Symbol) string {
	if to, ok := c.libraries[s.Library]; ok {
		return to
	}
	return s.Library
}
