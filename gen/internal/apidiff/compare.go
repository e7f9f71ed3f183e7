package apidiff

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// Compare compares two ledgers, and the documentation of their symbols. Where one side has none at all, neither may have any.
func Compare(old, new *ledger.Ledger) *Report {
	r, _ := compare(old, new)
	return r
}

func compare(old, new *ledger.Ledger) (*Report, *comparison) {
	return compareWith(old, new, old.Types(), new.Types())
}

func compareWith(old, new *ledger.Ledger, oldTypes, newTypes *ledger.Types) (*Report, *comparison) {
	c := &comparison{
		old: old, new: new, oldTypes: oldTypes, newTypes: newTypes,
		oldEnums: enumerators(old), newEnums: enumerators(new), oldRoles: roles(old), newRoles: roles(new),
		names: map[string]string{}, libraries: map[string]string{}, goNames: map[string]string{}, told: map[*ledger.Symbol]bool{},
	}
	c.match()
	c.findPrefixes()
	c.joinPrefixed()
	c.findRenames()
	for _, p := range c.pairs {
		if strings.HasPrefix(p.old.Go, "type ") && strings.HasPrefix(p.new.Go, "type ") && qualified(p.old) != qualified(p.new) {
			c.goNames[qualified(p.old)] = qualified(p.new)
		}
	}
	r := &Report{
		Changes: []Change{}, // in JSON a list, also where it is empty
		Old:     Side{Version: old.Version, Symbols: len(old.Symbols)},
		New:     Side{Version: new.Version, Symbols: len(new.Symbols)},
	}
	r.Notes, r.Libraries = c.missingLibraries(), c.fates()
	groups := map[*prefix]*Change{}
	for _, p := range c.pairs {
		ch := c.compare(p)
		switch {
		case ch == nil:
		case p.prefix != nil && explained(ch) && goName(p.old.Go) == goName(p.new.Go):
			c.group(groups, p, ch)
		default:
			r.Changes = append(r.Changes, *ch)
		}
	}
	for _, g := range groups {
		finishGroup(g)
		r.Changes = append(r.Changes, *g)
	}
	for _, s := range c.gone {
		r.Changes = append(r.Changes, *c.one(s, Removed))
	}
	for _, s := range c.come {
		r.Changes = append(r.Changes, *c.one(s, Added))
	}
	r.finish()
	return r, c
}

// missingLibraries notes libraries that one side has not: not all that is removed was there to be seen.
func (c *comparison) missingLibraries() []string {
	var notes []string
	old, new := libraries(c.old), libraries(c.new)
	for _, l := range old {
		if _, renamed := c.libraries[l]; !renamed && !slices.Contains(new, l) {
			notes = append(notes, fmt.Sprintf("library %s is only in OLD: if NEW was made without it, symbols that are reported as removed may still exist", l))
		}
	}
	for _, l := range new {
		if !slices.Contains(old, l) && !slices.Contains(slices.Collect(maps.Values(c.libraries)), l) {
			notes = append(notes, fmt.Sprintf("library %s is only in NEW", l))
		}
	}
	return notes
}

// fates are what happened to whole libraries.
func (c *comparison) fates() map[string]string {
	var out map[string]string
	set := func(library, fate string) {
		if out == nil {
			out = map[string]string{}
		}
		out[library] = fate
	}
	old, new := libraries(c.old), libraries(c.new)
	for _, l := range old {
		if _, renamed := c.libraries[l]; !renamed && !slices.Contains(new, l) {
			set(l, "only in OLD")
		}
	}
	for _, l := range new {
		if !slices.Contains(old, l) {
			set(l, "only in NEW")
		}
	}
	for from, to := range c.libraries {
		set(to, "was "+from)
	}
	return out
}

// one is a symbol that is on one side alone.
func (c *comparison) one(s *ledger.Symbol, k Kind) *Change {
	ch := c.change(s)
	form := &Form{C: s.C, Go: s.Go}
	ms := slices.Concat(c.newEnums.of[nameOf(s, ledger.Enum)], c.newRoles.of[nameOf(s, ledger.Function)])
	if k == Removed {
		ms = slices.Concat(c.oldEnums.of[nameOf(s, ledger.Enum)], c.oldRoles.of[nameOf(s, ledger.Function)])
		ch.Old = form
		a := aspect{kind: k, class: Breaking, breaks: ForC}
		if s.Go != "" {
			a.breaks = both
		}
		ch.add(a)
	} else {
		ch.New = form
		ch.add(aspect{kind: k, class: Addition})
	}
	for _, m := range ms {
		if c.told[m] {
			continue
		}
		member := Member{Old: m.Name, Note: memberNote(m)}
		if k == Added {
			member = Member{New: m.Name, Note: memberNote(m)}
		}
		ch.Members = append(ch.Members, member)
	}
	ch.Means = meaningOf(ch, s, s)
	return ch
}

