package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// layout is where the ABI puts the members of a record: System V for x86-64 and AAPCS64, which agree
// in all that is accepted here. The emitted C asserts every number.
type layout struct {
	size, align int
	bits        []int // the first bit of each field
	err         error
}

const (
	pointerSize  = 8
	biggestAlign = 16 // of __attribute__((aligned)) without a number
	byteBits     = 8
)

// layoutOf lays a complete record out, once.
func (b *builder) layoutOf(r *cparse.Record) *layout {
	if l := b.layouts[r]; l != nil {
		return l
	}
	l := &layout{align: 1, err: fmt.Errorf("holds itself")}
	b.layouts[r] = l // while it is being made
	l.err = b.layOut(l, r)
	return l
}

func (b *builder) layOut(l *layout, r *cparse.Record) error {
	own, err := attributesOf(r.Attrs)
	if err != nil {
		return err
	}
	p := &placer{layout: l, pack: r.Pack, packed: own.packed, union: r.Kind == "union"}
	for _, f := range r.Fields {
		size, align, err := b.measure(f.Type, f.Anon)
		if err != nil {
			return fmt.Errorf("member %s: %w", f.Name, err)
		}
		attrs, err := attributesOf(f.Attrs)
		if err != nil {
			return fmt.Errorf("member %s: %w", f.Name, err)
		}
		if f.Bits > 0 || f.Name == "" && f.Anon == nil {
			err = p.bitField(f, size, align, attrs)
		} else {
			p.member(size, align, attrs)
		}
		if err != nil {
			return err
		}
	}
	if p.anonymousAlign > l.align {
		return fmt.Errorf("unnamed bit-field: its type aligns the record on arm64 and does not on amd64")
	}
	l.align = max(l.align, own.align)
	l.size = roundUp(p.end, byteBits*l.align) / byteBits
	return nil
}

// placer puts one member after the other.
type placer struct {
	*layout
	pack          int
	packed, union bool
	at, end       int // in bits: behind the last member, and behind the farthest
	// anonymousAlign is the alignment of bit-fields without a name.
	anonymousAlign int
}

func (p *placer) put(at, bits int) {
	p.bits = append(p.bits, at)
	p.end = max(p.end, at+bits)
	if !p.union {
		p.at = at + bits
	}
}

func (p *placer) member(size, align int, a attributes) {
	if p.packed || a.packed {
		align = 1
	}
	align = max(align, a.align)
	if p.pack > 0 {
		align = min(align, p.pack)
	}
	p.align = max(p.align, align)
	p.put(roundUp(p.at, byteBits*align), byteBits*size)
}

func (p *placer) bitField(f *cparse.Field, size, align int, a attributes) error {
	if f.Bits > byteBits*size {
		return fmt.Errorf("bit-field %s is wider than its type", f.Name)
	}
	if a.align > 0 {
		return fmt.Errorf("bit-field %s has an alignment of its own", f.Name)
	}
	if f.Bits == 0 {
		if p.pack > 0 || p.packed || a.packed {
			return fmt.Errorf("zero-width bit-field in a packed record")
		}
		p.anonymousAlign = max(p.anonymousAlign, align)
		p.put(roundUp(p.at, byteBits*align), 0)
		return nil
	}
	packed := p.packed || a.packed
	at := p.at
	if unit := byteBits * align; !packed && p.pack == 0 && at%unit+f.Bits > byteBits*size {
		at = roundUp(at, unit)
	}
	capped := align
	switch {
	case p.pack > 0: // then packed changes nothing
		capped = min(align, p.pack)
	case packed:
		capped = 1
	}
	if f.Name == "" {
		p.anonymousAlign = max(p.anonymousAlign, capped)
	} else {
		p.align = max(p.align, capped)
	}
	p.put(at, f.Bits)
	return nil
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// attributes are those of a layout.
type attributes struct {
	packed bool
	align  int // 0 where there is none
}

func attributesOf(list []string) (a attributes, err error) {
	for _, s := range list {
		n, isAligned := strings.CutPrefix(s, "aligned")
		switch n = strings.Trim(n, "() "); {
		case s == "packed":
			a.packed = true
		case isAligned && n == "":
			a.align = max(a.align, biggestAlign)
		case isAligned:
			v, err := strconv.ParseUint(strings.TrimRight(n, "uUlL"), 0, 31)
			if err != nil || v == 0 || v&(v-1) != 0 {
				return a, fmt.Errorf("alignment %q is not understood", s)
			}
			a.align = max(a.align, int(v))
		}
	}
	return a, nil
}

// measure is the size and the alignment of a type; r is the record that it declares in its place.
func (b *builder) measure(t *cparse.Type, r *cparse.Record) (size, align int, err error) {
	switch t.Kind {
	case cparse.Named:
		if t.Elem == nil {
			return 0, 0, fmt.Errorf("the size of type %s is not known", t.Name)
		}
		if len(b.alignedTypedefs[t.Name]) > 0 {
			return 0, 0, fmt.Errorf("typedef %s has an alignment of its own", t.Name)
		}
		if d := b.untagged[t.Name]; d != nil && t.Elem.Name == "" {
			r = d
		}
		return b.measure(t.Elem, r)
	case cparse.Int, cparse.Float, cparse.EnumT:
		return t.Size, t.Size, nil
	case cparse.Bool:
		return 1, 1, nil
	case cparse.Pointer:
		return pointerSize, pointerSize, nil
	case cparse.Array:
		size, align, err = b.measure(t.Elem, r)
		return size * max(t.Len, 0), align, err
	case cparse.Struct, cparse.Union:
		if t.Name == "doca_data" {
			return pointerSize, pointerSize, nil
		}
		if t.Name != "" {
			o := b.records[t.Name]
			if o == nil || !o.complete {
				return 0, 0, fmt.Errorf("no header that was read declares the members of %s %s", t.Kind, t.Name)
			}
			r = o.decl
		}
		if r == nil {
			return 0, 0, fmt.Errorf("%s without a name", t.Kind)
		}
		l := b.layoutOf(r)
		return l.size, l.align, l.err
	}
	return 0, 0, fmt.Errorf("the size of C type %q is not known", t.Name)
}
