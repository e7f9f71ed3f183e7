package model

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// typedefInfo is a typedef, by the library that owns it.
type typedefInfo struct {
	lib, goName string
	own         bool // it has a Go type
}

// recordInfo is a struct or union, by the library that owns it.
type recordInfo struct {
	lib, goName string
	complete    bool
	reason      string // why a complete record is not bound
	decl        *cparse.Record
	header      string
	ctype       string // how C names it
	lvalue      string // an expression in C that is one
	inPlace     bool   // declared as the type of a member
	others      []otherDecl
	clash       bool // the headers do not agree on the members
}

// otherDecl is a further declaration of the members of a record.
type otherDecl struct {
	decl   *cparse.Record
	header string
}

// builder is the state of Build. It goes over the headers twice: index notes which library owns what, so that a
// library can refer to types of others; library then decides the Go form of each declaration.
type builder struct {
	enums map[string]enumInfo
	// enumClashes are why enumerators cannot be bound that two enumerations have.
	enumClashes map[string]string
	typedefs    map[string]typedefInfo
	records     map[string]*recordInfo // by tag, or the typedef of one that has none
	inner       map[*cparse.Record]*recordInfo
	layouts     map[*cparse.Record]*recordLayout
	untagged    map[string]*cparse.Record // by typedef
	// alignedTypedefs have an alignment that their type has not.
	alignedTypedefs map[string][]string
	macros          []*cparse.Macro
	values          map[string]string // enumerators, as literals of C
	scalars         map[string]string // typedefs of integers, as the shims spell them
	enumTypedefs    map[string]string // typedefs of enumerations, to their tags
	funcs           map[string]*cparse.Func
	asTask          map[string]string              // task struct tag -> its as_task function
	typedefDocs     map[string]string              // comments of typedefs
	enumerators     map[string][]*cparse.EnumConst // by tag
	passed          map[string]bool                // tags of structs that functions take or return
	bindings        map[string]bool                // functions that are bound, and have symbols
	specs           []Spec
	owners          *owners
	funcOwners      map[string]int  // libraries of functions, as indices of specs
	hidden          map[string]bool // types that the current library must not name
	lib             *Library
	kernels         map[string]KernelKind // of the current library
	used            map[string]string     // Go name -> C name, in the current package; no C name where a type will have it
	typeNames       map[string][]string   // Go names of types, by library
}

// Build makes the model of the libraries in specs from the declarations in api.
// Declarations of headers that belong to none of them are not looked at.
func Build(api *cparse.API, specs []Spec) (*Model, error) {
	b := &builder{
		enums: map[string]enumInfo{}, typedefs: map[string]typedefInfo{}, records: map[string]*recordInfo{},
		inner: map[*cparse.Record]*recordInfo{}, layouts: map[*cparse.Record]*recordLayout{}, untagged: map[string]*cparse.Record{},
		alignedTypedefs: map[string][]string{},
		values:          map[string]string{}, scalars: map[string]string{}, enumTypedefs: map[string]string{}, funcs: map[string]*cparse.Func{}, asTask: map[string]string{}, typedefDocs: map[string]string{}, enumerators: map[string][]*cparse.EnumConst{}, passed: map[string]bool{}, bindings: map[string]bool{}, typeNames: map[string][]string{},
	}
	headers := map[string]*cparse.Header{}
	for _, h := range api.Headers {
		headers[h.Name] = h
		for _, t := range h.Typedefs {
			b.typedefDocs[t.Name] = t.Doc
		}
		for _, e := range h.Enums {
			b.enumerators[e.Name] = e.Consts
		}
	}
	m := &Model{Version: api.Version, Notes: api.Notes, API: api}
	var found [][]*cparse.Header
	for _, s := range specs {
		var hs []*cparse.Header
		for _, n := range s.Headers {
			if h := headers[n]; h != nil {
				hs = append(hs, h)
			}
		}
		found = append(found, hs)
	}
	b.specs, b.owners, b.enumClashes = specs, findOwners(specs, found), enumClashes(slices.Concat(found...))
	b.funcOwners = funcOwners(specs, found)
	hidden := b.owners.hidden()
	for i, hs := range found {
		b.index(i, hs)
	}
	b.checkRecords()
	kinds := map[uint32]string{}
	for i, s := range specs {
		b.hidden = hidden[i]
		lib := b.library(s, found[i])
		newBase(s).onlyOf(lib)
		for _, c := range lib.Callbacks {
			if other, ok := kinds[c.Hash]; ok {
				return nil, fmt.Errorf("callbacks %s and %s have the same kind %#x: rename one trampoline", other, c.CName, c.Hash)
			}
			kinds[c.Hash] = c.CName
		}
		if lib.Declared == 0 && !lib.Base {
			m.Notes = append(m.Notes, fmt.Sprintf("library %s: %s declares nothing, so there is nothing to bind", s.Name, strings.Join(s.Headers, ", ")))
		}
		m.Libraries = append(m.Libraries, lib)
	}
	return m, nil
}

