package apidiff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// prefix is a rename of all names that begin in one way: doca_cc_ is now doca_comch_.
type prefix struct {
	old, new  string // "doca_cc_", "doca_comch_"
	constants bool   // only macros and enumerators were renamed: DOCA_VER_ is DOCA_VERSION_
}

const (
	fewest = 4  // names that must have been renamed alike
	crowd  = 16 // a rest of a name that more prefixes than this have in front says nothing

	// A beginning that has gained or lost a word begins others too, so the names themselves must tell.
	many   = 20  // names that must have been renamed alike then
	nearly = 0.9 // and the share that they have of all that began in the old way
)

// findPrefixes looks for names that are the same but for their first words, where nothing is
// left of the old beginning and nothing was there of the new one; or where nearly all names of the old beginning are there
// again with the new one.
func (c *comparison) findPrefixes() {
	type rest struct{ family, name string }
	index := func(syms []*ledger.Symbol) map[rest][]string {
		m := map[rest][]string{}
		for _, s := range syms {
			w := strings.Split(strings.ToLower(s.Name), "_")
			for k := 2; k <= 4 && k < len(w); k++ {
				r := rest{family(s.Kind), strings.Join(w[k:], "_")}
				m[r] = append(m[r], strings.Join(w[:k], "_")+"_")
			}
		}
		return m
	}
	old, new := index(c.goneOrMembers(c.gone, c.oldEnums)), index(c.goneOrMembers(c.come, c.newEnums))
	count, constants := map[prefix]int{}, map[prefix]int{}
	for r, from := range old {
		to := new[r]
		if len(from) > crowd || len(to) > crowd {
			continue
		}
		for _, p := range from {
			for _, q := range to {
				if lastWord(p) != lastWord(q) { // else the shorter prefixes say it
					count[prefix{old: p, new: q}]++
					if r.family == "constant" {
						constants[prefix{old: p, new: q}]++
					}
				}
			}
		}
	}
	var found []prefix
	for p, n := range maps.Clone(count) {
		only := prefix{p.old, p.new, constants[p] == n}
		if n >= fewest && !only.begun(c.new, p.old) && !only.begun(c.old, p.new) || c.nearlyAll(p, n) {
			count[only] = n
			found = append(found, only)
		}
	}
	slices.SortFunc(found, func(a, b prefix) int {
		return cmp.Or(-cmp.Compare(count[a], count[b]), cmp.Compare(len(a.old)+len(a.new), len(b.old)+len(b.new)),
			cmp.Compare(min(a.old, a.new), min(b.old, b.new)), cmp.Compare(max(a.old, a.new), max(b.old, b.new)))
	})
	for _, p := range found {
		if !slices.ContainsFunc(c.prefixes, func(q *prefix) bool { return overlap(p.old, q.old) || overlap(p.new, q.new) }) {
			c.prefixes = append(c.prefixes, &p)
		}
	}
}

// nearlyAll tells whether n names that were renamed alike are nearly all that began in the old way and are gone, and nearly all
// that have come with the new beginning.
func (c *comparison) nearlyAll(p prefix, n int) bool {
	if n < many || !overlap(p.old, p.new) {
		return false
	}
	begin := func(syms []*ledger.Symbol, prefix, except string) (count int) {
		for _, s := range syms {
			if hasPrefixFold(s.Name, prefix) && (except == "" || !hasPrefixFold(s.Name, except)) {
				count++
			}
		}
		return count
	}
	old, new := c.goneOrMembers(c.gone, c.oldEnums), c.goneOrMembers(c.come, c.newEnums)
	if len(p.new) > len(p.old) { // gained a word
		return float64(n) >= nearly*float64(begin(old, p.old, p.new))
	}
	return float64(n) >= nearly*float64(begin(new, p.new, p.old))
}

// goneOrMembers adds the enumerators of the enumerations among syms.
func (c *comparison) goneOrMembers(syms []*ledger.Symbol, enums *members) []*ledger.Symbol {
	out := slices.Clone(syms)
	for _, s := range syms {
		if s.Kind == ledger.Enum {
			out = append(out, enums.of[s.Name]...)
		}
	}
	return out
}

// lastWord is the word that a prefix ends in: comch of doca_comch_.
func lastWord(prefix string) string {
	p := strings.TrimSuffix(prefix, "_")
	return p[strings.LastIndex(p, "_")+1:]
}

func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// begun tells whether a symbol of the ledger begins so, among those that the rename is about.
func (p prefix) begun(l *ledger.Ledger, prefix string) bool {
	return slices.ContainsFunc(l.Symbols, func(s ledger.Symbol) bool { return p.about(&s) && hasPrefixFold(s.Name, prefix) })
}

func (p prefix) about(s *ledger.Symbol) bool { return !p.constants || family(s.Kind) == "constant" }

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// apply is the name with the new beginning, or empty. Capitals stay capitals. What is in front of
// the last underscore may be a name by itself: struct doca_cc.
func (p *prefix) apply(name string) string {
	alone := strings.EqualFold(name+"_", p.old)
	if alone {
		name += "_"
	}
	if !hasPrefixFold(name, p.old) {
		return ""
	}
	begin := p.new
	if name[:len(p.old)] == strings.ToUpper(p.old) {
		begin = strings.ToUpper(begin)
	}
	name = begin + name[len(p.old):]
	if alone {
		name = strings.TrimSuffix(name, "_")
	}
	return name
}

// joinPrefixed pairs the names that differ in their beginning alone.
func (c *comparison) joinPrefixed() {
	if len(c.prefixes) == 0 {
		return
	}
	byName := map[string]*ledger.Symbol{}
	for _, s := range c.come {
		byName[family(s.Kind)+" "+s.Name] = s
	}
	from, to := map[[2]string]int{}, map[string]bool{}
	for _, s := range c.gone {
		for _, p := range c.prefixes {
			n := byName[family(s.Kind)+" "+p.apply(s.Name)]
			if n == nil || !p.about(s) {
				continue
			}
			c.join(s, n, p)
			if s.Library != n.Library {
				from[[2]string{s.Library, n.Library}]++
			}
			break
		}
	}
	c.dropJoined()
	c.renameLibraries(from, to)
}

// renameLibraries notes packages that are gone and whose symbols are in another that is new.
func (c *comparison) renameLibraries(moved map[[2]string]int, taken map[string]bool) {
	in := func(l *ledger.Ledger, lib string) bool {
		return slices.ContainsFunc(l.Symbols, func(s ledger.Symbol) bool { return s.Library == lib })
	}
	var found [][2]string
	for m := range moved {
		if !in(c.new, m[0]) && !in(c.old, m[1]) {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b [2]string) int {
		return cmp.Or(-cmp.Compare(moved[a], moved[b]), cmp.Compare(min(a[0], a[1]), min(b[0], b[1])), cmp.Compare(max(a[0], a[1]), max(b[0], b[1])))
	})
	for _, m := range found {
		if _, done := c.libraries[m[0]]; !done && !taken[m[1]] {
			c.libraries[m[0]] = m[1]
			taken[m[1]] = true
		}
	}
}
