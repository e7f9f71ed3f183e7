package apidiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// compareRecords compares structs and unions as the C compiler lays them out: names, types, places and sizes of the members.
func (c *comparison) compareRecords(ch *Change, old, new *ledger.Symbol) {
	if new.Kind == ledger.Object {
		return
	}
	a, errA := c.oldTypes.Layout(old)
	b, errB := c.newTypes.Layout(new)
	if errA != nil || errB != nil { // no text that gen wrote
		if !sameText(c.renamed(old.C), new.C) {
			ch.add(aspect{kind: Layout, class: Breaking, breaks: breaksOf(old), detail: []string{fmt.Sprintf("%s, was %s", new.C, old.C)}})
		}
		return
	}
	r := &recordDiff{c: c, a: a, b: b, known: a.Unknown == nil && b.Unknown == nil, union: new.Kind == ledger.Union}
	r.members()
	if r.known && a.Size != b.Size {
		r.layout = append(r.layout, fmt.Sprintf("%d bytes, were %d", b.Size, a.Size))
	}
	if r.known && a.Align != b.Align {
		r.layout = append(r.layout, fmt.Sprintf("aligned to %s, was to %d", bytesOf(b.Align), a.Align))
	}
	if x, y := attributes(old), attributes(new); !r.known && x != y {
		r.layout = append(r.layout, fmt.Sprintf("attributes are %q, were %q", y, x))
	}
	switch {
	case len(r.layout) > 0:
		ch.add(aspect{kind: Layout, class: Breaking, breaks: breaksOf(old), detail: slices.Concat(r.layout, r.inGo, r.spelling)})
	case len(r.inGo) > 0 && old.Go != "":
		ch.add(aspect{kind: Layout, class: Breaking, breaks: ForGo, detail: slices.Concat(r.inGo, r.spelling)})
	case len(r.inGo)+len(r.spelling) > 0:
		ch.add(aspect{kind: Spelling, class: Compatible, detail: slices.Concat(r.inGo, r.spelling)})
	case !sameText(c.renamed(old.C), new.C):
		ch.add(aspect{kind: Spelling, class: Compatible, detail: []string{"declared in another way; the C compiler puts each member where it was"}})
	}
}

// recordDiff is the comparison of two layouts in the making.
type recordDiff struct {
	c            *comparison
	a, b         *ledger.Layout
	known, union bool // known: the places of the members are

	layout, inGo, spelling []string // what is different: for all, for Go alone, in the text alone
}

// members compares those of the same name, then what is left.
func (r *recordDiff) members() {
	at := map[string]int{}
	for j, q := range r.b.Places {
		at[q.Name] = j
	}
	var gone []int
	var moved []move
	kept := map[int]bool{}
	for i, p := range r.a.Places {
		j, ok := at[p.Name]
		if !ok {
			gone = append(gone, i)
			continue
		}
		kept[j] = true
		q := r.b.Places[j]
		switch wasBool, isBool := isBoolean(p), isBoolean(q); {
		case r.c.renamed(p.Type) != q.Type || r.known && p.Bits != q.Bits || p.Field != q.Field || !r.known && p.Bits != q.Bits && p.Field:
			r.layout = append(r.layout, fmt.Sprintf("member %s is %s, was %s%s", p.Name, typeOf(q), typeOf(p), r.sizes(p, q)))
		case wasBool != isBool:
			r.inGo = append(r.inGo, fmt.Sprintf("member %s is %s, was %s: another type in Go", p.Name, typeOf(q), typeOf(p)))
		case !sameText(r.c.renamed(typeOf(p)), typeOf(q)):
			r.spelling = append(r.spelling, fmt.Sprintf("member %s is spelled %s, was %s", p.Name, typeOf(q), typeOf(p)))
		}
		switch {
		case r.known && p.Bit != q.Bit:
			moved = append(moved, move{p, q})
		case !r.known && i != j && !r.union && len(r.a.Places) == len(r.b.Places):
			r.layout = append(r.layout, fmt.Sprintf("member %s is the %s, was the %s", p.Name, place(j, len(r.b.Places)), place(i, len(r.a.Places))))
		}
	}
	for _, i := range gone {
		p := r.a.Places[i]
		if j := r.heir(p, kept); j >= 0 {
			kept[j] = true
			r.layout = append(r.layout, fmt.Sprintf("member %s is called %s", p.Name, r.b.Places[j].Name))
			continue
		}
		r.layout = append(r.layout, fmt.Sprintf("member %s (%s) is gone", p.Name, typeOf(p)))
	}
	for j, q := range r.b.Places {
		switch {
		case kept[j]:
		case r.known:
			r.layout = append(r.layout, fmt.Sprintf("member %s (%s) is new, at %s", q.Name, typeOf(q), position(q)))
		default:
			r.layout = append(r.layout, fmt.Sprintf("member %s (%s) is new, %s", q.Name, typeOf(q), place(j, len(r.b.Places))))
		}
	}
	r.layout = append(r.layout, moves(moved)...)
}