// index notes which library owns which type, so that the others share it.
func (b *builder) index(lib int, headers []*cparse.Header) {
	name, prefix := b.specs[lib].Name, b.specs[lib].Prefix
	owns := func(key string) bool {
		owner, ok := b.owners.owner[key] // what a base does not have has no owner
		return ok && owner == lib
	}
	for _, h := range headers {
		for _, e := range h.Enums {
			for _, c := range e.Consts {
				if b.enumClashes[c.Name] == "" {
					b.values[c.Name] = enumerator(e, c)
				}
			}
			tag := enumName(e)
			if _, ok := b.enums[tag]; !ok && tag != "" && owns("enum "+tag) {
				b.enums[tag] = enumInfo{name, exported(prefix, strings.TrimSuffix(tag, "_t")), enumC(e), enumExact(e)}
			}
		}
		for _, r := range h.Records {
			tag := recordName(r)
			if r.Name == "" {
				b.untagged[tag] = r
			}
			if tag == "" || r.Name != "" && !owns(recordKey(tag)) || r.Name == "" && !owns("typedef "+tag) {
				if o := b.records[tag]; o != nil && tag != "" && r.Complete && o.complete {
					o.others = append(o.others, otherDecl{r, h.Name})
				}
				continue
			}
			o, ok := b.records[tag]
			if !ok {
				o = &recordInfo{lib: name, goName: exported(prefix, strings.TrimSuffix(tag, "_t")), ctype: recordC(r)}
				o.lvalue = "(*(" + o.ctype + " *)0)"
				b.records[tag] = o
			}
			switch {
			case r.Complete && !o.complete:
				o.complete, o.decl, o.header = true, r, h.Name
			case r.Complete:
				o.others = append(o.others, otherDecl{r, h.Name})
			}
		}
		for _, t := range h.Typedefs {
			if u := underlying(t.Type); u.Kind == cparse.Int {
				b.scalars[t.Name] = SpellExact(u, "")
			} else if u.Kind == cparse.EnumT {
				b.enumTypedefs[t.Name] = cmp.Or(u.Name, t.Name)
			}
			b.alignedTypedefs[t.Name] = t.Attrs
			if _, ok := b.typedefs[t.Name]; !ok && owns("typedef "+t.Name) {
				b.typedefs[t.Name] = typedefInfo{name, exported(prefix, strings.TrimSuffix(t.Name, "_t")), hasOwnType(t)}
			}
		}
		b.macros = append(b.macros, h.Macros...)
		for _, f := range h.Funcs {
			b.funcs[f.Name] = f
			b.passed[pointee(f.Ret)] = true
			for _, p := range f.Params {
				b.passed[pointee(p.Type)] = true
			}
			if tag, ok := taskOf(f); ok {
				b.asTask[tag] = f.Name
			}
		}
	}
}

// taskOf recognises `struct doca_task *x_as_task(struct x *task)`, or x_as_doca_task: the one sign that x is
// a task (doca_dma_task_memcpy_as_task).
func taskOf(f *cparse.Func) (tag string, ok bool) {
	if !strings.HasSuffix(f.Name, "_as_task") && !strings.HasSuffix(f.Name, "_as_doca_task") || len(f.Params) != 1 {
		return "", false
	}
	p := underlying(f.Params[0].Type)
	if p.Kind != cparse.Pointer {
		return "", false
	}
	e := underlying(p.Elem)
	return e.Name, e.Kind == cparse.Struct
}

