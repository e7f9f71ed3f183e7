package apidiff

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"
)

// handwrittenDirs are the directories next to the generated packages with the Go that is written by hand and imported by
// programs.
var handwrittenDirs = []string{"doca", "emulator"}

// handwritten parses the public packages beside the generated ones; nil if there are none.
func (in *Input) handwritten() (*goPackages, error) {
	if in.packages == "" {
		return nil, nil
	}
	dir, err := filepath.Abs(in.packages)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(dir)
	var patterns []string
	for _, name := range handwrittenDirs {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil && info.IsDir() && name != filepath.Base(dir) {
			patterns = append(patterns, "./"+name+"/...")
		}
	}
	if len(patterns) == 0 {
		return nil, nil
	}
	loaded, err := loadPackages(root, patterns...)
	if err != nil {
		return nil, err
	}
	p := &goPackages{fset: token.NewFileSet(), roots: map[string]*packages.Package{}, parsed: map[string][]*ast.File{}}
	for _, pkg := range loaded {
		if pkg.Name == "main" || slices.Contains(strings.Split(pkg.PkgPath, "/"), "internal") {
			continue
		}
		for _, e := range pkg.Errors {
			return nil, e
		}
		name, err := filepath.Rel(root, filepath.Dir(pkg.GoFiles[0]))
		if err != nil {
			return nil, err
		}
		p.roots[filepath.ToSlash(name)] = pkg
	}
	return p, nil
}

// extractBeside writes what a revision has next to its generated packages, if that has handwritten ones: they may
// import all of it.
func extractBeside(id, generated, dir string) error {
	up := path.Dir(generated)
	for _, name := range handwrittenDirs {
		if sub := path.Join(up, name); sub != generated {
			if _, err := git("cat-file", "-e", id+":"+sub); err == nil {
				return extract(id, up, dir)
			}
		}
	}
	return nil
}

// addHandwritten adds the changes of the handwritten packages, where both sides have some: one change for what
// breaks in a package, and one for what is new in it.
func addHandwritten(r *Report, old, new *Input) error {
	var sides [2]map[string]*types.Package
	var module string // with a slash behind it
	for i, in := range []*Input{old, new} {
		p, err := in.handwritten()
		if err == nil && p != nil {
			sides[i], err = p.check("", nil)
			for name, pkg := range p.roots {
				module = strings.TrimSuffix(pkg.PkgPath, name)
			}
		}
		if err != nil {
			return fmt.Errorf("the handwritten Go packages of %s: %w", in.Side.Name, err)
		}
	}
	a, b := sides[0], sides[1]
	if a == nil || b == nil {
		if (a != nil || b != nil) && old.packages != "" && new.packages != "" {
			r.Notes = append(r.Notes, "the handwritten Go packages were not compared: a side has none")
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		breaks, news := []string{"package removed"}, []string(nil)
		if b[name] != nil {
			breaks, news = goChanges(a[name], b[name], module)
		}
		addPackage(r, name, Breaking, GoChanged, breaks)
		addPackage(r, name, Addition, Added, news)
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] == nil {
			addPackage(r, name, Addition, Added, []string{"package added"})
		}
	}
	r.finish()
	return nil
}

// goChanges are the messages on two versions of a package: of what breaks, and of what is new.
func goChanges(old, new *types.Package, module string) (breaks, news []string) {
	for _, ch := range apidiff.Changes(old, new).Changes {
		text := strings.ReplaceAll(ch.Message, module, "")
		if ch.Compatible {
			news = append(news, text)
		} else {
			breaks = append(breaks, text)
		}
	}
	return breaks, news
}

func addPackage(r *Report, name string, class Class, kind Kind, texts []string) {
	if len(texts) == 0 {
		return
	}
	ch := Change{
		ID: "package-" + name, Symbol: Package, Name: name, Library: name, GoAPI: texts,
		Means: "Uses of what is listed must be checked: it is written by hand, not generated.",
	}
	a := aspect{kind: kind, class: class}
	if class == Breaking {
		a.breaks = ForGo
	} else {
		ch.ID, ch.Means = ch.ID+"-"+string(kind), "Programs can use what is listed."
	}
	ch.add(a)
	r.Changes = append(r.Changes, ch)
}