// heir is the member that has the place and the type of one that is gone, and another name; -1 if there is none.
func (r *recordDiff) heir(p ledger.Place, kept map[int]bool) int {
	if !r.known {
		return -1
	}
	return slices.IndexFunc(r.b.Places, func(q ledger.Place) bool {
		j := slices.IndexFunc(r.b.Places, func(x ledger.Place) bool { return x.Name == q.Name })
		return !kept[j] && q.Bit == p.Bit && q.Bits == p.Bits && q.Field == p.Field && q.Type == r.c.renamed(p.Type) &&
			!slices.ContainsFunc(r.a.Places, func(x ledger.Place) bool { return x.Name == q.Name })
	})
}

// sizes tells the sizes where the types do not.
func (r *recordDiff) sizes(p, q ledger.Place) string {
	if r.known && !p.Field && !q.Field && p.Bits != q.Bits && typeOf(p) == typeOf(q) {
		return fmt.Sprintf(" (%s, were %d)", bytesOf(q.Bits/8), p.Bits/8)
	}
	return ""
}

// move is a member that lies elsewhere.
type move struct{ from, to ledger.Place }

// moves tells of several members that have moved alike in one line.
func moves(all []move) (out []string) {
	const few = 2
	for len(all) > 0 {
		by := all[0].to.Bit - all[0].from.Bit
		n := 1
		for n < len(all) && all[n].to.Bit-all[n].from.Bit == by {
			n++
		}
		if n > few && by%8 == 0 {
			out = append(out, fmt.Sprintf("%d members moved by %+d bytes: %s to %s", n, by/8, all[0].to.Name, all[n-1].to.Name))
		} else {
			for _, m := range all[:n] {
				out = append(out, fmt.Sprintf("member %s is at %s, was at %s", m.to.Name, position(m.to), position(m.from)))
			}
		}
		all = all[n:]
	}
	return out
}

// position is where a member begins.
func position(p ledger.Place) string {
	if p.Field {
		return fmt.Sprintf("bit %d", p.Bit)
	}
	return fmt.Sprintf("byte %d", p.Bit/8)
}

func bytesOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// typeOf is the type of a member as it is declared.
func typeOf(p ledger.Place) string {
	name := p.Name
	if i := strings.LastIndexAny(name, ".>"); i >= 0 {
		name = name[i+1:]
	}
	return withoutName(p.Decl, name)
}

// isBoolean tells a bool, which the ABI does not tell from a byte.
func isBoolean(p ledger.Place) bool {
	t := typeOf(p)
	return identifier.FindString(strings.TrimPrefix(t, "const ")) == "bool" || strings.HasPrefix(t, "_Bool")
}

// attributes are what stands between the tag and the members: packed, aligned.
func attributes(s *ledger.Symbol) string {
	before, _, _ := strings.Cut(s.C, "{")
	_, after, _ := strings.Cut(before, s.Name)
	end := strings.LastIndex(s.C, "}")
	behind, _, _ := strings.Cut(s.C[end+1:], " size ")
	return strings.TrimSpace(strings.TrimSpace(after) + " " + strings.TrimSpace(behind))
}
