package emit

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// record emits the Go form of a complete record: a struct with C's layout, and methods for the
// members that Go has no fields for.
func (f *file) record(s *model.Struct) {
	f.Comment(f.typeDoc(s.Decl, recordText(s), recordNotes(s)...))
	stores := storage(s)
	f.Type().Id(s.GoName).Struct(f.recordFields(s, stores)...)
	f.Line()
	f.Comment("// The C compiler asserts the same size, in shim.c.")
	f.Var().Id("_").Index(jen.Lit(s.Size)).Byte().Op("=").Index(jen.Qual(unsafePkg, "Sizeof").Call(jen.Id(s.GoName).Values())).Byte().Values()
	f.Line()
	for _, m := range s.Methods {
		f.member(s, m, stores)
	}
	for _, fd := range s.Fields {
		if count := s.Count(fd); count != nil && !f.hasMember(s, "Set"+fd.GoName) {
			f.list(s, fd, count)
		}
	}
}

// hasMember tells whether a record has a field or a method of a name already.
func (f *file) hasMember(s *model.Struct, name string) bool {
	return slices.ContainsFunc(slices.Concat(s.Fields, s.Methods), func(m *model.Field) bool {
		return m.GoName == name || "Set"+m.GoName == name && m.Form != model.AsField
	})
}

// list emits the method that sets a member which points to values, and the one that counts them.
func (f *file) list(s *model.Struct, values, count *model.Field) {
	elem := *values.Type
	elem.Name = strings.TrimPrefix(elem.Name, "*")
	f.Comment(fixed("Set" + values.GoName + " sets " + values.GoName + " and " + count.GoName + ". The values are C's until it is done with the record: free them then. The error is [abi.ErrorInvalidValue] if " +
		count.GoName + " cannot count so many.").String())
	f.Func().Params(jen.Id("s").Op("*").Id(s.GoName)).Id("Set"+values.GoName).Params(jen.Id("values").Add(f.abiFn("CSlice")).Types(f.goType(&elem))).Error().Block(
		jen.List(jen.Id("n"), jen.Err()).Op(":=").Add(f.abiFn("CountOf")).Call(jen.Lit(s.CName), jen.Lit(limitOf(count)),
			f.abiFn("Count").Values(jen.Dict{jen.Id("Name"): jen.Lit(values.GoName), jen.Id("Len"): jen.Id("values").Dot("Len").Call()})),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.List(jen.Id("s").Dot(values.GoName), jen.Id("s").Dot(count.GoName)).Op("=").List(
			jen.Parens(f.goType(values.Type)).Call(jen.Id("values").Dot("Pointer").Call()), f.goType(count.Type).Call(jen.Id("n"))),
		jen.Return(jen.Nil()))
	f.Line()
}

// limitOf is the greatest number that a member takes, as far as Go's int reaches.
func limitOf(count *model.Field) uint64 {
	bits := 8 * count.Size
	if !strings.HasPrefix(count.Type.Name, "uint") {
		bits--
	}
	return uint64(1)<<min(bits, 63) - 1
}

// recordText is how the comment names the C type; one that is declared in place has no name of its own.
func recordText(s *model.Struct) string {
	what := s.Kind + " " + s.CName
	switch {
	case s.InPlace:
		what = "the " + s.Kind + " " + s.CName
	case s.C.Name == "":
		what = s.CName
	}
	return what
}

// recordNotes say how the record is to be used.
func recordNotes(s *model.Struct) (notes []string) {
	notes = append(notes, "It has the layout of C.")
	if len(s.Methods) > 0 {
		notes = append(notes, "Members that cannot be Go fields have methods.")
	}
	switch {
	case s.Align > s.GoAlign:
		notes = append(notes, fmt.Sprintf("C aligns it to %d bytes, Go to %d: allocate one that C is to read with the alignment of C.", s.Align, s.GoAlign))
	case s.Kind == "struct" && s.Align == 1 && slices.Contains(s.C.Attrs, "packed"):
		notes = append(notes, "It is packed, so C may place it at any address.")
	}
	return notes
}

// store is memory of members that have methods: a field of bytes.
type store struct {
	offset, end int
	names       []string
}

func (s *store) name() string { return fmt.Sprintf("at%d", s.offset) }

// storage are the parts of a record that no field covers and methods use.
func storage(s *model.Struct) (all []*store) {
	fields := append([]*model.Field{{Offset: 0, Size: 0}}, s.Fields...)
	for i, f := range fields {
		end := s.Size
		if i+1 < len(fields) {
			end = fields[i+1].Offset
		}
		var st *store
		for _, m := range byOffset(s.Methods) {
			if m.Form == model.AsTail || m.Offset < f.Offset+f.Size || m.Offset >= end {
				continue
			}
			if st == nil {
				st = &store{offset: m.Offset}
				all = append(all, st)
			}
			st.end = max(st.end, m.Offset+m.Size)
			st.names = append(st.names, m.CName)
		}
	}
	return all
}

