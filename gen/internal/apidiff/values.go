package apidiff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// endMarker are enumerators that count the others.
var endMarker = regexp.MustCompile(`_(MAX|LAST|NUM|COUNT|END|LIMIT)$`)

// enumMember is an enumerator on both sides. One of them may be missing.
type enumMember struct {
	old, new *ledger.Symbol
	x, y     int64
}

// compareEnums compares enumerations; all that happened to the enumerators is one change.
func (c *comparison) compareEnums(ch *Change, old, new *ledger.Symbol) {
	was, errWas := c.oldTypes.EnumSize(old.Name)
	is, errIs := c.newTypes.EnumSize(new.Name)
	if errWas == nil && errIs == nil && was != is {
		ch.add(aspect{kind: Layout, class: Breaking, breaks: breaksOf(old), detail: []string{fmt.Sprintf("a value takes %s, took %d", bytesOf(is), was)}})
	}
	ms := c.pairEnumerators(c.oldEnums.of[old.Name], c.newEnums.of[new.Name])
	top := func(of func(enumMember) (int64, bool)) (n int64) {
		for _, m := range ms {
			if v, ok := of(m); ok {
				n = max(n, v)
			}
		}
		return n
	}
	topOld := top(func(m enumMember) (int64, bool) { return m.x, m.old != nil })
	topNew := top(func(m enumMember) (int64, bool) { return m.y, m.new != nil })
	count := map[string]int{}
	a := aspect{kind: Values, class: Addition}
	worse := func(breaks string) {
		a.class = Breaking
		if a.breaks != both {
			a.breaks = breaks
		}
	}
	for _, m := range ms {
		switch {
		case m.old == nil:
			count["added"]++
			ch.Members = append(ch.Members, Member{New: m.new.Name, Note: fmt.Sprintf("= %d, added", m.y)})
			continue
		case m.new == nil:
			count["removed"]++
			ch.Members = append(ch.Members, Member{Old: m.old.Name, Note: fmt.Sprintf("was %d, removed", m.x)})
			worse(breaksOf(m.old))
			continue
		}
		expected := c.enumeratorName(m.old.Name)
		if renamed := m.old.Name != m.new.Name && expected != m.new.Name; renamed {
			count["renamed"]++
			worse(breaksOf(m.old))
			ch.Members = append(ch.Members, Member{Old: m.old.Name, New: m.new.Name, Note: fmt.Sprintf("= %d, renamed", m.y)})
		} else if m.x == m.y && m.old.Name == m.new.Name && m.old.Go != "" && m.new.Go != "" && goName(m.old.Go) != goName(m.new.Go) {
			count["renamed in Go"]++
			worse(ForGo)
			ch.Members = append(ch.Members, Member{Old: m.old.Name, New: m.new.Name, Note: fmt.Sprintf("in Go %s, was %s", qualified(m.new), qualified(m.old))})
		}
		switch {
		case m.x == m.y:
		case endMarker.MatchString(m.new.Name) && m.x == topOld && m.y == topNew:
			count["end marker moved"]++
			ch.Members = append(ch.Members, Member{Old: m.old.Name, New: m.new.Name, Note: fmt.Sprintf("= %d, was %d: it counts the others", m.y, m.x)})
		default:
			count["moved"]++
			worse(both)
			ch.Members = append(ch.Members, Member{Old: m.old.Name, New: m.new.Name, Note: fmt.Sprintf("= %d, was %d", m.y, m.x)})
		}
	}
	if len(count) == 0 {
		return
	}
	if count["added"] == 0 && a.class == Addition {
		a.class = Compatible
	}
	var parts []string
	for _, k := range []string{"moved", "removed", "renamed", "renamed in Go", "added", "end marker moved"} {
		if count[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[k], k))
		}
	}
	a.detail = []string{"enumerators: " + strings.Join(parts, ", ")}
	if by, ok := shift(ms); ok {
		a.detail = append(a.detail, fmt.Sprintf("all of them moved by %+d: values were added or removed before them", by))
	}
	ch.add(a)
}

// breaksOf is whom the loss of a symbol breaks: C programs, and Go programs if it had a Go form.
func breaksOf(old *ledger.Symbol) string {
	if old.Go != "" {
		return both
	}
	return ForC
}

// shift tells by how much the enumerators moved, where all that moved did so alike.
func shift(ms []enumMember) (by int64, ok bool) {
	for _, m := range ms {
		if m.old == nil || m.new == nil || m.x == m.y || endMarker.MatchString(m.new.Name) {
			continue
		}
		if ok && m.y-m.x != by {
			return 0, false
		}
		by, ok = m.y-m.x, true
	}
	return by, ok
}

// enumeratorName is the name that a renamed prefix gives an enumerator of OLD.
func (c *comparison) enumeratorName(name string) string {
	for _, p := range c.prefixes {
		if n := p.apply(name); n != "" {
			return n
		}
	}
	return name
}

// pairEnumerators pairs those of the same name, then those of the same value with names that are
// much alike. They are in the order of their new values.
func (c *comparison) pairEnumerators(old, new []*ledger.Symbol) []enumMember {
	byName := map[string]*ledger.Symbol{}
	for _, s := range new {
		byName[s.Name] = s
	}
	var ms []enumMember
	used := map[*ledger.Symbol]bool{}
	var rest []*ledger.Symbol
	value := func(s *ledger.Symbol) int64 { _, v, _ := s.EnumeratorOf(); return v }
	for _, s := range old {
		n := byName[c.enumeratorName(s.Name)]
		if n == nil { // of another library, whose names begin in the same way
			n = byName[s.Name]
		}
		switch {
		case c.told[s]:
		case n != nil && !used[n]:
			ms = append(ms, enumMember{s, n, value(s), value(n)})
			used[n] = true
		default:
			rest = append(rest, s)
		}
	}
	byValue := map[int64][]*ledger.Symbol{}
	for _, s := range new {
		if !used[s] && !c.told[s] {
			byValue[value(s)] = append(byValue[value(s)], s)
		}
	}
	times := map[int64]int{}
	for _, s := range rest {
		times[value(s)]++
	}
	for _, s := range rest {
		v := value(s)
		if ns := byValue[v]; len(ns) == 1 && times[v] == 1 {
			if l := compareWords(c.plain(s, true), c.plain(ns[0], false)); l.score >= consistent && !l.opposed && l.instead == "" {
				ms = append(ms, enumMember{s, ns[0], v, v})
				used[ns[0]] = true
				continue
			}
		}
		ms = append(ms, enumMember{old: s, x: v})
	}
	for _, s := range new {
		if !used[s] && !c.told[s] {
			ms = append(ms, enumMember{new: s, y: value(s)})
		}
	}
	slices.SortStableFunc(ms, func(a, b enumMember) int { return order(a, b) })
	return ms
}

func order(a, b enumMember) int {
	at := func(m enumMember) (int64, string) {
		if m.new != nil {
			return m.y, m.new.Name
		}
		return m.x, m.old.Name
	}
	x, xn := at(a)
	y, yn := at(b)
	if x != y {
		if x < y {
			return -1
		}
		return 1
	}
	return strings.Compare(xn, yn)
}
