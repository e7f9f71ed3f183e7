package apidiff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// libraryRow is what happened to one library.
type libraryRow struct {
	name                        string
	breaking, forGo             int
	addition, compatible        int
	fate                        string // renamed, removed or new as a whole; empty where it goes on
	removed, renamed, signature int
	layout, values              int
}

// byLibrary are the libraries with changes, those first that break most Go programs.
func (r *Report) byLibrary() []*libraryRow {
	rows := map[string]*libraryRow{}
	var all []*libraryRow
	for _, c := range r.Changes {
		row := rows[c.Library]
		if row == nil {
			row = &libraryRow{name: c.Library, fate: r.Libraries[c.Library]}
			rows[c.Library] = row
			all = append(all, row)
		}
		row.count(c)
	}
	slices.SortFunc(all, func(a, b *libraryRow) int {
		return cmp.Or(-cmp.Compare(a.forGo, b.forGo), -cmp.Compare(a.breaking, b.breaking), -cmp.Compare(a.addition, b.addition), strings.Compare(a.name, b.name))
	})
	return all
}

func (row *libraryRow) count(c Change) {
	switch c.Class {
	case Breaking:
		row.breaking++
	case Addition:
		row.addition++
	default:
		row.compatible++
	}
	if slices.Contains(c.Breaks, ForGo) {
		row.forGo++
	}
	if c.Class != Breaking {
		return
	}
	for kind, n := range map[Kind]*int{Removed: &row.removed, Renamed: &row.renamed, Signature: &row.signature, Layout: &row.layout, Values: &row.values} {
		if c.Has(kind) {
			*n++
		}
	}
}

// what is the row in words.
func (row *libraryRow) what() string {
	var parts []string
	if row.fate != "" {
		parts = append(parts, row.fate)
	}
	for _, p := range []struct {
		n    int
		what string
	}{{row.removed, "removed"}, {row.renamed, "renamed"}, {row.signature, "with another signature"}, {row.layout, "with another layout"}, {row.values, "with other values"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if parts == nil && row.addition > 0 {
		return "nothing breaks"
	}
	if parts == nil {
		return "goes on as it was"
	}
	return strings.Join(parts, ", ")
}

// weight orders changes by how much a reviewer must see them: what breaks Go programs first, then what breaks C programs, then by
// what has happened.
func weight(c Change) int {
	class := slices.Index(Classes, c.Class)
	if c.Class == Breaking && !slices.Contains(c.Breaks, ForGo) {
		return 100*class + 50 + rank(c)
	}
	return 100*class + rank(c)
}