// library makes the model of one library: its declarations first, then the patterns that they form together.
func (b *builder) library(s Spec, headers []*cparse.Header) *Library {
	b.lib = &Library{Name: s.Name, Prefix: s.Prefix, Soname: s.Soname, ByName: s.Soname}
	b.kernels, b.used = s.Kernels, reserved(s)
	// C has a name space for tags and Go has not, so types choose their names first,
	// then constants, then functions.
	for _, name := range b.typeNames[s.Name] { // no record that is declared in the place of a member gets one of them
		if !b.claimed(name) {
			b.used[name] = ""
		}
	}
	for _, h := range headers {
		b.lib.Headers = append(b.lib.Headers, &Header{Name: h.Name, Doc: h.Doc})
		b.types(h)
	}
	maps.DeleteFunc(b.used, func(_, c string) bool { return c == "" })
	for _, h := range headers {
		b.constants(h)
	}
	// What begins with an underscore is not for programs, and leaves others their names.
	for _, inner := range []bool{false, true} {
		for _, h := range headers {
			for _, f := range h.Funcs {
				if strings.HasPrefix(f.Name, "_") == inner {
					b.addFunc(h, f)
				}
			}
		}
	}
	b.callable()
	b.objects()
	b.tasks()
	b.capabilities()
	sort.SliceStable(b.lib.Skipped, func(i, j int) bool {
		x, y := b.lib.Skipped[i], b.lib.Skipped[j]
		return x.Header+x.Name < y.Header+y.Name
	})
	return b.lib
}

// types adds the types of one header.
func (b *builder) types(h *cparse.Header) {
	for _, p := range h.Problems {
		b.skip(h.Name, "declaration", fmt.Sprintf("%s:%d", p.Pos.File, p.Pos.Line), p.Text)
	}
	for _, e := range h.Enums {
		b.addEnum(h, e)
	}
	for _, r := range h.Records {
		b.addRecord(h, r)
	}
	for _, t := range h.Typedefs {
		b.addTypedef(h, t)
	}
}

// constants adds the enumerators and macros of one header.
func (b *builder) constants(h *cparse.Header) {
	for _, e := range h.Enums {
		b.addEnumerators(h, e)
	}
	for _, mc := range h.Macros {
		b.addMacro(h, mc)
	}
	for _, n := range h.FuncMacros {
		b.skip(h.Name, "macro", n, "function-like macro: C source, not a symbol")
	}
}

// skip notes a declaration that is not bound. What is bound and what is skipped add up to what is declared.
func (b *builder) skip(header, kind, name, reason string) {
	b.lib.Declared++
	b.lib.Skipped = append(b.lib.Skipped, Skip{header, kind, name, reason})
}

func (b *builder) bound() {
	b.lib.Declared++
	b.lib.Bound++
}

// claim reserves a Go name in the package. Where another C name has it, the suffix sets the two apart, and a number
// those that have the suffix already.
func (b *builder) claim(goName, suffix, cName string) string {
	name := goName
	for i := 1; b.used[name] != cName && b.claimed(name); i++ {
		if name = goName + suffix; i > 1 {
			name += strconv.Itoa(i)
		}
	}
	b.used[name] = cName
	return name
}

func (b *builder) claimed(goName string) bool {
	_, ok := b.used[goName]
	return ok
}

// claimOnly reserves a Go name for what cannot have another one.
func (b *builder) claimOnly(goName, cName string) error {
	if c := b.used[goName]; c != "" && c != cName {
		return fmt.Errorf("its Go name %s is taken by %s", goName, c)
	}
	b.used[goName] = cName
	return nil
}

func decl(c, g, header, doc string, s cparse.Stability) Decl {
	return Decl{CName: c, GoName: g, Header: header, Doc: doc, Stability: s}
}