// byOffset sorts members as they lie in memory.
func byOffset(methods []*model.Field) []*model.Field {
	sorted := append([]*model.Field(nil), methods...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Offset < sorted[j].Offset })
	return sorted
}

// piece is a field of the Go struct.
type piece struct {
	offset, size, align int
	code                *jen.Statement
}

func (f *file) recordFields(s *model.Struct, stores []*store) (code []jen.Code) {
	var pieces []piece
	align := 1
	for _, fd := range s.Fields {
		a := f.goAlign(fd.Type)
		align = max(align, a)
		c := jen.Id(fd.GoName).Add(f.memberType(fd))
		if d := f.fieldDoc(s.CName, fd.Doc); d != "" {
			c = jen.Comment(d).Line().Add(c)
		}
		pieces = append(pieces, piece{fd.Offset, fd.Size, a, c})
	}
	for _, st := range stores {
		c := jen.Id(st.name()).Index(jen.Lit(st.end - st.offset)).Byte().Comment("of " + strings.Join(st.names, ", "))
		pieces = append(pieces, piece{st.offset, st.end - st.offset, 1, c})
	}
	sort.SliceStable(pieces, func(i, j int) bool { return pieces[i].offset < pieces[j].offset })
	if align < s.GoAlign {
		code = append(code, jen.Id("_").Index(jen.Lit(0)).Id(fmt.Sprintf("uint%d", 8*s.GoAlign)).Comment("aligns it as C does"))
	}
	at := 0
	for _, p := range pieces {
		if (at+p.align-1)/p.align*p.align != p.offset {
			code = append(code, jen.Id("_").Index(jen.Lit(p.offset-at)).Byte())
		}
		code = append(code, p.code)
		at = p.offset + p.size
	}
	if a := s.GoAlign; (at+a-1)/a*a != s.Size {
		code = append(code, jen.Id("_").Index(jen.Lit(s.Size-at)).Byte())
	}
	return code
}

// memberType is the Go type of a member.
func (e *emitter) memberType(m *model.Field) *jen.Statement {
	t := &jen.Statement{}
	for _, n := range m.Dims {
		t = t.Index(jen.Lit(n))
	}
	return t.Add(e.goType(m.Type))
}

// goAlign is what Go aligns a type to.
func (e *emitter) goAlign(t *model.GoType) int {
	switch {
	case t.Kind == model.Record && !strings.HasPrefix(t.Name, "*"):
		return e.structs()[t.C].GoAlign
	}
	return t.Size()
}

// structs are the records of all libraries, by what C calls them.
func (e *emitter) structs() map[string]*model.Struct {
	if e.byC == nil {
		e.byC = map[string]*model.Struct{}
		for _, l := range e.m.Libraries {
			for _, s := range l.Structs {
				e.byC[s.CType] = s
			}
		}
	}
	return e.byC
}

// member emits the methods of a member.
func (f *file) member(s *model.Struct, m *model.Field, stores []*store) {
	var st *store
	for _, x := range stores {
		if m.Offset >= x.offset && m.Offset < x.end {
			st = x
		}
	}
	recv := func() *jen.Statement { return f.Func().Params(jen.Id("r").Op("*").Id(s.GoName)) }
	doc := func(name, what string) {
		raw := m.Doc
		if strings.HasPrefix(name, "Set") {
			raw = ""
		}
		f.Comment(f.memberDoc(s.CName, name+" "+what, raw))
	}
	typ := func() *jen.Statement { return f.memberType(m) }
	switch m.Form {
	case model.AsPointer:
		doc(m.GoName, "returns a pointer to the member "+m.CName+shares(m)+pointerNote(m))
		recv().Id(m.GoName).Params().Op("*").Add(typ()).Block(jen.Return(
			jen.Parens(jen.Op("*").Add(typ())).Call(jen.Qual(unsafePkg, "Pointer").Call(jen.Op("&").Id("r").Dot(st.name()).Index(jen.Lit(m.Offset - st.offset))))))
	case model.AsValue:
		f.valueMethods(recv, doc, m, st)
	case model.AsBits:
		f.bitMethods(recv, doc, m, st)
	case model.AsTail:
		doc(m.GoName, fmt.Sprintf("returns the first n elements of %s, which follows the %s in memory: the caller makes sure that it is there", m.CName, s.Kind))
		recv().Id(m.GoName).Params(jen.Id("n").Int()).Index().Add(typ()).Block(jen.Return(jen.Qual(unsafePkg, "Slice").Call(
			jen.Parens(jen.Op("*").Add(typ())).Call(jen.Qual(unsafePkg, "Add").Call(jen.Qual(unsafePkg, "Pointer").Call(jen.Id("r")), jen.Lit(m.Offset))), jen.Id("n"))))
	}
	f.Line()
}

