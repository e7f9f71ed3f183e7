// Package solib reads the shared libraries of a DOCA SDK: who exports which function.
//
// They are read as files and not loaded, so those of an SDK for another processor do as well.
package solib

import (
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Exports are the functions of an SDK's shared libraries.
type Exports struct {
	Dirs []string
	// Of are the sonames of the libraries that export a function, sorted.
	Of map[string][]string
	// Notes name the files that could not be read.
	Notes []string
}

// Dirs lists where an SDK keeps its shared libraries. sdk is its prefix or a directory with
// headers, include where its headers are.
func Dirs(sdk, include string) []string {
	roots := []string{sdk, filepath.Join(sdk, "infrastructure")}
	// The headers of a directory that is not called so are not of the libraries around it.
	for _, dir := range []string{include, filepath.Dir(include)} {
		if filepath.Base(dir) != "include" {
			continue
		}
		roots = append(roots, filepath.Dir(dir))
		if p := filepath.Dir(dir); filepath.Base(p) == "infrastructure" {
			roots = append(roots, filepath.Dir(p))
		}
		break
	}
	var dirs []string
	seen := map[string]bool{}
	for _, root := range roots {
		for _, sub := range []string{"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu"} {
			dir := filepath.Join(root, sub)
			if real, err := filepath.EvalSymlinks(dir); err == nil && !seen[real] && len(libraries(dir)) > 0 {
				seen[real] = true
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// libraries lists the files of DOCA's shared libraries in a directory, links included.
func libraries(dir string) []string {
	quoted := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
	found, _ := filepath.Glob(filepath.Join(quoted, "libdoca_*.so*")) // the pattern is well-formed
	return found
}

// Read reads the shared libraries of an SDK, see [Dirs]. No libraries give no exports.
func Read(sdk, include string) *Exports {
	x := &Exports{Dirs: Dirs(sdk, include), Of: map[string][]string{}}
	of := map[string]map[string]bool{}
	seen := map[string]bool{}
	for _, dir := range x.Dirs {
		for _, path := range libraries(dir) {
			real, err := filepath.EvalSymlinks(path)
			if seen[real] {
				continue
			}
			seen[real] = true
			var l *Library
			if err == nil {
				l, err = Open(real)
			}
			if err != nil {
				x.Notes = append(x.Notes, fmt.Sprintf("%s cannot be read, so what it exports is not known: %v", path, err))
				continue
			}
			for _, f := range l.Functions {
				if of[f] == nil {
					of[f] = map[string]bool{}
				}
				of[f][l.Soname] = true
			}
		}
	}
	for f, sonames := range of {
		x.Of[f] = slices.Sorted(maps.Keys(sonames))
	}
	return x
}

// Library is what one shared library says of itself.
type Library struct {
	Soname    string   // the name of the file if it says none
	Functions []string // that it exports
	Needed    []string // sonames
}

// Open reads a shared library.
func Open(path string) (*Library, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("no shared library but %s", f.Type)
	}
	l := &Library{Soname: filepath.Base(path)}
	names, err := f.DynString(elf.DT_SONAME)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		l.Soname = names[0]
	}
	if l.Needed, err = f.ImportedLibraries(); err != nil {
		return nil, err
	}
	symbols, err := f.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, err
	}
	for _, s := range symbols {
		t := elf.ST_TYPE(s.Info)
		code := t == elf.STT_FUNC || t == elf.STT_NOTYPE || t == elf.STT_GNU_IFUNC
		if code && s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			l.Functions = append(l.Functions, s.Name)
		}
	}
	return l, nil
}
