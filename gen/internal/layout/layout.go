// Package layout puts the members of a record where the ABI does: System V for x86-64 and AAPCS64, which agree
// in all that is accepted here. What comes in are the sizes and alignments of the members, one after the other
// ([Placer]); what goes out is the first bit of each.
package layout

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// Pointer is the size of a pointer, in bytes.
	Pointer = 8
	// Byte is the number of bits in a byte.
	Byte = 8

	biggestAlign = 16 // of __attribute__((aligned)) without a number
)

// Attributes are those of a layout.
type Attributes struct {
	Packed bool
	Align  int // in bytes; 0 where there is none
}

// ParseAttributes reads attributes such as "packed" and "aligned(8)". Others are left out; an alignment that it does not
// understand is an error.
func ParseAttributes(list []string) (a Attributes, err error) {
	for _, s := range list {
		n, isAligned := strings.CutPrefix(s, "aligned")
		switch n = strings.Trim(n, "() "); {
		case s == "packed":
			a.Packed = true
		case isAligned && n == "":
			a.Align = max(a.Align, biggestAlign)
		case isAligned:
			v, err := strconv.ParseUint(strings.TrimRight(n, "uUlL"), 0, 31)
			if err != nil || v == 0 || v&(v-1) != 0 {
				return a, fmt.Errorf("alignment %q is not understood", s)
			}
			a.Align = max(a.Align, int(v))
		}
	}
	return a, nil
}

// Placer puts one member after the other.
type Placer struct {
	Union bool
	Pack  int // of #pragma pack; 0 where there is none
	Own   Attributes

	align   int // of the record, in bytes
	at, end int // in bits: behind the last member, and behind the farthest
	// anonymousAlign is the alignment of bit-fields without a name.
	anonymousAlign int
}

func (p *Placer) put(at, bits int) int {
	p.end = max(p.end, at+bits)
	if !p.Union {
		p.at = at + bits
	}
	return at
}

// Member places what is no bit-field, and returns its first bit.
func (p *Placer) Member(size, align int, a Attributes) int {
	if p.Own.Packed || a.Packed {
		align = 1
	}
	align = max(align, a.Align)
	if p.Pack > 0 {
		align = min(align, p.Pack)
	}
	p.align = max(p.align, align)
	return p.put(roundUp(p.at, Byte*align), Byte*size)
}

// BitField places a bit-field of so many bits, whose type has a size and an alignment, and returns its first bit. One
// of no bits ends the unit before it.
func (p *Placer) BitField(name string, bits, size, align int, a Attributes) (int, error) {
	if bits > Byte*size {
		return 0, fmt.Errorf("bit-field %s is wider than its type", name)
	}
	if a.Align > 0 {
		return 0, fmt.Errorf("bit-field %s has an alignment of its own", name)
	}
	packed := p.Own.Packed || a.Packed
	if bits == 0 {
		if p.Pack > 0 || packed {
			return 0, fmt.Errorf("zero-width bit-field in a packed record")
		}
		p.anonymousAlign = max(p.anonymousAlign, align)
		return p.put(roundUp(p.at, Byte*align), 0), nil
	}
	at := p.at
	if unit := Byte * align; !packed && p.Pack == 0 && at%unit+bits > Byte*size {
		at = roundUp(at, unit)
	}
	capped := align
	switch {
	case p.Pack > 0: // then packed changes nothing
		capped = min(align, p.Pack)
	case packed:
		capped = 1
	}
	if name == "" {
		p.anonymousAlign = max(p.anonymousAlign, capped)
	} else {
		p.align = max(p.align, capped)
	}
	return p.put(at, bits), nil
}

// End is the size and the alignment of the record, in bytes.
func (p *Placer) End() (size, align int, err error) {
	if p.anonymousAlign > max(p.align, 1) {
		return 0, 0, fmt.Errorf("unnamed bit-field: its type aligns the record on arm64 and does not on amd64")
	}
	align = max(p.align, p.Own.Align, 1)
	return roundUp(p.end, Byte*align) / Byte, align, nil
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
