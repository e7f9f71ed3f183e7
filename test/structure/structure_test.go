package structure

import (
	"fmt"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

const module = "github.com/go-doca/go-doca/"

// levels are the packages of the Go API from the bottom up. Each may import those of the
// levels below its own, the generated packages, and the standard library.
var levels = [][]string{
	{"doca/internal/spare", "doca/comch/internal/stream"},
	{"doca/internal/core"},
	{"doca"},
	{"doca/bind"},
	{"doca/dma", "doca/mmapadvise", "doca/syncevent"},
	{"doca/dpa"},
	{"doca/comch", "doca/rdma"},
	{"doca/comch/comchnet"},
}

func levelOf(path string) int {
	return slices.IndexFunc(levels, func(l []string) bool { return slices.Contains(l, strings.TrimPrefix(path, module)) })
}

// watch looks at all source files, so that go test does not take a result from its cache that
// another state of them had: what the tests start is not known to it.
var watch = sync.OnceValue(func() error {
	return filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	})
})

func load(t *testing.T, mode packages.LoadMode, patterns ...string) []*packages.Package {
	t.Helper()
	require.NoError(t, watch())
	pkgs, err := packages.Load(&packages.Config{Mode: mode | packages.NeedName, Dir: "../.."}, patterns...)
	require.NoError(t, err)
	for _, p := range pkgs {
		require.Empty(t, p.Errors)
	}
	return pkgs
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range load(t, packages.NeedImports, "./doca/...") {
		level := levelOf(p.PkgPath)
		if name := strings.TrimPrefix(p.PkgPath, module+"doca/internal/"); name == "doctest" || name == "alltests" || name == "dpatest" || name == "msgqtest" || name == "rdmatest" || name == "releasetest" { // for tests alone
			continue
		}
		if !assert.GreaterOrEqual(t, level, 0, "%s is new: give it a level", p.PkgPath) {
			continue
		}
		seen++
		for path := range p.Imports {
			inside := strings.HasPrefix(path, module)
			switch {
			case strings.HasPrefix(path, module+"generated/"):
			case inside:
				below := levelOf(path)
				assert.True(t, below >= 0 && below < level, "%s imports %s", p.PkgPath, path)
			default:
				assert.NotContains(t, strings.Split(path, "/")[0], ".", "%s imports %s, which is not of the standard library", p.PkgPath, path)
			}
		}
	}
	assert.Equal(t, 12, seen, "packages")
}

// The core is for doca and bind; all else takes the same doors as any other module.
func TestCoreHasTwoImporters(t *testing.T) {
	t.Parallel()
	var importers []string
	for _, p := range load(t, packages.NeedImports, "./...") {
		if p.Imports[module+"doca/internal/core"] != nil {
			importers = append(importers, strings.TrimPrefix(p.PkgPath, module))
		}
	}
	assert.ElementsMatch(t, []string{"doca", "doca/bind"}, importers)
}

// What a newcomer reads first fits on a page.
func TestDocFitsAPage(t *testing.T) {
	t.Parallel()
	require.NoError(t, watch())
	cmd := exec.Command("go", "doc", "./doca")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "type Device struct")
	assert.LessOrEqual(t, strings.Count(string(out), "\n"), 75, "lines of go doc ./doca")
}

func TestAPINamesNoC(t *testing.T) {
	t.Parallel()
	w := walk(t, "./doca")
	assert.NotEmpty(t, w.names["doca.Memory.Address"])
	for name, what := range w.names {
		for _, typ := range what {
			pkg, _, _ := strings.Cut(typ, ".")
			switch {
			case typ == "uintptr":
				assert.Equal(t, "doca.Memory.Address", name, "%s names uintptr", name)
			case typ == "generated/abi.Error", typ == "generated/abi.ProviderInfo":
			case typ == "unsafe.Pointer", pkg == "C", strings.Contains(typ, "_Ctype_"), strings.HasPrefix(typ, "generated/"), strings.Contains(typ, "internal/"):
				t.Errorf("%s names %s", name, typ)
			}
		}
	}
}

func TestAPINamesNothingInternal(t *testing.T) {
	t.Parallel()
	w := walk(t, "./doca/bind")
	assert.Contains(t, w.names["bind.RawDevice"], "generated/common.Dev")
	for name, what := range w.names {
		for _, typ := range what {
			assert.NotContains(t, typ, "internal/", "in %s", name)
		}
	}
}

// walker collects what the exported names of a package are made of.
type walker struct {
	pkg   *types.Package
	names map[string][]string // of an exported name: the basic types and named types in it
}

func walk(t *testing.T, pattern string) *walker {
	t.Helper()
	p := load(t, packages.NeedTypes|packages.NeedImports, pattern)[0]
	w := &walker{pkg: p.Types, names: map[string][]string{}}
	for _, name := range p.Types.Scope().Names() {
		obj := p.Types.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		name := p.Name + "." + name
		if tn, ok := obj.(*types.TypeName); ok {
			w.declared(name, types.Unalias(tn.Type()))
			continue
		}
		w.add(name, obj.Type())
	}
	return w
}

// declared walks what users reach through a type: fields and methods, promoted ones too.
func (w *walker) declared(name string, t types.Type) {
	w.fields(name, t)
	set := types.NewMethodSet(t)
	if !types.IsInterface(t) {
		set = types.NewMethodSet(types.NewPointer(t))
	}
	for i := range set.Len() {
		m := set.At(i).Obj()
		if m.Exported() {
			w.names[name+"."+m.Name()] = append(w.names[name+"."+m.Name()], "in "+w.path(m.Pkg()))
			w.add(name+"."+m.Name(), m.Type())
		}
	}
	if _, ok := t.Underlying().(*types.Struct); !ok && !types.IsInterface(t) {
		w.add(name, t.Underlying())
	}
}

func (w *walker) fields(name string, t types.Type) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for f := range s.Fields() {
		switch {
		case f.Exported():
			w.add(name+"."+f.Name(), f.Type())
		case f.Embedded():
			w.fields(name, f.Type())
		}
	}
}

// add walks the parts of a type that is written in a declaration.
func (w *walker) add(name string, t types.Type) {
	put := func(s string) { w.names[name] = append(w.names[name], s) }
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		put(t.String())
	case *types.Named:
		if t.Obj().Pkg() != nil {
			put(fmt.Sprintf("%s.%s", w.path(t.Obj().Pkg()), t.Obj().Name()))
		}
		for a := range t.TypeArgs().Types() {
			w.add(name, a)
		}
	case *types.Pointer:
		w.add(name, t.Elem())
	case *types.Slice:
		w.add(name, t.Elem())
	case *types.Array:
		w.add(name, t.Elem())
	case *types.Chan:
		w.add(name, t.Elem())
	case *types.Map:
		w.add(name, t.Key())
		w.add(name, t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			w.add(name, v.Type())
		}
		for v := range t.Results().Variables() {
			w.add(name, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.add(name, f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				w.add(name, m.Type())
			}
		}
	default:
		put(t.String())
	}
}

func (w *walker) path(p *types.Package) string { return strings.TrimPrefix(p.Path(), module) }
