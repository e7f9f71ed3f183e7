package model

import (
	"fmt"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/layout"
)

// recordLayout is where the ABI puts the members of a record. The emitted C asserts every number.
type recordLayout struct {
	size, align int
	bits        []int // the first bit of each field
	err         error
}

const (
	pointerSize = layout.Pointer
	byteBits    = layout.Byte
)

// layoutOf lays a complete record out, once.
func (b *builder) layoutOf(r *cparse.Record) *recordLayout {
	if l := b.layouts[r]; l != nil {
		return l
	}
	l := &recordLayout{align: 1, err: fmt.Errorf("holds itself")}
	b.layouts[r] = l // while it is being made
	l.err = b.layOut(l, r)
	return l
}

func (b *builder) layOut(l *recordLayout, r *cparse.Record) error {
	own, err := layout.ParseAttributes(r.Attrs)
	if err != nil {
		return err
	}
	p := &layout.Placer{Union: r.Kind == "union", Pack: r.Pack, Own: own}
	for _, f := range r.Fields {
		size, align, err := b.measure(f.Type, f.Anon)
		if err != nil {
			return fmt.Errorf("member %s: %w", f.Name, err)
		}
		attrs, err := layout.ParseAttributes(f.Attrs)
		if err != nil {
			return fmt.Errorf("member %s: %w", f.Name, err)
		}
		at := 0
		if f.Bits > 0 || f.Name == "" && f.Anon == nil {
			if at, err = p.BitField(f.Name, f.Bits, size, align, attrs); err != nil {
				return err
			}
		} else {
			at = p.Member(size, align, attrs)
		}
		l.bits = append(l.bits, at)
	}
	l.size, l.align, err = p.End()
	return err
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
