package apidiff

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// Bindings may stand on those of another module (gen generate -base): they have some libraries, and import package abi and the
// libraries that these use. What they do not have has not gone or come.

// standsOnOthers reports whether the packages of a side stand on those of another module.
func (in *Input) standsOnOthers() bool {
	if in.packages == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(in.packages, "abi"))
	return err != nil
}

// compareApart compares two ledgers. Of a side that stands on others, it compares the libraries that both sides have, and takes
// the types that this side lacks from the other one.
func compareApart(old, new *Input) (*Report, *comparison, []string) {
	a, b := old.Ledger, new.Ledger
	var notes []string
	leave := func(side string, has, other *ledger.Ledger) *ledger.Ledger {
		libs := libraries(has)
		out := &ledger.Ledger{Version: other.Version}
		for _, s := range other.Symbols {
			if slices.Contains(libs, s.Library) {
				out.Symbols = append(out.Symbols, s)
			}
		}
		if len(out.Symbols) < len(other.Symbols) {
			notes = append(notes, fmt.Sprintf("%s has bindings of %s alone, which stand on those of another module: other libraries were not compared", side, strings.Join(libs, ", ")))
		}
		return out
	}
	oldTypes, newTypes := a, b
	if old.standsOnOthers() {
		oldTypes = together(a, b)
		b = leave("OLD", a, b)
	}
	if new.standsOnOthers() {
		newTypes = together(new.Ledger, old.Ledger)
		a = leave("NEW", new.Ledger, a)
	}
	r, c := compareWith(a, b, oldTypes.Types(), newTypes.Types())
	return r, c, notes
}

// together is a ledger with what another one has besides.
func together(l, other *ledger.Ledger) *ledger.Ledger {
	out := &ledger.Ledger{Version: l.Version, Symbols: slices.Clone(l.Symbols)}
	libs := libraries(l)
	for _, s := range other.Symbols {
		if !slices.Contains(libs, s.Library) {
			out.Symbols = append(out.Symbols, s)
		}
	}
	return out
}

// libraries are those that have symbols in a ledger.
func libraries(l *ledger.Ledger) []string {
	var out []string
	for _, s := range l.Symbols {
		out = append(out, s.Library)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// baseOf is the import path of the bindings on which packages stand, or empty.
func (p *goPackages) baseOf() string {
	if p.roots["abi"] != nil {
		return ""
	}
	for _, root := range p.roots {
		for name := range root.Imports {
			if path.Base(name) == "abi" {
				return path.Dir(name)
			}
		}
	}
	return ""
}
