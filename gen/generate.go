package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/mod/module"

	"github.com/go-doca/go-doca/gen/internal/emit"
	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
)

var (
	errNoModule = errors.New("no go.mod in this directory or above it: name the headers with -sdk")
	errNotDir   = syscall.ENOTDIR
)

// generate writes the bindings, and with -emulator the emulator's stubs and tables.
func generate(fs *flag.FlagSet, args []string, out io.Writer) error {
	var src source
	src.flags(fs)
	dir := fs.String("out", "generated", "output `directory`")
	pkg := fs.String("pkg", "", "import `path` of the output directory (default: taken from the go.mod above it; if there is none and -base is \"none\", a go.mod is written)")
	on := fs.String("base", ownBindings, "import `path` of bindings to build on: what they have is imported, not generated; \"none\" generates everything")
	drop := fs.Bool("drop", false, "with -keep-going or -libs all, go on where that loses what is in the output directory: remove what was generated from a header that cannot be read any more")
	emulator := fs.String("emulator", "", "also write stubs and tables for the emulator's sources in this `directory`")
	if err := parse(fs, args); err != nil {
		return err
	}
	opt, goMod, err := place(*dir, *pkg, *on)
	if err == nil && opt.Base != "" {
		src.base, err = readBase(opt.Base, *dir)
	}
	if missing := noBaseError(""); errors.As(err, &missing) {
		return fmt.Errorf("%w, or generate everything with -base none", err)
	}
	if err != nil {
		return err
	}
	m, err := src.read()
	if err != nil {
		return err
	}
	if opt.History, err = ledger.ReadDir(filepath.Join(*dir, "api")); err != nil {
		return err
	}
	made, err := src.older()
	if err != nil {
		return err
	}
	opt.History = slices.DeleteFunc(opt.History, func(l *ledger.Ledger) bool {
		return slices.ContainsFunc(made, func(other *ledger.Ledger) bool { return ledger.Release(other.Version) == ledger.Release(l.Version) })
	})
	opt.History = append(opt.History, made...)
	if !*drop {
		if err := lost(m, *dir, opt.History); err != nil {
			return err
		}
	}
	opt.History = slices.DeleteFunc(opt.History, func(l *ledger.Ledger) bool {
		return ledger.Release(l.Version) == ledger.Release(m.Newest())
	})
	files, err := emit.Generate(m, opt)
	if err != nil {
		return err
	}
	var stubs emit.Files
	if *emulator != "" {
		if stubs, err = emit.Emulator(m, opt.History, *emulator, "argp"); err != nil {
			return err
		}
	}
	if goMod != "" {
		files["go.mod"] = []byte(goMod)
	}
	gone, err := removed(m, *dir, opt.Path)
	if err != nil {
		return err
	}
	m.Notes = append(m.Notes, gone...)
	if err := files.Write(*dir); err != nil {
		return err
	}
	if stubs != nil {
		if err := stubs.WriteAmong(*emulator); err != nil {
			return err
		}
	}
	for _, l := range m.Libraries {
		if !l.Base {
			fmt.Fprintf(out, "%s: bound %d, skipped %d\n", l.Name, l.Bound, len(l.Skipped))
		}
	}
	for _, n := range m.Notes {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	return nil
}

// lost is an error if the output directory has a package of a header that cannot be read any more: to write what is left would
// remove it.
func lost(m *model.Model, dir string, ledgers []*ledger.Ledger) error {
	var all []error
	for _, lib := range m.Libraries {
		old := filepath.Join(dir, lib.Name)
		if found, err := filepath.Glob(filepath.Join(old, "*.go")); err != nil || len(found) == 0 || lib.Base {
			continue
		}
		own := func(name string) bool {
			return slices.ContainsFunc(lib.Headers, func(h *model.Header) bool { return h.Name == name })
		}
		for _, h := range m.API.Headers {
			had := func(l *ledger.Ledger) bool {
				return slices.ContainsFunc(l.Symbols, func(s ledger.Symbol) bool { return s.Header == h.Name })
			}
			if h.Unread && own(h.Name) && (len(ledgers) == 0 || slices.ContainsFunc(ledgers, had)) {
				p := h.Problems[0]
				all = append(all, fmt.Errorf("%s was generated from %s, which cannot be read any more: %s:%d: %s", old, h.Name, p.Pos.File, p.Pos.Line, p.Text))
			}
		}
	}
	if all == nil {
		return nil
	}
	return errors.Join(append(all, fmt.Errorf("nothing was written: repair what is wrong there, leave the library out with -libs in another -out, or lose it with -drop"))...)
}

// removed are notes of packages that are in the output directory, and whose libraries this SDK has not, with who imports them.
func removed(m *model.Model, dir, importPath string) (notes []string, err error) {
	tables, err := filepath.Glob(filepath.Join(dir, "*", "library.go"))
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		name := filepath.Base(filepath.Dir(table))
		if slices.ContainsFunc(m.Libraries, func(l *model.Library) bool { return l.Name == name }) {
			continue
		}
		users, err := importers(dir, importPath+"/"+name)
		if err != nil {
			return nil, err
		}
		note := fmt.Sprintf("package %s is removed: DOCA %s has no such library among those that were asked for", filepath.Join(dir, name), m.Newest())
		if users != nil {
			note += fmt.Sprintf("; %s import it and will not build: remove them too, or write these bindings to another directory with -out", strings.Join(users, ", "))
		}
		notes = append(notes, note)
	}
	return notes, nil
}

// importers are the directories of the module around dir whose Go files import a package, apart from dir.
func importers(dir, pkg string) (users []string, err error) {
	root, _, err := moduleOf(dir)
	if errors.Is(err, errNoModule) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == abs || path != root && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil // not for this command to judge
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		uses := slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(pkg) })
		if uses && !slices.Contains(users, rel) {
			users = append(users, rel)
		}
		return err
	})
	return users, err
}

// importPath finds out how the generated packages import each other. A directory that is
// in no module becomes one: the output needs nothing but the standard library.
func importPath(dir, pkg string) (importPath, goMod string, err error) {
	if pkg != "" {
		if err := module.CheckImportPath(pkg); err != nil {
			return "", "", fmt.Errorf("-pkg: %w", err)
		}
		return pkg, "", nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	root, modPath, err := moduleOf(dir)
	if errors.Is(err, errNoModule) {
		name := filepath.Base(abs)
		return name, "module " + name + "\n\ngo 1.25\n", nil
	}
	if err != nil {
		return "", "", err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return "", "", err
	}
	return path.Join(modPath, filepath.ToSlash(rel)), "", nil
}
