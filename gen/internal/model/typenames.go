package model

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// reserved are the names that the package of a library has for itself, and for what.
func reserved(s Spec) map[string]string {
	names := map[string]string{CollectFunc: "the function that collects records", "C": "package C of cgo"}
	if s.Kernels != nil {
		for _, n := range []string{"LaunchOptions", "App"} {
			names[n] = "the package of kernels itself"
		}
	}
	maps.Copy(names, s.Forms)
	return names
}

// hasOwnType reports whether a typedef has a Go type. Another name for a record, an enumeration or a function has none.
func hasOwnType(t *cparse.Typedef) bool {
	switch underlying(t.Type).Kind {
	case cparse.EnumT, cparse.Struct, cparse.Union:
		return false
	}
	return function(t.Type) == nil
}

// nameTypes sets the types of a library apart whose Go names are the same: doca_x_t and struct doca_x, or names that differ in
// nothing but case or underscores. One keeps the plain name: an object before an enumeration, a number, and a record with members.
func (b *builder) nameTypes() {
	type named struct {
		lib, goName, c, kind string
		rank                 int
		set                  func(goName string)
	}
	var all []named
	for c, o := range b.records {
		n := named{o.lib, o.goName, c, "struct", 0, func(goName string) { o.goName = goName }}
		if o.complete {
			n.kind, n.rank = o.decl.Kind, 3
		}
		all = append(all, n)
	}
	for c, e := range b.enums {
		all = append(all, named{e.lib, e.goName, c, "enum", 1, func(goName string) { e.goName = goName; b.enums[c] = e }})
	}
	for c, t := range b.typedefs {
		if t.own {
			all = append(all, named{t.lib, t.goName, c, "type", 2, func(goName string) { t.goName = goName; b.typedefs[c] = t }})
		}
	}
	slices.SortFunc(all, func(x, y named) int { return cmp.Or(cmp.Compare(x.rank, y.rank), strings.Compare(x.c, y.c)) })
	taken := map[string]map[string]string{}
	for _, s := range b.specs {
		taken[s.Name] = reserved(s)
	}
	for _, n := range all {
		name, names := n.goName, taken[n.lib]
		for i := 1; names[name] != ""; i++ {
			if name = n.goName + camel(n.kind); i > 1 {
				name += strconv.Itoa(i)
			}
		}
		names[name] = n.c
		b.typeNames[n.lib] = append(b.typeNames[n.lib], name)
		n.set(name)
	}
}
