package apidiff

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// The limits were tuned with the headers of DOCA 2.5 and 3.0.
const (
	likely     = 0.82 // score of a rename that needs no other evidence
	consistent = 0.70 // score where another rename replaces the same words
	followed   = 0.55 // score where two others do, that are consistent
	similar    = 0.80 // likeness of the prototypes that such a rename needs
	nearest    = 24   // candidates that are looked at for a symbol
	frequent   = 400  // symbols with a word that is then no help to find candidates
)

// candidate is a possible rename.
type candidate struct {
	old, new  *ledger.Symbol
	score     float64
	signature float64
	likeness
}

// findRenames pairs what is gone with what has come: records and enumerations first, because
// prototypes name them.
func (c *comparison) findRenames() {
	for _, families := range [][]string{{"record", "enum"}, {"typedef"}, {"function", "constant"}} {
		var cands []candidate
		for _, f := range families {
			cands = append(cands, c.candidates(f)...)
		}
		c.choose(cands)
		c.dropJoined()
	}
}

// candidates compares each symbol with the few that share the rarest words with it.
func (c *comparison) candidates(fam string) []candidate {
	gone, come := c.inFamily(c.gone, fam, true), c.inFamily(c.come, fam, false)
	type ij struct{ i, j int }
	seen := map[ij]bool{}
	for _, p := range near(gone, come) {
		seen[ij{p[0], p[1]}] = true
	}
	for _, p := range near(come, gone) {
		seen[ij{p[1], p[0]}] = true
	}
	var out []candidate
	for p := range seen {
		g, n := gone[p.i], come[p.j]
		l := compareWords(g.words, n.words)
		if l.opposed || l.score < followed {
			continue
		}
		k := candidate{old: g.Symbol, new: n.Symbol, likeness: l, signature: g.like(n)}
		weight := 0.6
		if fam == "record" || fam == "enum" {
			weight = 1
		}
		k.score = weight*l.score + (1-weight)*k.signature
		if k.score = math.Round(k.score*1e6) / 1e6; k.score >= followed {
			out = append(out, k)
		}
	}
	return out
}

// named is a symbol with what its name and its declaration are made of.
type named struct {
	*ledger.Symbol
	words []string
	call  []string
}

func (a *named) like(b *named) float64 {
	if versionMacro.MatchString(a.Name) && versionMacro.MatchString(b.Name) {
		return 1 // the value is another in each version
	}
	return alike(a.call, b.call)
}

func (c *comparison) inFamily(syms []*ledger.Symbol, fam string, old bool) []*named {
	var out []*named
	for _, s := range syms {
		if family(s.Kind) != fam {
			continue
		}
		n := &named{Symbol: s, words: c.plain(s, old)}
		switch {
		case s.Kind == ledger.Macro || s.Kind == ledger.Enumerator:
			n.call = []string{s.C}
		case old:
			n.call = tokens.FindAllString(c.oldCall(s.C), -1)
		default:
			n.call = tokens.FindAllString(c.newCall(s.C), -1)
		}
		out = append(out, n)
	}
	return out
}

// plain are the words of a name; a prefix that was renamed is one word, the same on both sides.
func (c *comparison) plain(s *ledger.Symbol, old bool) []string {
	for _, p := range c.prefixes {
		begin := p.new
		if old {
			begin = p.old
		}
		if p.about(s) && hasPrefixFold(s.Name, begin) {
			return append([]string{">" + p.old + ">" + p.new}, words(s.Kind, s.Name[len(begin):])...)
		}
	}
	return words(s.Kind, s.Name)
}

// near finds for each of a the symbols of b that share its rarest words: pairs of indices. Its
// time grows with the number of symbols, not with its square.
func near(a, b []*named) [][2]int {
	with := map[string][]int{}
	for j, s := range b {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(s.words))) {
			with[w] = append(with[w], j)
		}
	}
	var out [][2]int
	for i, s := range a {
		weight := map[int]float64{}
		for _, w := range slices.Compact(slices.Sorted(slices.Values(s.words))) {
			if js := with[w]; len(js) <= frequent {
				for _, j := range js {
					weight[j] += 1 / float64(len(js)+1)
				}
			}
		}
		js := make([]int, 0, len(weight))
		for j := range weight {
			js = append(js, j)
		}
		slices.SortFunc(js, func(x, y int) int {
			return cmp.Or(-cmp.Compare(weight[x], weight[y]), cmp.Compare(b[x].Name, b[y].Name))
		})
		for _, j := range js[:min(len(js), nearest)] {
			out = append(out, [2]int{i, j})
		}
	}
	return out
}

// choose takes the best candidates first. Where two are equally good for a symbol, neither is
// taken: a guess is worse than an addition and a removal.
func (c *comparison) choose(cands []candidate) {
	evidence := map[string]int{}
	for _, k := range cands {
		if k.instead != "" && k.signature >= similar && k.score >= consistent {
			evidence[k.instead]++
		}
	}
	cands = slices.DeleteFunc(cands, func(k candidate) bool {
		if k.instead != "" {
			return k.signature < similar || evidence[k.instead] < 2
		}
		return k.score < likely
	})
	order := func(k candidate) string {
		x, y := string(k.old.Kind)+" "+k.old.Name, string(k.new.Kind)+" "+k.new.Name
		return min(x, y) + "\x00" + max(x, y)
	}
	slices.SortFunc(cands, func(a, b candidate) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), strings.Compare(order(a), order(b)))
	})
	done := map[*ledger.Symbol]bool{}
	for len(cands) > 0 {
		n := 1
		for n < len(cands) && cands[n].score == cands[0].score {
			n++
		}
		times := map[*ledger.Symbol]int{}
		for _, k := range cands[:n] {
			if !done[k.old] && !done[k.new] {
				times[k.old]++
				times[k.new]++
			}
		}
		for _, k := range cands[:n] {
			if times[k.old] == 1 && times[k.new] == 1 {
				c.join(k.old, k.new, nil)
			}
		}
		for s := range times {
			done[s] = true
		}
		cands = cands[n:]
	}
}
