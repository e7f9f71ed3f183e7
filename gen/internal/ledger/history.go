package ledger

import (
	"slices"
	"strings"
)

// History is what ledgers of several versions say about the functions of one of them.
type History struct {
	now    *version
	before []*version // the newest first
	after  []*version // the oldest first
}

type version struct {
	release string
	partial bool               // what it has not may be there
	symbols map[string]*Symbol // by kind and name
	types   *Types
}

// NewHistory sets the ledger of the bindings among those of other versions. Another ledger of the
// same release is left out.
func NewHistory(now *Ledger, others []*Ledger) *History {
	h := &History{now: newVersion(now)}
	others = slices.Clone(others)
	slices.SortFunc(others, func(a, b *Ledger) int { return Compare(a.Version, b.Version) })
	for _, l := range others {
		switch c := Compare(Release(l.Version), Release(now.Version)); {
		case c < 0:
			h.before = append([]*version{newVersion(l)}, h.before...)
		case c > 0:
			h.after = append(h.after, newVersion(l))
		}
	}
	return h
}

func newVersion(l *Ledger) *version {
	v := &version{release: Release(l.Version), partial: l.Partial, symbols: map[string]*Symbol{}, types: l.Types()}
	for i := range l.Symbols {
		s := &l.Symbols[i]
		v.symbols[string(s.Kind)+" "+s.Name] = s
	}
	return v
}

// Span is between which releases a function can be called as the bindings call it.
type Span struct {
	Since  string // the first release that is known to have the function; empty if the oldest known one has it
	Before string // the release before that is known not to have it
	From   string // an older release has it with another signature, this one is the first known with the bindings'
	Until  string // a newer release, this one, has it with another signature
	Differ string // the release with the other signature, if From is set
}

// Of is the span of a function.
func (h *History) Of(function string) Span {
	var s Span
	now := h.now.symbols["function "+function]
	if now == nil {
		return s
	}
	same := h.now.release
	for _, v := range h.before {
		old := v.symbols["function "+function]
		if old == nil && v.partial {
			continue
		}
		if old == nil {
			if v.knows(now.Library) {
				s.Since, s.Before = same, v.release
			}
			break
		}
		if !h.same(now, v, old) {
			s.From, s.Differ = same, v.release
			break
		}
		same = v.release
	}
	for _, v := range h.after {
		other := v.symbols["function "+function]
		if other == nil && v.partial {
			continue
		}
		if other == nil {
			break
		}
		if !h.same(now, v, other) {
			s.Until = v.release
			break
		}
	}
	return s
}

// knows tells whether the ledger has anything of a library: if not, it says nothing about its
// functions.
func (v *version) knows(library string) bool {
	for _, s := range v.symbols {
		if s.Library == library {
			return true
		}
	}
	return false
}

// same tells whether a call means the same in both versions: the same is passed, and what it
// points to has the same layout and the same values.
func (h *History) same(now *Symbol, v *version, other *Symbol) bool {
	call := h.now.types.Call(now.C)
	if call != v.types.Call(other.C) {
		return false
	}
	for _, tag := range Tags(call) {
		a, b := h.now.symbols[tag], v.symbols[tag]
		if a == nil || b == nil {
			continue
		}
		if a.Kind == Enum {
			if !h.sameValues(a.Name, v) || !h.sameSize(a.Name, v) {
				return false
			}
		} else if !h.sameLayout(a, v, b) {
			return false
		}
	}
	return true
}

// sameLayout tells whether both versions have the same members in the same places.
func (h *History) sameLayout(a *Symbol, v *version, b *Symbol) bool {
	if a.Kind != b.Kind || a.Kind == Object {
		return a.C == b.C
	}
	x, errX := h.now.types.Layout(a)
	y, errY := v.types.Layout(b)
	if errX != nil || errY != nil || x.Unknown != nil || y.Unknown != nil {
		return a.C == b.C
	}
	places := func(l *Layout) (all []Place) {
		for _, p := range l.Places {
			p.Decl = ""
			all = append(all, p)
		}
		slices.SortFunc(all, func(p, q Place) int { return strings.Compare(p.Name, q.Name) }) // those of a union
		return all
	}
	return x.Size == y.Size && x.Align == y.Align && slices.Equal(places(x), places(y))
}

// sameSize tells whether a value of an enumeration takes as many bytes in both versions: a value that one of them has alone may need more.
func (h *History) sameSize(tag string, v *version) bool {
	a, errA := h.now.types.EnumSize(tag)
	b, errB := v.types.EnumSize(tag)
	return errA != nil || errB != nil || a == b
}

// sameValues tells whether the enumerators that both versions have are the same numbers.
func (h *History) sameValues(tag string, v *version) bool {
	for key, a := range h.now.symbols {
		if a.Kind != Enumerator {
			continue
		}
		if t, x, _ := a.EnumeratorOf(); t == tag {
			if b := v.symbols[key]; b != nil {
				if _, y, _ := b.EnumeratorOf(); x != y {
					return false
				}
			}
		}
	}
	return true
}
