package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/solib"
)

// exports compares the bound functions with what the SDK's shared libraries export.
func (c *checker) exports() {
	dirs := solib.Dirs(c.SDK, c.report.Include)
	if len(dirs) == 0 {
		c.note("no shared libraries beside the headers: what they export was not compared")
		return
	}
	c.report.Libraries = strings.Join(dirs, ", ")
	bound := map[string][]*ledger.Symbol{}
	for i := range c.Ledger.Symbols {
		s := &c.Ledger.Symbols[i]
		if soname := cmp.Or(s.Soname, c.Sonames[s.Library]); s.Kind == ledger.Function && s.Go != "" && soname != "" {
			bound[soname] = append(bound[soname], s)
		}
	}
	for _, soname := range sortedKeys(bound) {
		exported := map[string]bool{}
		err := exportsOf(dirs, soname, exported, map[string]bool{})
		if errors.Is(err, fs.ErrNotExist) {
			found := "not in " + c.report.Libraries
			if other := otherVersion(dirs, soname); other != "" {
				found += fmt.Sprintf(", but %s is", other)
			}
			c.differs(Difference{Kind: Library, Name: soname, Library: soname, Found: found})
			continue
		}
		if err != nil {
			c.differs(Difference{Kind: Library, Name: soname, Library: soname, Found: err.Error()})
			continue
		}
		for _, s := range bound[soname] {
			c.report.Checked["exported"]++
			if !exported[s.Name] {
				c.differs(Difference{Kind: Library, Name: s.Name, Header: s.Header, Library: soname, Found: "not exported"})
			}
		}
	}
}

// otherVersion is a library of the same name and another number, or empty.
func otherVersion(dirs []string, soname string) string {
	stem, _, _ := strings.Cut(soname, ".so")
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // one that cannot be read has none
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), stem+".so") {
				return e.Name()
			}
		}
	}
	return ""
}

// exportsOf collects the symbols that dlsym finds in a library: its own, and those of the
// libraries that it needs.
func exportsOf(dirs []string, name string, exported, seen map[string]bool) error {
	if seen[name] {
		return nil
	}
	seen[name] = true
	path := in(dirs, name)
	if path == "" {
		return fs.ErrNotExist
	}
	l, err := solib.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, f := range l.Functions {
		exported[f] = true
	}
	for _, n := range l.Needed {
		if err := exportsOf(dirs, n, exported, seen); err != nil && !errors.Is(err, fs.ErrNotExist) { // of the system
			return err
		}
	}
	return nil
}

// in is the path of a file in one of the directories, or empty.
func in(dirs []string, name string) string {
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return ""
}
