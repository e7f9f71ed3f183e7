package check

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// exports compares the bound functions with what the SDK's shared libraries export.
func (c *checker) exports() error {
	dir := c.libraryDir()
	if dir == "" {
		c.note("no shared libraries beside the headers: what they export was not compared")
		return nil
	}
	c.report.Libraries = dir
	bound := map[string][]*ledger.Symbol{}
	for i := range c.Ledger.Symbols {
		s := &c.Ledger.Symbols[i]
		if soname := c.Sonames[s.Library]; s.Kind == ledger.Function && s.Go != "" && soname != "" {
			bound[soname] = append(bound[soname], s)
		}
	}
	for _, soname := range sortedKeys(bound) {
		exported := map[string]bool{}
		err := exportsOf(dir, soname, exported, map[string]bool{})
		if errors.Is(err, fs.ErrNotExist) {
			found := "not in " + dir
			if other, _ := filepath.Glob(filepath.Join(dir, strings.TrimRight(soname, "0123456789.")+"*")); other != nil {
				found += fmt.Sprintf(", but %s is", filepath.Base(other[0]))
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
	return nil
}

// libraryDir is where the SDK keeps its shared libraries, or empty.
func (c *checker) libraryDir() string {
	roots := []string{c.SDK, filepath.Dir(c.report.Include), filepath.Dir(filepath.Dir(c.report.Include))}
	for _, root := range roots {
		for _, sub := range []string{"lib", "lib64", "lib/*-linux-gnu", "infrastructure/lib", "infrastructure/lib/*-linux-gnu", "usr/lib/*-linux-gnu"} {
			found, _ := filepath.Glob(filepath.Join(root, sub, "libdoca_*.so*"))
			if len(found) > 0 {
				return filepath.Dir(found[0])
			}
		}
	}
	return ""
}

// exportsOf collects the symbols that dlsym finds in a library: its own, and those of the
// libraries that it needs.
func exportsOf(dir, name string, exported, seen map[string]bool) error {
	if seen[name] {
		return nil
	}
	seen[name] = true
	path := filepath.Join(dir, name)
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			exported[s.Name] = true
		}
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, n := range slices.Sorted(slices.Values(needed)) {
		if _, err := os.Stat(filepath.Join(dir, n)); err != nil {
			continue // of the system
		}
		if err := exportsOf(dir, n, exported, seen); err != nil {
			return err
		}
	}
	return nil
}
