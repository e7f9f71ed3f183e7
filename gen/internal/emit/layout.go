package emit

import (
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// cStruct is a complete record as C declares it, with the layout that Go gives it; the C
// compiler asserts that its own is the same.
type cStruct struct {
	*model.Struct
	Members []string
	Size    int
	Offsets []offset
}

type offset struct {
	Name   string
	Offset int
}

// cStructs are the records that the current library's C needs to know whole: its own and
// those that they hold.
func (e *emitter) cStructs() ([]cStruct, error) {
	byGo := map[string]*model.Struct{}
	for _, l := range e.m.Libraries {
		for _, s := range l.Structs {
			byGo[l.Name+"."+s.GoName] = s
		}
	}
	var out []cStruct
	done := map[string]bool{}
	var add func(s *model.Struct) error
	add = func(s *model.Struct) error {
		if done[s.CName] {
			return nil
		}
		done[s.CName] = true
		for _, f := range s.Fields {
			if f.Type.Kind == model.Record && !strings.HasPrefix(f.Type.Name, "*") {
				held := byGo[f.Type.Pkg+"."+f.Type.Name]
				if held == nil {
					return fmt.Errorf("%s: its member %s has no declaration", s.CName, f.CName)
				}
				if err := add(held); err != nil {
					return err
				}
			}
		}
		out = append(out, e.layout(s))
		return nil
	}
	for _, s := range e.lib.Structs {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e *emitter) layout(s *model.Struct) cStruct {
	c := cStruct{Struct: s}
	align := 1
	for _, f := range s.Fields {
		size, a := e.sizeOf(f.Type)
		align = max(align, a)
		c.Size = (c.Size + a - 1) / a * a
		c.Offsets = append(c.Offsets, offset{f.CName, c.Size})
		c.Size += size * max(f.Len, 1)
		c.Members = append(c.Members, model.SpellMember(f.CType, f.CName))
	}
	c.Size = (c.Size + align - 1) / align * align
	return c
}

func (e *emitter) sizeOf(t *model.GoType) (size, align int) {
	switch t.Kind {
	case model.Record:
		if strings.HasPrefix(t.Name, "*") {
			return 8, 8
		}
		for _, l := range e.m.Libraries {
			for _, s := range l.Structs {
				if l.Name == t.Pkg && s.GoName == t.Name {
					inner := e.layout(s)
					a := 1
					for _, f := range s.Fields {
						_, fa := e.sizeOf(f.Type)
						a = max(a, fa)
					}
					return inner.Size, a
				}
			}
		}
	case model.EnumK, model.Scalar:
		n := map[string]int{"int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "float": 4}[t.C]
		if n > 0 {
			return n, n
		}
	}
	return 8, 8
}
