package model

import (
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// funcOwners finds the library of each function that several declare, as an index of specs: one whose prefix is in its name, the
// longest first, else the first one. Two packages with its shim could not be in one program.
func funcOwners(specs []Spec, found [][]*cparse.Header) map[string]int {
	owners := map[string]int{}
	for i, s := range specs {
		if s.Kernels != nil {
			continue
		}
		have := newBase(s)
		for _, h := range found[i] {
			if cparse.ForDevice(h.Name) {
				continue
			}
			for _, f := range h.Funcs {
				if !have.has(ledger.Function, f.Name) && !have.has(ledger.Inline, f.Name) {
					continue
				}
				if first, ok := owners[f.Name]; !ok || fits(f.Name, s) > fits(f.Name, specs[first]) {
					owners[f.Name] = i
				}
			}
		}
	}
	return owners
}

// fits is the length of what a function's name has of the library's.
func fits(name string, s Spec) int {
	if !strings.HasPrefix(name, "doca_"+s.Prefix+"_") {
		return 0
	}
	return len(s.Prefix)
}