// nameOf is the name of a symbol of the family of a kind, or empty.
func nameOf(s *ledger.Symbol, k ledger.Kind) string {
	if family(s.Kind) == family(k) {
		return s.Name
	}
	return ""
}

// memberNote says of an enumerator its value, of a callback its Go name.
func memberNote(m *ledger.Symbol) string {
	if _, v, ok := m.EnumeratorOf(); ok {
		return fmt.Sprintf("= %d", v)
	}
	return qualified(m)
}

// change begins the entry of a symbol.
func (c *comparison) change(s *ledger.Symbol) *Change {
	return &Change{ID: string(s.Kind) + "-" + s.Name, Symbol: s.Kind, Name: s.Name, Library: s.Library, Header: s.Header, Stability: s.Stability}
}

// noDoc stands in for the documentation of a symbol that has none.
const noDoc = "not documented"

// compare finds all differences of a pair; nil where there are none.
func (c *comparison) compare(p pair) *Change {
	old, new := p.old, p.new
	ch := c.change(new)
	ch.Old, ch.New = &Form{old.C, old.Go}, &Form{new.C, new.Go}
	if old.Name != new.Name {
		ch.Was = old.Name
		breaks := ForC
		if old.Go != "" && new.Go != "" && qualified(old) != qualified(new) {
			breaks = both
		}
		ch.add(aspect{kind: Renamed, class: Breaking, breaks: breaks})
	}
	if old.Kind != new.Kind {
		ch.add(kindChange(old, new))
	}
	c.compareC(ch, old, new)
	c.compareGo(ch, old, new)
	if old.Header != new.Header && c.header(old.Header) != new.Header && new.Kind != ledger.Object { // a tag is declared wherever it is named
		ch.add(aspect{kind: HeaderMoved, class: Compatible, detail: []string{fmt.Sprintf("declared in %s, was in %s", new.Header, old.Header)}})
	}
	stability(ch, old.Stability, new.Stability)
	if len(ch.Kinds) == 0 && !sameText(old.Doc, new.Doc) {
		ch.add(aspect{kind: Docs, class: Compatible, detail: []string{"was: " + clip(cmp.Or(old.Doc, noDoc)), "is: " + clip(cmp.Or(new.Doc, noDoc))}})
	}
	if len(ch.Kinds) == 0 {
		return nil
	}
	ch.Means = meaningOf(ch, old, new)
	return ch
}

// header is the name that a header of OLD has in NEW, if that is said by a renamed prefix.
func (c *comparison) header(name string) string {
	for _, p := range c.prefixes {
		if n := p.apply(name); n != "" {
			return n
		}
		if name == strings.TrimSuffix(p.old, "_")+".h" {
			return strings.TrimSuffix(p.new, "_") + ".h"
		}
	}
	return name
}

// clip shortens documentation that is shown.
func clip(doc string) string {
	const most = 400
	r := []rune(strings.Join(strings.Fields(doc), " "))
	if len(r) > most {
		return string(r[:most]) + " ..."
	}
	return string(r)
}

// kindChange says what it costs that a symbol is something else now.
func kindChange(old, new *ledger.Symbol) aspect {
	a := aspect{kind: KindChanged, class: Compatible, detail: []string{fmt.Sprintf("%s, was %s", article(new.Kind), article(old.Kind))}}
	switch {
	case old.Kind == ledger.Inline && new.Kind == ledger.Function, old.Kind == ledger.Object,
		old.Kind == ledger.Macro && new.Kind == ledger.Enumerator, old.Kind == ledger.Enumerator && new.Kind == ledger.Macro:
	case old.Kind == ledger.Function && new.Kind == ledger.Inline:
		a.class, a.breaks = Breaking, ForC
		a.detail = append(a.detail, "the library no longer exports it")
	default:
		a.class, a.breaks = Breaking, ForC
		if old.Go != "" {
			a.breaks = both
		}
	}
	return a
}

// article names a kind of symbol as a sentence does.
func article(k ledger.Kind) string {
	switch k {
	case ledger.Inline:
		return "an inline function"
	case ledger.Object:
		return "an object without members"
	case ledger.Struct, ledger.Union:
		return "a complete " + string(k)
	case ledger.Enum, ledger.Enumerator:
		return "an " + string(k)
	}
	return "a " + string(k)
}

