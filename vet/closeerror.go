package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// CloseError finds a Close or Shutdown whose error gets lost.
var CloseError = &analysis.Analyzer{
	Name: "closeerror",
	Doc: `report a Close or Shutdown of an object of go-doca whose error is dropped

Close stops hardware and can fail. Then the object stays open, and so do its owners: the program has to know, and to call Close again. The
analyzer reports a Close or Shutdown that is a statement of its own or a go statement. "defer x.Close()" is fine, as at the end of main or of a
test, and so is "_ = x.Close()", which says that the program does not want to know.`,
	URL:      page + "closeerror",
	Run:      runCloseError,
	Requires: []*analysis.Analyzer{build},
}

func runCloseError(pass *analysis.Pass) (any, error) {
	p, r := programOf(pass), newReporter(pass)
	if p.pkg == nil {
		return nil, nil
	}
	for _, file := range pass.Files {
		cleanups := map[ast.Node]bool{} // function literals that stand for a defer
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.DeferStmt:
				cleanups[ast.Unparen(n.Call.Fun)] = true
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Cleanup" || sel.Sel.Name == "AfterFunc") {
					for _, a := range n.Args {
						cleanups[ast.Unparen(a)] = true
					}
				}
			case *ast.FuncLit:
				return !cleanups[n]
			case *ast.ExprStmt:
				dropped(pass, r, n.X)
			case *ast.GoStmt:
				dropped(pass, r, n.Call)
			}
			return true
		})
	}
	return nil, nil
}

func dropped(pass *analysis.Pass, r *reporter, e ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Close" && sel.Sel.Name != "Shutdown" {
		return
	}
	f, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok || !closes(f.Signature()) {
		return
	}
	t := pass.TypesInfo.TypeOf(sel.X)
	if !ofAPI(f) && !limited(t) {
		return
	}
	r.report(call.Pos(), "the error of %s.%s is dropped: after an error the object stays open (return it, log it, or write _ = to say that it does not matter)",
		kind(t), f.Name())
}

// ofAPI reports whether a method is one of the API's objects, perhaps promoted to a type that embeds one.
func ofAPI(f *types.Func) bool {
	recv := f.Signature().Recv()
	return recv != nil && inDoca(f.Pkg()) && (types.IsInterface(recv.Type()) || isObject(recv.Type()))
}

// limited reports whether t is an interface with the Close and the Shutdown of these objects.
func limited(t types.Type) bool {
	if t == nil || !types.IsInterface(t) {
		return false
	}
	s := method(t, "Shutdown")
	return closes(method(t, "Close")) && closes(s) && s.Params().Len() == 1 && isContext(s.Params().At(0).Type())
}