// addRecord binds a struct or union: an object if nobody declares its members (struct doca_dma), else a Go struct
// with C's layout (struct doca_rdma_gid).
func (b *builder) addRecord(h *cparse.Header, r *cparse.Record) {
	info := b.records[recordName(r)]
	if info == nil || r.Name == "doca_data" {
		b.bound() // union doca_data is abi.Data
		return
	}
	if info.reason != "" && (info.lib == b.lib.Name || info.clash) && r.Complete {
		b.skip(h.Name, r.Kind, recordName(r), info.reason)
		return
	}
	if info.lib != b.lib.Name || b.used[info.goName] == info.ctype {
		b.bound()
		return
	}
	if err := b.claimOnly(info.goName, info.ctype); err != nil {
		b.skip(h.Name, r.Kind, recordName(r), err.Error())
		return
	}
	if !info.complete {
		b.lib.Objects = append(b.lib.Objects, &Object{Decl: decl(r.Name, info.goName, h.Name, r.Doc, "")})
		b.bound()
		return
	}
	structs, err := b.makeStructs(info)
	if err != nil {
		b.skip(h.Name, r.Kind, recordName(r), err.Error())
		return
	}
	b.lib.Structs = append(b.lib.Structs, structs...)
	b.bound()
}

// ofDevice recognises the typedefs for code on a device by their names: doca_dpa_dev_completion_t.
var ofDevice = regexp.MustCompile(`^doca_[a-z]+_dev_(\w+_)?t$`)

// addTypedef binds a scalar typedef (doca_event_handle_t). Those of other types are another name for what is bound
// under its tag.
func (b *builder) addTypedef(h *cparse.Header, t *cparse.Typedef) {
	info := b.typedefs[t.Name]
	u := underlying(t.Type)
	switch {
	case function(t.Type) != nil:
		b.bound() // a callback type: its uses are trampolines or raw function pointers
		return
	case u.Kind == cparse.EnumT, u.Kind == cparse.Struct, u.Kind == cparse.Union:
		b.bound() // another name for a type that is bound under its tag
		return
	case info.lib != b.lib.Name:
		b.bound()
		return
	}
	if b.used[info.goName] == "typedef "+t.Name {
		b.bound() // declared again
		return
	}
	g, err := b.resolve(t.Type)
	if err != nil {
		b.skip(h.Name, "typedef", t.Name, err.Error())
		return
	}
	if err := b.claimOnly(info.goName, "typedef "+t.Name); err != nil {
		b.skip(h.Name, "typedef", t.Name, err.Error())
		return
	}
	b.lib.Typedefs = append(b.lib.Typedefs, &Typedef{decl(t.Name, info.goName, h.Name, t.Doc, ""), g, ofDevice.MatchString(t.Name)})
	b.bound()
}

// addMacro binds a macro that is a number or a string (DOCA_DEVINFO_MAC_ADDR_SIZE); what it is, the parser has
// evaluated.
func (b *builder) addMacro(h *cparse.Header, mc *cparse.Macro) {
	value := ""
	switch {
	case mc.Str != nil:
		value = strconv.Quote(*mc.Str)
	case mc.Int != nil:
		value = typed(mc.Type, number(*mc.Int, mc.Unsigned))
	case mc.Float != nil:
		value = strconv.FormatFloat(*mc.Float, 'g', -1, 64)
		if !strings.ContainsAny(value, ".eIN") {
			value += ".0"
		}
		value = typed(mc.Type, value)
	default:
		reason := "not a number or a string: " + mc.Value
		if mc.NoValue != "" {
			reason = mc.NoValue + ": " + mc.Value
		}
		b.skip(h.Name, "macro", mc.Name, reason)
		return
	}
	b.addConstant(h.Name, "macro", mc.Name, mc.Doc, value)
}

// typed gives a number the type that it has in C. An int or a double has none in Go, for it is what a number
// is that nobody has said more of.
func typed(t *cparse.Type, literal string) string {
	switch {
	case t == nil || strings.Contains(literal, "("):
	case t.Kind == cparse.Int && t.Name != "int":
		return intType(t).Name + "(" + literal + ")"
	case t.Kind == cparse.Float && t.Size == 4:
		return "float32(" + literal + ")"
	}
	return literal
}

// number is a Go literal; one that no signed type holds has the type that C gives it.
func number(v int64, unsigned bool) string {
	if unsigned {
		return "uint64(" + strconv.FormatUint(uint64(v), 10) + ")"
	}
	return strconv.FormatInt(v, 10)
}

func (b *builder) addConstant(header, kind, name, doc, value string) {
	g := b.claim(exported(b.lib.Prefix, name), "Value", name)
	b.lib.Constants = append(b.lib.Constants, &Constant{decl(name, g, header, doc, ""), value, kind == "enumerator"})
	b.bound()
}
