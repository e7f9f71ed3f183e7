package model

import (
	"math"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// enumInfo is what is known of an enumeration: c is the type that it has in the ABI, exact has the sign that it has in C as well.
type enumInfo struct{ lib, goName, c, exact string }

// enumName is the tag of an enumeration, or the typedef of one that has none.
func enumName(e *cparse.Enum) string {
	if e.Name == "" {
		return e.Typedef
	}
	return e.Name
}

// enumC is the integer type that gcc gives an enumeration.
func enumC(e *cparse.Enum) string {
	var low, high int64
	unsigned := false
	for _, c := range e.Consts {
		if c.Unsigned {
			unsigned = true
			continue
		}
		low, high = min(low, c.Value), max(high, c.Value)
	}
	if unsigned {
		if low < 0 { // C has no type for them either
			return "int64_t"
		}
		return "uint64_t"
	}
	if e.Packed {
		switch {
		case low < 0 && low >= math.MinInt8 && high <= math.MaxInt8:
			return "int8_t"
		case low >= 0 && high <= math.MaxUint8:
			return "uint8_t"
		case low < 0 && low >= math.MinInt16 && high <= math.MaxInt16:
			return "int16_t"
		case low >= 0 && high <= math.MaxUint16:
			return "uint16_t"
		}
	}
	switch {
	case low >= math.MinInt32 && high <= math.MaxInt32:
		return "int32_t"
	case low >= 0 && high <= math.MaxUint32:
		return "uint32_t"
	}
	return "int64_t"
}

// enumExact is the same with the sign that it has in C, where it has none without negative values.
func enumExact(e *cparse.Enum) string {
	c := enumC(e)
	if strings.HasPrefix(c, "u") || slices.ContainsFunc(e.Consts, func(k *cparse.EnumConst) bool { return k.Value < 0 && !k.Unsigned }) {
		return c
	}
	return "u" + c
}

// enumerator is a constant of an enumeration as a literal of C: an int if that holds it, else of the enumeration's type.
func enumerator(e *cparse.Enum, k *cparse.EnumConst) string {
	text := literal(k.Value, k.Unsigned)
	if k.Unsigned || int64(int32(k.Value)) != k.Value {
		return "((" + enumExact(e) + ")" + text + ")"
	}
	return text
}

// addEnum binds an enumeration as a type (enum doca_ctx_states); constants, and so their names, come later.
func (b *builder) addEnum(h *cparse.Header, e *cparse.Enum) {
	name := enumName(e)
	if name == "" { // its constants are plain numbers
		return
	}
	info := b.enums[name]
	if info.lib != b.lib.Name || b.used[info.goName] == "enum "+name {
		b.bound() // declared again
		return
	}
	if err := b.claimOnly(info.goName, "enum "+name); err != nil {
		b.skip(h.Name, "enum", name, err.Error())
		return
	}
	b.lib.Enums = append(b.lib.Enums, &Enum{Decl: decl(name, info.goName, h.Name, e.Doc, ""), Tagged: e.Name != "", Type: info.c})
	b.bound()
}

// addEnumerators binds the constants of an enumeration: of its type, or plain numbers where it has no name.
func (b *builder) addEnumerators(h *cparse.Header, e *cparse.Enum) {
	name := enumName(e)
	if name == "" {
		for _, c := range e.Consts {
			if reason := b.enumClashes[c.Name]; reason != "" {
				b.skip(h.Name, "enumerator", c.Name, reason)
				continue
			}
			b.addConstant(h.Name, "enumerator", c.Name, c.Doc, number(c.Value, c.Unsigned))
		}
		return
	}
	for _, out := range b.lib.Enums {
		if out.CName != name || out.Header != h.Name || len(out.Consts) > 0 {
			continue
		}
		for _, c := range e.Consts {
			if reason := b.enumClashes[c.Name]; reason != "" {
				b.skip(h.Name, "enumerator", c.Name, reason)
				continue
			}
			g := b.claim(exported(b.lib.Prefix, c.Name), "Value", c.Name)
			out.Consts = append(out.Consts, EnumConst{c.Name, g, c.Value, c.Unsigned, c.Doc})
		}
	}
}

// C is how C names the type.
func (e *Enum) C() string {
	if e.Tagged {
		return "enum " + e.CName
	}
	return e.CName
}
