package ledger

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/layout"
)

// Layout is where the C compiler puts the members of a struct or union.
type Layout struct {
	Places []Place
	// Size and Align are those of the record, in bytes.
	Size, Align int
	// Unknown says why only the names and types of the members are known, in their order: one has a type that the ledger
	// does not have.
	Unknown error
}

// Place is a member of a record. Those of anonymous records are members of the record that they are in; those of untagged
// records have the path to them in front: "header.length", of an array's elements "entries[].key".
type Place struct {
	Name string
	Decl string // as declared, without attributes
	Type string // as Types.Call has it
	Bit  int    // the first
	Bits int    // how many
	// Field tells that it is a bit-field.
	Field bool
}

// Layout lays a struct or union out. An error means that its declaration is not understood.
func (t *Types) Layout(s *Symbol) (*Layout, error) {
	l, err := t.layOut(s)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", s.Kind, s.Name, err)
	}
	return l, nil
}

func (t *Types) layOut(s *Symbol) (*Layout, error) {
	key := string(s.Kind) + " " + s.Name
	if l := t.layouts[key]; l != nil {
		return l, nil
	}
	r, err := t.parseRecord(s.C)
	if err != nil {
		return nil, err
	}
	l := &Layout{Unknown: fmt.Errorf("holds itself")}
	t.layouts[key] = l // while it is being made
	*l = *t.lay(r)
	return l, nil
}

// lay lays a record out, once. It goes on where a size is not known: names and types are then all that can be compared.
func (t *Types) lay(r *record) *Layout {
	if r.layout != nil {
		return r.layout
	}
	l := &Layout{}
	r.layout = l
	own, err := layout.ParseAttributes(r.attrs)
	l.Unknown = err
	put := &layout.Placer{Union: r.union, Pack: r.pack, Own: own}
	for _, m := range r.members {
		if err := t.place(l, put, m); err != nil && l.Unknown == nil {
			l.Unknown = fmt.Errorf("member %s: %w", m.name, err)
		}
	}
	if l.Size, l.Align, err = put.End(); l.Unknown == nil {
		l.Unknown = err
	}
	return l
}

// place puts a member behind the others. An error says what of it is not known.
func (t *Types) place(l *Layout, put *layout.Placer, m *member) error {
	size, align, err := t.measure(m.call, m.inner)
	attrs, bad := layout.ParseAttributes(m.attrs)
	if err == nil {
		err = bad
	}
	here := Place{Name: m.name, Decl: m.decl, Type: m.call, Bits: size * layout.Byte}
	if m.bits >= 0 {
		here.Bits, here.Field = m.bits, true
		if here.Bit, bad = put.BitField(m.name, m.bits, size, max(align, 1), attrs); err == nil {
			err = bad
		}
		if m.name != "" {
			l.Places = append(l.Places, here)
		}
		return err
	}
	here.Bit = put.Member(size, max(align, 1), attrs)
	kind := strings.TrimLeft(m.call, "[]0123456789")
	if within := m.inner != nil && kind == m.call; !within && m.name != "" {
		l.Places = append(l.Places, here)
	}
	if m.inner == nil {
		return err
	}
	path, base := m.name, here.Bit
	switch {
	case path == "":
	case strings.HasPrefix(kind, "*"):
		path, base = path+"->", 0
	case kind != m.call:
		path += strings.Repeat("[]", strings.Count(m.call[:len(m.call)-len(kind)], "[")) + "."
	default:
		path += "."
	}
	for _, q := range t.lay(m.inner).Places {
		q.Name, q.Bit = path+q.Name, base+q.Bit
		l.Places = append(l.Places, q)
	}
	return err
}

var (
	sized = regexp.MustCompile(`^[iu](8|16|32|64)$`)
	array = regexp.MustCompile(`^\[(\d*)\]`)
)

// measure is the size and the alignment of a type in bytes; inner is the untagged record in it.
func (t *Types) measure(call string, inner *record) (size, align int, err error) {
	if n := sized.FindStringSubmatch(call); n != nil {
		bits, _ := strconv.Atoi(n[1])
		return bits / layout.Byte, bits / layout.Byte, nil
	}
	if n := array.FindStringSubmatch(call); n != nil {
		size, align, err = t.measure(call[len(n[0]):], inner)
		count, _ := strconv.Atoi(n[1]) // none of a flexible array
		return size * count, align, err
	}
	kind, tag, _ := strings.Cut(call, " ")
	switch {
	case strings.HasPrefix(call, "*"):
		return layout.Pointer, layout.Pointer, nil
	case call == "float":
		return 4, 4, nil
	case call == "double":
		return 8, 8, nil
	case call == "long double", strings.Contains(call, "__int128"):
		return 16, 16, nil
	case kind == "enum":
		size, err := t.EnumSize(tag)
		return size, max(size, 1), err
	case (kind == "struct" || kind == "union") && inner != nil:
		l := t.lay(inner)
		return l.Size, l.Align, l.Unknown
	case kind == "struct" || kind == "union":
		s := t.records[tag]
		if s == nil {
			return 0, 1, fmt.Errorf("the members of %s are not in the ledger", call)
		}
		l, err := t.layOut(s)
		if err != nil {
			return 0, 1, err
		}
		return l.Size, l.Align, l.Unknown
	}
	return 0, 1, fmt.Errorf("the size of %s is not known", call)
}

// EnumSize is how many bytes a value of an enumeration takes: as many as an int, or what else the values need.
func (t *Types) EnumSize(tag string) (size int, err error) {
	e := t.enums[tag]
	if e == nil {
		return 0, fmt.Errorf("the values of enum %s are not in the ledger", tag)
	}
	size = 8
	for _, n := range []int{4, 2, 1} {
		limit := int64(1) << (8*n - 1) // of a signed number
		fits := e.lo == 0 && e.hi < 2*limit || e.lo < 0 && e.lo >= -limit && e.hi < limit
		if fits && !e.big && (n == 4 || e.packed) {
			size = n
		}
	}
	return size, nil
}

// enumRange is what decides how large an enumeration is.
type enumRange struct {
	lo, hi      int64
	big, packed bool // big: a value is above that of an int64
}

// index notes the records and enumerations of a ledger.
func (t *Types) index(l *Ledger) {
	t.records, t.enums, t.layouts = map[string]*Symbol{}, map[string]*enumRange{}, map[string]*Layout{}
	for i := range l.Symbols {
		switch s := &l.Symbols[i]; s.Kind {
		case Struct, Union:
			t.records[s.Name] = s
		case Enum:
			t.enums[s.Name] = &enumRange{packed: strings.Contains(s.C, "packed")}
		}
	}
	for i := range l.Symbols {
		s := &l.Symbols[i]
		if s.Kind != Enumerator {
			continue
		}
		tag, v, ok := s.EnumeratorOf()
		e := t.enums[tag]
		switch {
		case e == nil:
		case ok:
			e.lo, e.hi = min(e.lo, v), max(e.hi, v)
		default:
			e.big = true
		}
	}
}
