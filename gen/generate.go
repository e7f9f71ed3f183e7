package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
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
	if err != nil {
		return err
	}
	if opt.Base != "" {
		if src.base, err = readBase(opt.Base, *dir); err != nil {
			return err
		}
	}
	m, err := src.read()
	if err != nil {
		return err
	}
	if opt.History, err = ledger.ReadDir(filepath.Join(*dir, "api")); err != nil {
		return err
	}
	if !*drop {
		if err := lost(m, *dir, opt.History); err != nil {
			return err
		}
	}
	opt.History = slices.DeleteFunc(opt.History, func(l *ledger.Ledger) bool {
		return ledger.Release(l.Version) == ledger.Release(m.Version.String)
	})
	files, err := emit.Generate(m, opt)
	if err != nil {
		return err
	}
	var stubs emit.Files
	if *emulator != "" {
		if stubs, err = emit.Emulator(m, *emulator, "argp"); err != nil {
			return err
		}
	}
	if goMod != "" {
		files["go.mod"] = []byte(goMod)
	}
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