// compareC compares the declarations in C.
func (c *comparison) compareC(ch *Change, old, new *ledger.Symbol) {
	switch fam := family(new.Kind); {
	case fam != family(old.Kind):
	case fam == "function":
		c.comparePrototypes(ch, old, new)
		c.compareRoles(ch, old, new)
	case fam == "typedef":
		c.comparePrototypes(ch, old, new)
	case fam == "record":
		if old.Kind == new.Kind {
			c.compareRecords(ch, old, new)
		}
	case fam == "enum":
		c.compareEnums(ch, old, new)
	case fam == "constant":
		compareValues(ch, old, new)
	case !sameText(c.renamed(old.C), new.C): // a callback without its function
		ch.add(aspect{kind: Signature, class: Breaking, breaks: both, detail: []string{fmt.Sprintf("the type is %s, was %s", new.C, old.C)}})
	}
}

// comparePrototypes tells a call that passes other things from one that is only written in another way.
func (c *comparison) comparePrototypes(ch *Change, old, new *ledger.Symbol) {
	if sameText(old.C, new.C) && c.oldCall(old.C) == c.newCall(new.C) {
		return
	}
	call, spelling := c.difference(old.C, new.C)
	if c.oldCall(old.C) != c.newCall(new.C) {
		ch.add(aspect{kind: Signature, class: Breaking, breaks: ForC, detail: slices.Concat(call, spelling)})
		return
	}
	if sameText(c.renamed(old.C), new.C) {
		return
	}
	if len(spelling) == 0 {
		spelling = []string{fmt.Sprintf("spelled %s, was %s", new.C, old.C)}
	}
	ch.add(aspect{kind: Spelling, class: Compatible, detail: spelling})
}

// compareRoles compares the callbacks that a function installs.
func (c *comparison) compareRoles(ch *Change, old, new *ledger.Symbol) {
	role := func(s *ledger.Symbol) string { _, p, _ := strings.Cut(s.Name, "("); return strings.TrimSuffix(p, ")") }
	a, b := slices.Clone(c.oldRoles.of[old.Name]), slices.Clone(c.newRoles.of[new.Name])
	report := func(x, y *ledger.Symbol, note string) {
		m := Member{Note: note}
		if x != nil {
			m.Old = x.Name
		}
		if y != nil {
			m.New = y.Name
		}
		ch.Members = append(ch.Members, m)
	}
	for _, same := range []func(x, y *ledger.Symbol) bool{
		func(x, y *ledger.Symbol) bool { return role(x) == role(y) },
		func(x, y *ledger.Symbol) bool { return sameText(c.renamed(x.C), y.C) },
	} {
		a = slices.DeleteFunc(a, func(x *ledger.Symbol) bool {
			i := slices.IndexFunc(b, func(y *ledger.Symbol) bool { return same(x, y) })
			if i < 0 {
				return false
			}
			y := b[i]
			b = slices.Delete(b, i, i+1)
			if x.Go != "" && y.Go != "" && goName(x.Go) != goName(y.Go) {
				report(x, y, qualified(x)+" is "+qualified(y))
				if old.Name == new.Name {
					ch.add(aspect{kind: GoChanged, class: Breaking, breaks: ForGo})
				}
			}
			return true
		})
	}
	for _, x := range a {
		report(x, nil, qualified(x))
		breaks := ForC
		if x.Go != "" {
			breaks = both
		}
		ch.add(aspect{kind: Signature, class: Breaking, breaks: breaks, detail: []string{fmt.Sprintf("callback %s no longer exists", role(x))}})
	}
	for _, y := range b {
		report(nil, y, qualified(y))
		ch.add(aspect{kind: Bound, class: Addition, detail: []string{fmt.Sprintf("callback %s is bound", role(y))}})
	}
}

// versionMacro are constants that say which version it is: they change with each.
var versionMacro = regexp.MustCompile(`^DOCA_(CURRENT_)?(VER|VERSION)_`)

// compareValues compares constants. The version differs in each release, and is not a break.
func compareValues(ch *Change, old, new *ledger.Symbol) {
	value := func(s *ledger.Symbol) string {
		if _, v, ok := s.EnumeratorOf(); ok {
			return fmt.Sprint(v)
		}
		return s.C
	}
	x, y := value(old), value(new)
	if sameText(x, y) {
		return
	}
	a := aspect{kind: Value, class: Breaking, breaks: ForC, detail: []string{fmt.Sprintf("%s, was %s", y, x)}}
	switch {
	case versionMacro.MatchString(new.Name):
		a.class, a.breaks = Compatible, ""
	case old.Go != "":
		a.breaks = both
	case !plainValue.MatchString(x) || !plainValue.MatchString(y):
		a.class, a.breaks = Compatible, ""
		a.detail = append(a.detail, "C source that no binding uses")
	}
	ch.add(a)
}

