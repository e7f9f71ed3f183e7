package apidiff

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// goPackages are the generated packages of one side, parsed, with all that they import.
type goPackages struct {
	fset   *token.FileSet
	roots  map[string]*packages.Package // by library
	parsed map[string][]*ast.File       // by import path
	docs   map[string]string            // comments by "dma.Create"; of members "dma.Capabilities.Foo"
}

// parsePackages reads the packages below dir. No C is compiled: go list only says which files
// belong to them, and cgo's names stay untyped. What they export does not depend on them.
func parsePackages(dir string) (*goPackages, error) {
	p := &goPackages{fset: token.NewFileSet(), roots: map[string]*packages.Package{}, parsed: map[string][]*ast.File{}, docs: map[string]string{}}
	pkgs, err := loadPackages(dir, "./...")
	if err != nil {
		return nil, err
	}
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			return nil, e
		}
		p.roots[path.Base(pkg.PkgPath)] = pkg
		files, err := p.parse(pkg, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if err := p.readDocs(pkg, files); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// loadPackages has go list find packages and all that they import.
func loadPackages(dir string, patterns ...string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
		Dir:  dir,
		Env:  append(os.Environ(), "GOWORK=off", "CGO_ENABLED=1", "GOOS=linux", "GOARCH="+goArch()),
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err == nil && len(pkgs) == 0 {
		err = fmt.Errorf("no Go packages in %s", dir)
	}
	return pkgs, err
}

// goArch is one that the bindings are for, so that the report is the same everywhere.
func goArch() string {
	if runtime.GOARCH == "arm64" {
		return "arm64"
	}
	return "amd64"
}

func (p *goPackages) parse(pkg *packages.Package, mode parser.Mode) ([]*ast.File, error) {
	if files, ok := p.parsed[pkg.PkgPath]; ok {
		return files, nil
	}
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(p.fset, name, nil, mode|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p.parsed[pkg.PkgPath] = files
	return files, nil
}

// readDocs notes the comments of a package's declarations.
func (p *goPackages) readDocs(pkg *packages.Package, files []*ast.File) error {
	lib := path.Base(pkg.PkgPath)
	// With all declarations: else package doc takes those that are not exported out of the files, and types may need them.
	d, err := doc.NewFromFiles(p.fset, files, pkg.PkgPath, doc.PreserveAST|doc.AllDecls)
	if err != nil {
		return err
	}
	note := func(name, text string) { // links to other packages are the same wherever these are
		p.docs[lib+"."+name] = strings.ReplaceAll(text, path.Dir(pkg.PkgPath)+"/", "generated/")
	}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, spec := range v.Decl.Specs {
				if s, ok := spec.(*ast.ValueSpec); ok {
					text := s.Doc.Text() + s.Comment.Text()
					if text == "" {
						text = v.Doc
					}
					for _, n := range s.Names {
						note(n.Name, text)
					}
				}
			}
		}
	}
	funcs := func(fs []*doc.Func, of string) {
		for _, f := range fs {
			note(of+f.Name, f.Doc)
		}
	}
	values(d.Consts)
	values(d.Vars)
	funcs(d.Funcs, "")
	for _, t := range d.Types {
		note(t.Name, t.Doc)
		values(t.Consts)
		values(t.Vars)
		funcs(t.Funcs, "")
		funcs(t.Methods, t.Name+".")
		for _, spec := range t.Decl.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok {
				if st, ok := s.Type.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						for _, n := range f.Names {
							note(t.Name+"."+n.Name, f.Doc.Text()+f.Comment.Text())
						}
					}
				}
			}
		}
	}
	return nil
}

// check type-checks the packages. Their paths are the same on both sides: prefix and library, "generated/dma",
// with the name that a renamed library has in NEW.
func (p *goPackages) check(prefix string, renamed map[string]string) (map[string]*types.Package, error) {
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	own := map[string]string{} // import path -> path of the comparison
	base := p.baseOf()
	for lib, pkg := range p.roots {
		if to, ok := renamed[lib]; ok {
			lib = to
		}
		own[pkg.PkgPath] = prefix + lib
	}
	var check func(pkg *packages.Package) (*types.Package, error)
	check = func(pkg *packages.Package) (*types.Package, error) {
		if t := done[pkg.PkgPath]; t != nil {
			return t, nil
		}
		files, err := p.parse(pkg, 0)
		if err != nil {
			return nil, err
		}
		as, mine := own[pkg.PkgPath]
		switch {
		case mine:
		case base != "" && path.Dir(pkg.PkgPath) == base: // as if it were generated with the others
			as = prefix + path.Base(pkg.PkgPath)
		default:
			as = pkg.PkgPath
		}
		var first error
		conf := types.Config{
			FakeImportC: true, IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", goArch()),
			Importer: importer(func(name string) (*types.Package, error) {
				if dep := pkg.Imports[name]; dep != nil {
					return check(dep)
				}
				if name == "unsafe" {
					return types.Unsafe, nil
				}
				return nil, errors.New("not among the packages that go list found")
			}),
			Error: func(err error) {
				if first == nil && mine { // the standard library is Go's own affair
					first = err
				}
			},
		}
		t, _ := conf.Check(as, p.fset, files, nil)
		if first != nil {
			return nil, first
		}
		done[pkg.PkgPath] = t
		return t, nil
	}
	out := map[string]*types.Package{}
	for _, lib := range slices.Sorted(maps.Keys(p.roots)) {
		t, err := check(p.roots[lib])
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", lib, err)
		}
		out[strings.TrimPrefix(own[p.roots[lib].PkgPath], prefix)] = t
	}
	return out, nil
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
