package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Copied finds handles that are copied.
var Copied = &analysis.Analyzer{
	Name: "copied",
	Doc: `report copies of objects of go-doca

The objects of go-doca are used by pointer. A copy of the value behind the pointer is a second handle of the same object: the leak report of the
original comes while the copy is in use, and a copied future or batch does not see the end of its operation. "go vet" does not know that, for
these types have no lock in them.`,
	URL:      page + "copied",
	Run:      runCopied,
	Requires: []*analysis.Analyzer{build},
}

func runCopied(pass *analysis.Pass) (any, error) {
	p, r := programOf(pass), newReporter(pass)
	if p.pkg == nil {
		return nil, nil
	}
	c := copied{pass: pass, r: r}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			c.node(n)
			return true
		})
	}
	return nil, nil
}

type copied struct {
	pass *analysis.Pass
	r    *reporter
}

func (c *copied) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, e := range n.Rhs {
			if len(n.Lhs) == len(n.Rhs) && isBlank(n.Lhs[i]) {
				continue
			}
			c.value(e, "the assignment")
		}
	case *ast.ValueSpec:
		for _, e := range n.Values {
			c.value(e, "the declaration")
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			c.value(e, "the return")
		}
	case *ast.SendStmt:
		c.value(n.Value, "the send")
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			c.value(e, "the literal")
		}
	case *ast.CallExpr:
		c.call(n)
	case *ast.RangeStmt:
		if n.Value != nil && !isBlank(n.Value) {
			c.report(n.Value.Pos(), c.pass.TypesInfo.TypeOf(n.Value), "the range")
		}
	case *ast.FuncDecl:
		c.fields(n.Recv, "the receiver")
		c.signature(n.Type)
	case *ast.FuncLit:
		c.signature(n.Type)
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

func (c *copied) signature(t *ast.FuncType) { c.fields(t.Params, "the parameter") }

func (c *copied) fields(list *ast.FieldList, where string) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		c.report(f.Type.Pos(), c.pass.TypesInfo.TypeOf(f.Type), where)
	}
}

func (c *copied) call(n *ast.CallExpr) {
	if tv := c.pass.TypesInfo.Types[n.Fun]; tv.IsType() {
		return // a conversion; where its result goes is reported
	}
	id, _ := ast.Unparen(n.Fun).(*ast.Ident)
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		id = sel.Sel
	}
	if id != nil {
		if _, ok := c.pass.TypesInfo.Uses[id].(*types.Builtin); ok && id.Name != "append" {
			return // new, len, unsafe.Sizeof and their like
		}
	}
	for _, a := range n.Args {
		c.value(a, "the call")
	}
}

// value reports an expression that copies an object: one that denotes a variable, and not a new value.
func (c *copied) value(e ast.Expr, where string) {
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.CompositeLit, *ast.CallExpr, *ast.FuncLit, *ast.BasicLit:
		return
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return
		}
	}
	if tv := c.pass.TypesInfo.Types[e]; tv.IsType() {
		return
	}
	c.report(e.Pos(), c.pass.TypesInfo.TypeOf(e), where)
}

func (c *copied) report(pos token.Pos, t types.Type, where string) {
	if t == nil {
		return
	}
	if n := handleIn(t, map[types.Type]bool{}); n != nil {
		c.r.report(pos, "%s copies a %s: use a pointer", where, kind(n))
	}
}

// handleIn returns the object of the API that a value of type t holds, or nil.
func handleIn(t types.Type, seen map[types.Type]bool) *types.Named {
	t = types.Unalias(t)
	if seen[t] {
		return nil
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok && inDoca(n.Obj().Pkg()) && !types.IsInterface(n) && n.Obj().Exported() {
		if _, isStruct := n.Underlying().(*types.Struct); isStruct && onlyPointers(n) {
			return n
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if n := handleIn(f.Type(), seen); n != nil {
				return n
			}
		}
	case *types.Array:
		return handleIn(u.Elem(), seen)
	}
	return nil
}

// onlyPointers reports whether a type is used by pointer: it has Close or Wait, and its value has not.
func onlyPointers(n *types.Named) bool {
	for _, name := range []string{"Close", "Wait"} {
		if method(n, name) != nil && types.NewMethodSet(n).Lookup(nil, name) == nil {
			return true
		}
	}
	// An object such as a context that a struct embeds as a pointer gives its methods to the value.
	s := n.Underlying().(*types.Struct)
	for f := range s.Fields() {
		if f.Embedded() && isObject(f.Type()) {
			return true
		}
	}
	return false
}