var plainValue = regexp.MustCompile(`^(-?\d+|".*")$`)

// compareGo compares the Go declarations.
func (c *comparison) compareGo(ch *Change, old, new *ledger.Symbol) {
	switch {
	case old.Go == "" && new.Go == "":
		return
	case new.Go == "":
		ch.add(aspect{kind: Unbound, class: Breaking, breaks: ForGo, detail: []string{qualified(old) + " is no longer generated"}})
		return
	case old.Go == "":
		ch.add(aspect{kind: Bound, class: Addition, detail: []string{qualified(new) + " is generated now"}})
		return
	}
	if ch.Was == "" && (goName(old.Go) != goName(new.Go) || old.Library != new.Library) {
		ch.add(aspect{kind: GoChanged, class: Breaking, breaks: ForGo, detail: []string{fmt.Sprintf("in Go %s, was %s", qualified(new), qualified(old))}})
	}
	if constant := family(new.Kind) == "constant"; constant || family(old.Kind) != family(new.Kind) {
		return // a constant's type changes with its kind alone
	}
	x, y := c.goTypes(old, true), c.goTypes(new, false)
	if x == y || new.Kind == ledger.Callback {
		return
	}
	if ch.Has(Signature) {
		ch.add(aspect{kind: Signature, class: Breaking, breaks: ForGo})
		return
	}
	if ch.Has(Spelling) && family(new.Kind) == "function" { // bool and uint8_t are one to the ABI, and two to Go
		ch.Kinds = slices.DeleteFunc(ch.Kinds, func(k Kind) bool { return k == Spelling })
		ch.add(aspect{kind: Signature, class: Breaking, breaks: ForGo})
		return
	}
	ch.add(aspect{kind: GoChanged, class: Breaking, breaks: ForGo, detail: []string{fmt.Sprintf("in Go %s, was %s", new.Go, old.Go)}})
}

// stability notes promotions and the like.
func stability(ch *Change, old, new string) {
	if old == new || old == "" || new == "" {
		return
	}
	a := aspect{class: Compatible, detail: []string{fmt.Sprintf("%s, was %s", new, old)}}
	switch {
	case new == "deprecated":
		a.kind = Deprecated
	case old == "deprecated":
		a.kind = Undeprecated
	case new == "experimental":
		a.kind = Demoted
	default:
		a.kind = Promoted
	}
	ch.add(a)
}

// explained tells whether the rename of its prefix is all that breaks.
func explained(ch *Change) bool {
	for _, k := range ch.Kinds {
		switch k {
		case Renamed, Spelling, HeaderMoved, Promoted, Demoted, Deprecated, Undeprecated, Bound:
		default:
			return false
		}
	}
	return true
}

// group adds a change to that of its prefix.
func (c *comparison) group(groups map[*prefix]*Change, p pair, ch *Change) {
	g := groups[p.prefix]
	if g == nil {
		g = &Change{ID: "prefix-" + p.prefix.old + "-" + p.prefix.new, Symbol: Prefix, Name: p.prefix.new, Was: p.prefix.old, Library: ch.Library}
		g.Means = "Each symbol has its old name with the new prefix and is otherwise the same. Other changes are listed separately."
		if to, ok := c.libraries[p.old.Library]; ok && to == ch.Library {
			g.Means = fmt.Sprintf("Import %s instead of %s. The Go names in the package are the same. Other changes are listed separately.", to, p.old.Library)
		}
		groups[p.prefix] = g
	}
	for _, k := range ch.Kinds {
		a := aspect{kind: k, class: ch.Class, breaks: strings.Join(ch.Breaks, " ")}
		g.add(a)
	}
	var notes []string
	for _, k := range ch.Kinds {
		if k != Renamed {
			notes = append(notes, string(k))
		}
	}
	g.Members = append(g.Members, Member{Old: ch.Was, New: ch.Name, Note: strings.Join(notes, ", ")})
}

// finishGroup sorts the members of a renamed prefix, and counts what else has happened to them.
func finishGroup(g *Change) {
	slices.SortFunc(g.Members, func(a, b Member) int { return strings.Compare(a.New, b.New) })
	g.Details = []string{fmt.Sprintf("%d symbols begin with %s, began with %s", len(g.Members), g.Name, g.Was)}
	count := map[Kind]int{}
	for _, m := range g.Members {
		for _, n := range strings.Split(m.Note, ", ") {
			count[Kind(n)]++
		}
	}
	for _, k := range Kinds {
		if n := count[k]; n > 0 {
			g.Details = append(g.Details, fmt.Sprintf("%d of them: %s", n, k))
		}
	}
}
