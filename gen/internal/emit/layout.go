package emit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// cStructs are the records that the current library's C needs to know whole: its own and
// those that they hold, these first.
func (e *emitter) cStructs() ([]*model.Struct, error) {
	byC := e.structs()
	var out []*model.Struct
	done := map[string]bool{}
	var add func(s *model.Struct) error
	add = func(s *model.Struct) error {
		if done[s.CType] {
			return nil
		}
		done[s.CType] = true
		for _, c := range s.Holds {
			held := byC[c]
			if held == nil {
				return fmt.Errorf("%s: it holds a %s, which has no declaration", s.CName, c)
			}
			if err := add(held); err != nil {
				return err
			}
		}
		out = append(out, s)
		return nil
	}
	for _, s := range e.lib.Structs {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	for _, fn := range e.lib.Funcs {
		for _, t := range byValue(fn) {
			if err := add(byC[t.C]); err != nil {
				return nil, err
			}
		}
		if !fn.C.Inline {
			continue
		}
		// Its body may use members of records, and have variables that are some.
		for _, tag := range append(structTag.FindAllString(inlined(fn), -1), fn.Opens...) {
			if s := byC[tag]; s != nil {
				if err := add(s); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// byValue are the records that a function takes and returns by value.
func byValue(fn *model.Func) (all []*model.GoType) {
	if fn.Ret.Mode == model.RetRecord {
		all = append(all, fn.Ret.Type)
	}
	for _, p := range fn.Params {
		if p.Mode == model.InRecord {
			all = append(all, p.Type)
		}
	}
	return all
}

// declaration is a record in C, with types of the ABI.
func declaration(s *model.Struct) string {
	if s.InPlace {
		return "" // where the member is
	}
	var b strings.Builder
	if s.C.Pack > 0 {
		fmt.Fprintf(&b, "#pragma pack(push, %d)\n", s.C.Pack)
	}
	name := ""
	if s.C.Name == "" {
		b.WriteString("typedef ")
		name = " " + s.CType
	}
	b.WriteString(recordBody(s.C, "") + name + ";\n")
	if s.C.Pack > 0 {
		b.WriteString("#pragma pack(pop)\n")
	}
	return b.String()
}

// recordBody is the members of a record as C, each with the attributes that its layout depends on.
func recordBody(r *cparse.Record, indent string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(r.Kind+" "+r.Name) + " {\n")
	for _, f := range r.Fields {
		b.WriteString(indent + "\t" + memberDeclaration(f, indent+"\t") + ";\n")
	}
	b.WriteString(indent + "}" + attributes(r.Attrs))
	return b.String()
}

func attributes(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return " __attribute__((" + strings.Join(list, ", ") + "))"
}

// memberDeclaration declares a member; an untagged record in its place.
func memberDeclaration(f *cparse.Field, indent string) string {
	dims, t := "", f.Type
	for t.Kind == cparse.Array {
		dims += fmt.Sprintf("[%s]", number(t.Len))
		t = t.Elem
	}
	s := ""
	if f.Anon != nil && (t.Kind == cparse.Struct || t.Kind == cparse.Union) && t.Name == "" {
		s = strings.TrimSpace(recordBody(f.Anon, indent) + " " + f.Name + dims)
	} else {
		s = strings.TrimSpace(model.SpellMember(f.Type, f.Name))
	}
	if f.Bits > 0 || f.Name == "" && f.Anon == nil {
		s += fmt.Sprintf(" : %d", f.Bits)
	}
	return s + attributes(f.Attrs)
}

func number(length int) string {
	if length < 0 {
		return ""
	}
	return fmt.Sprint(length)
}

// assertions are what the C compiler is to assert of a record: that it lays it out as the model
// does. It has no words for the place of a bit-field; those are what the package's test is for.
func assertions(s *model.Struct) (all []string) {
	assert := func(expression string, value int, what string) {
		all = append(all, fmt.Sprintf("_Static_assert(%s == %d, %q);", expression, value, what))
	}
	assert("sizeof("+s.CType+")", s.Size, s.CName)
	assert("_Alignof("+s.CType+")", s.Align, s.CName)
	for _, list := range [][]*model.Field{s.Fields, s.Methods} {
		for _, f := range list {
			if f.Form == model.AsBits {
				continue
			}
			assert(fmt.Sprintf("offsetof(%s, %s)", s.CType, f.CName), f.Offset, s.CName+"."+f.CName)
			if f.Form != model.AsTail {
				assert(fmt.Sprintf("sizeof(((%s *)0)->%s)", s.CType, f.CName), f.Size, s.CName+"."+f.CName)
			}
		}
	}
	return all
}

// value is a member with a getter and a setter.
type value struct {
	Struct *model.Struct
	Field  *model.Field
	End    int
}

// values are those of the library's own records.
func (e *emitter) values() (all []value) {
	for _, s := range e.lib.Structs {
		for _, f := range s.Methods {
			if f.Form == model.AsValue {
				all = append(all, value{s, f, f.Offset + f.Size})
			}
		}
	}
	return all
}

// bits are the bit-fields of the library's own records, in the order of their numbers.
func (e *emitter) bits() (all []bitField) {
	for _, s := range e.lib.Structs {
		for _, f := range s.Methods {
			if f.Form == model.AsBits {
				ones := int64(-1)
				if signed := !strings.HasPrefix(f.Type.C, "u"); !f.Signed && (!signed || f.Width < 8*f.Type.Size()) {
					ones = int64(^uint64(0) >> (64 - f.Width))
				}
				all = append(all, bitField{s, f, len(all), ones})
			}
		}
	}
	return all
}

type bitField struct {
	Struct *model.Struct
	Field  *model.Field
	Number int
	Ones   int64 // its value with all bits set
}

// layouts emits the test of the package's records.
func (e *emitter) layouts() error {
	if len(e.lib.Structs) == 0 {
		return nil
	}
	bits := e.bits()
	data := map[string]any{"Name": e.lib.Name, "Prefix": e.prefix(), "Structs": e.lib.Structs, "Bits": bits, "Values": e.values()}
	return e.run(e.lib.Name+"/layout_test.go", "layout_test.go.tmpl", data)
}

// untagged declares the untagged records that a text has pointers to and no members of: DOCA's, and
// those of other headers, such as cpu_set_t.
func (e *emitter) untagged(text string, complete map[string]bool) (all []string) {
	kinds := map[string]cparse.Kind{}
	for _, h := range e.m.API.Headers {
		for _, f := range h.Funcs {
			untaggedIn(&cparse.Type{Elem: f.Ret, Params: f.Params}, kinds)
		}
		for _, r := range h.Records {
			for _, f := range r.Fields {
				untaggedIn(f.Type, kinds)
			}
		}
	}
	for _, t := range slices.Sorted(maps.Keys(kinds)) {
		if !complete[t] && regexp.MustCompile(`\b`+t+`\b`).MatchString(text) {
			all = append(all, fmt.Sprintf("typedef %s godoca_%s %s;", kinds[t], t, t))
		}
	}
	return all
}

// untaggedIn notes the typedefs of untagged records that t is made of.
func untaggedIn(t *cparse.Type, kinds map[string]cparse.Kind) {
	if t == nil {
		return
	}
	if e := t.Elem; t.Kind == cparse.Named && e != nil && e.Name == "" && (e.Kind == cparse.Struct || e.Kind == cparse.Union) {
		kinds[t.Name] = e.Kind
	}
	untaggedIn(t.Elem, kinds)
	for _, p := range t.Params {
		untaggedIn(p.Type, kinds)
	}
}
