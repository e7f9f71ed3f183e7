package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pointerKinds are the kinds of docs/binding.md, and the functions and structs of the bindings that are of them.
var pointerKinds = map[string]string{
	"a C function":                   `^argp\.\w*(Callback|DPDKProgram)(Func)?$|^common\.GraphNodeCreateFromUser$|^dpa\.(Thread[SG]etFuncArg|KernelLaunchUpdate\w+|RPC)$`,
	"memory that DOCA keeps":         `^common\.(MmapSet(Dmabuf)?Memrange|Umem(GPU)?Create|GatherList)$|^syncevent\.(SetAddr|Task\w*Set\w*Ptr|Task(Get|NotifyAdd)AllocInit)$|^comch\.ProducerTaskSendItem$`,
	"an address that DOCA returns":   `^common\.(UARPageGet|UARRegAddrGet|UmemGetAddress)$|^syncevent\.(GetGPUHandle|Task\w*Get\w*Ptr)$|^comch\.\w*GetImmData$`,
	"data of the program's own type": `^argp\.Init$`,
	"an object of another library":   `^rdma\.Bridge\w+$`,
}

// Each unsafe.Pointer of the bindings is of a kind that docs/binding.md explains.
func TestPointersAreExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/binding.md")
	require.NoError(t, err)
	files, err := filepath.Glob("../generated/*/*.go")
	require.NoError(t, err)
	used := map[string]bool{}
	explain := func(pkg string, name *ast.Ident, typ ast.Node) {
		if !name.IsExported() || !mentionsPointer(typ) {
			return
		}
		kind := ""
		for k, names := range pointerKinds {
			if regexp.MustCompile(names).MatchString(pkg + "." + name.Name) {
				kind = k
			}
		}
		used[kind] = true
		assert.NotEmpty(t, kind, "%s.%s has an unsafe.Pointer: give it a type, or a kind", pkg, name.Name)
	}
	for _, name := range files {
		pkg := filepath.Base(filepath.Dir(name))
		if pkg == "abi" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				explain(pkg, d.Name, d.Type)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if typ, ok := s.(*ast.TypeSpec); ok {
						explain(pkg, typ.Name, typ.Type)
					}
				}
			}
		}
	}
	for kind := range pointerKinds {
		assert.True(t, used[kind], "no function is of the kind %q", kind)
		assert.Contains(t, string(page), "| "+kind+" |")
	}
}

// mentionsPointer tells whether a type has unsafe.Pointer in it.
func mentionsPointer(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		found = found || ok && sel.Sel.Name == "Pointer" && isName(sel.X, "unsafe")
		return !found
	})
	return found
}

func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}