// shares names the members of a union that overlap with this one.
func shares(m *model.Field) string {
	if len(m.Shares) == 0 {
		return ""
	}
	return ", in the same memory as " + strings.Join(m.Shares, ", ")
}

// pointerNote warns of what Go's garbage collector does not see.
func pointerNote(m *model.Field) string {
	if m.Type.Kind == model.Pointer || m.Type.Kind == model.Handle || strings.HasPrefix(m.Type.Name, "*") {
		return "; it must not point to Go memory"
	}
	return ""
}

// valueMethods emit a getter and a setter that copy: the member is not aligned, or is a bool in a union.
func (f *file) valueMethods(recv func() *jen.Statement, doc func(name, what string), m *model.Field, st *store) {
	from := m.Offset - st.offset
	isBool := m.Type.Name == "bool" && m.Dims == nil
	at := func() *jen.Statement { return jen.Id("r").Dot(st.name()).Index(jen.Lit(from)) }
	bytes := func() *jen.Statement { return jen.Id("r").Dot(st.name()).Index(jen.Lit(from), jen.Lit(from+m.Size)) }
	value := func() *jen.Statement {
		return jen.Parens(jen.Op("*").Index(jen.Lit(m.Size)).Byte()).Call(jen.Qual(unsafePkg, "Pointer").Call(jen.Op("&").Id("v"))).Index(jen.Empty(), jen.Empty())
	}
	doc(m.GoName, "returns the member "+m.CName+shares(m)+pointerNote(m))
	if isBool {
		recv().Id(m.GoName).Params().Bool().Block(jen.Return(at().Op("!=").Lit(0)))
	} else {
		recv().Id(m.GoName).Params().Params(jen.Id("v").Add(f.memberType(m))).Block(jen.Copy(value(), bytes()), jen.Return(jen.Id("v")))
	}
	f.Line()
	doc("Set"+m.GoName, "sets the member "+m.CName)
	if isBool {
		recv().Id("Set" + m.GoName).Params(jen.Id("v").Bool()).Block(at().Op("=").Add(f.abiFn("Byte")).Call(jen.Id("v")))
	} else {
		recv().Id("Set" + m.GoName).Params(jen.Id("v").Add(f.memberType(m))).Block(jen.Copy(bytes(), value()))
	}
}

// bitMethods emit a getter and a setter of a bit-field.
func (f *file) bitMethods(recv func() *jen.Statement, doc func(name, what string), m *model.Field, st *store) {
	args := []jen.Code{jen.Id("r").Dot(st.name()).Index(jen.Empty(), jen.Empty()), jen.Lit(8*(m.Offset-st.offset) + m.Bit), jen.Lit(m.Width)}
	get, isBool := "Bits", m.Type.Name == "bool"
	if m.Signed {
		get = "SignedBits"
	}
	doc(m.GoName, fmt.Sprintf("returns the bit-field %s, %s%s", m.CName, bitRange(m), shares(m)))
	call := f.abiFn(get).Call(args...)
	if isBool {
		recv().Id(m.GoName).Params().Bool().Block(jen.Return(call.Op("!=").Lit(0)))
	} else {
		recv().Id(m.GoName).Params().Add(f.goType(m.Type)).Block(jen.Return(f.goType(m.Type).Call(call)))
	}
	f.Line()
	v := jen.Uint64().Call(jen.Id("v"))
	if isBool {
		doc("Set"+m.GoName, "sets the bit-field "+m.CName)
		v = jen.Uint64().Call(f.abiFn("Byte").Call(jen.Id("v")))
	} else {
		doc("Set"+m.GoName, fmt.Sprintf("sets the bit-field %s to the lowest %d bits of v", m.CName, m.Width))
	}
	recv().Id("Set" + m.GoName).Params(jen.Id("v").Add(f.goType(m.Type))).Block(f.abiFn("SetBits").Call(append(args, v)...))
}

// bitRange is what fits into a bit-field.
func bitRange(m *model.Field) string {
	switch {
	case m.Type.Name == "bool":
		return "false or true"
	case m.Signed:
		return fmt.Sprintf("%d to %d", -int64(1)<<(m.Width-1), int64(1)<<(m.Width-1)-1)
	}
	return fmt.Sprintf("0 to %d", ^uint64(0)>>(64-m.Width))
}
