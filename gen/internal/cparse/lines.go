package cparse

import (
	"fmt"
	"strconv"
	"strings"
)

// Lines returns one line for each declaration, "header | stability | declaration",
// in the order macros, typedefs, records, enumerations, functions of each header.
func (a *API) Lines() []string {
	var out []string
	for _, h := range a.Headers {
		add := func(kind, format string, args ...any) {
			out = append(out, h.Name+" | "+kind+" | "+fmt.Sprintf(format, args...))
		}
		for _, m := range h.Macros {
			add("macro", "%s = %s", m.Name, m.Value)
		}
		for _, t := range h.Typedefs {
			add("typedef", "%s = %s", t.Name, typedefType(t))
		}
		for _, r := range h.Records {
			add(r.Kind, "%s", recordLine(r))
		}
		for _, e := range h.Enums {
			add("enum", "%s", enumLine(e))
		}
		for _, f := range h.Funcs {
			kind := string(f.Stability)
			if f.Inline {
				kind += " inline"
			}
			add(kind, "%s", funcLine(f))
		}
	}
	return out
}

// typedefType names an untagged record or enumeration by the typedef itself, as clang does.
func typedefType(t *Typedef) string {
	switch t.Type.Kind {
	case Struct, Union, EnumT:
		if t.Type.Name == "" {
			return string(t.Type.Kind) + " " + t.Name
		}
	}
	return t.Type.String()
}

// tag names a record or enumeration.
func tag(name string) string {
	if name == "" {
		return "(anonymous)"
	}
	return name
}

func recordLine(r *Record) string {
	name := tag(r.Name)
	if !r.Complete {
		return name + " (opaque)"
	}
	line := name + " " + fieldList(r.Fields)
	var attrs []string
	for _, a := range r.Attrs {
		switch {
		case a == "packed":
			attrs = append(attrs, "PackedAttr")
		case strings.HasPrefix(a, "aligned"):
			attrs = append([]string{"AlignedAttr"}, attrs...)
		}
	}
	if r.Pack > 0 {
		attrs = append(attrs, fmt.Sprintf("pack(%d)", r.Pack))
	}
	if attrs != nil {
		line += " " + strings.Join(attrs, ",")
	}
	return line
}

func fieldList(fields []*Field) string {
	var list []string
	for _, f := range fields {
		t := f.Type.String()
		if f.Anon != nil {
			t = f.Anon.Kind + " " + fieldList(f.Anon.Fields)
		}
		s := strings.TrimSpace(t + " " + f.Name)
		if f.Bits > 0 {
			s += " : " + strconv.Itoa(f.Bits)
		}
		list = append(list, s)
	}
	return "{ " + strings.Join(list, "; ") + " }"
}

func enumLine(e *Enum) string {
	var list []string
	for _, c := range e.Consts {
		v := strconv.FormatInt(c.Value, 10)
		if c.Unsigned {
			v = strconv.FormatUint(uint64(c.Value), 10)
		}
		list = append(list, c.Name+"="+v)
	}
	line := tag(e.Name) + " { " + strings.Join(list, ", ") + " }"
	if e.Packed {
		line += " PackedAttr"
	}
	return line
}

func funcLine(f *Func) string {
	var list []string
	for _, p := range f.Params {
		list = append(list, p.String())
	}
	if f.Variadic {
		list = append(list, "...")
	}
	if list == nil {
		list = []string{"void"}
	}
	line := f.Name + "(" + strings.Join(list, ", ") + ")"
	if f.Ret.wraps() {
		return f.Ret.declare(line)
	}
	return f.Ret.String() + " " + line
}

// wraps reports whether a declaration with the type has parts of it behind the name: void (*name)(int).
func (t *Type) wraps() bool {
	return t.Kind == FuncT || t.Kind == Array || t.Kind == Pointer && t.Elem.wraps()
}

// String is the parameter as C declares it.
func (p Param) String() string {
	if p.Name == "" {
		return p.Type.String()
	}
	return p.Type.declare(p.Name)
}

// String is the C spelling of a type, as clang prints it: "const char *",
// "void (*)(int)", "unsigned char[12]".
func (t *Type) String() string {
	return t.declare("")
}

// declare spells the declaration of a name with the type; an empty name gives the type itself.
func (t *Type) declare(name string) string {
	q := ""
	if t.Const {
		q = "const "
	}
	switch t.Kind {
	case Pointer:
		star := "*"
		if t.Const {
			star += "const"
			if name != "" {
				star += " "
			}
		}
		switch t.Elem.Kind {
		case FuncT, Array:
			return t.Elem.declare("(" + star + name + ")")
		}
		return t.Elem.declare(star + name)
	case Array:
		n := ""
		if t.Len >= 0 {
			n = strconv.Itoa(t.Len)
		}
		return t.Elem.declare(name + "[" + n + "]")
	case FuncT:
		var list []string
		for _, p := range t.Params {
			list = append(list, p.Type.String())
		}
		if t.Variadic {
			list = append(list, "...")
		}
		if list == nil {
			list = []string{"void"}
		}
		return t.Elem.declare(name + "(" + strings.Join(list, ", ") + ")")
	case Struct, Union, EnumT:
		q += string(t.Kind) + " " + t.Name
	case Bool:
		q += "_Bool"
	case Void:
		q += "void"
	case Other:
		if t.Name == "va_list" {
			q += "struct __va_list_tag *"
		} else {
			q += t.Name
		}
	default:
		q += t.Name
	}
	if name == "" {
		return q
	}
	if name[0] == '[' || strings.HasSuffix(q, "*") && name[0] != '*' {
		return q + name
	}
	return q + " " + name
}
