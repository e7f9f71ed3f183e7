package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/solib"
)

// Locate takes the sonames from the SDK's shared libraries. Without any, those that follow from the
// names of the headers stay.
//
// A library's own soname stays as long as one of its functions is there, else it becomes that of most
// of its functions.
func (m *Model) Locate(x *solib.Exports) {
	m.Notes = append(m.Notes, x.Notes...)
	if len(x.Of) == 0 {
		return
	}
	for _, l := range m.Libraries {
		var absent []string
		count := map[string]int{}
		bound := 0
		for _, f := range l.Funcs {
			if f.C.Inline {
				continue
			}
			bound++
			sonames := x.Of[f.CName]
			if len(sonames) == 0 {
				absent = append(absent, f.CName)
				if l.ForDevice() { // in an archive, which is not looked into
					count[l.Soname]++
				}
				continue
			}
			f.Soname = sonames[0]
			if slices.Contains(sonames, l.Soname) {
				f.Soname = l.Soname
			}
			count[f.Soname]++
			if len(sonames) > 1 && !l.Base {
				m.Notes = append(m.Notes, fmt.Sprintf("%s: exported by %s, taken from %s", f.CName, strings.Join(sonames, " and "), f.Soname))
			}
		}
		if len(absent) > 0 && !l.Base && !l.ForDevice() {
			names := strings.Join(absent, ", ")
			if len(absent) == bound {
				names = fmt.Sprintf("any of its %d functions", bound)
			}
			m.Notes = append(m.Notes, fmt.Sprintf("library %s: no shared library in %s exports %s", l.Name, strings.Join(x.Dirs, ", "), names))
		}
		if count[l.Soname] == 0 && len(count) > 0 {
			l.Soname = slices.MinFunc(slices.Collect(maps.Keys(count)), func(a, b string) int {
				return cmp.Or(count[b]-count[a], strings.Compare(a, b))
			})
		}
		for _, f := range l.Funcs {
			if len(x.Of[f.CName]) == 0 {
				f.Soname = l.Soname
			}
		}
	}
}
