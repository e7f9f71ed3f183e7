package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// GoFunc is the Go form of a callback whose result C waits for, or which does something for C.
type GoFunc struct {
	C    *cparse.Type
	Args []CallbackArg
	Ret  *GoType // nil if it returns nothing
	// Status is set where the result is a doca_error_t, Go's error.
	Status bool
}

// goFunc makes the Go form of a callback, or nil if a parameter has none.
func (b *builder) goFunc(f *cparse.Type) *GoFunc {
	if f.Variadic || len(f.Params) == 0 {
		return nil
	}
	out := &GoFunc{C: f}
	if r := underlying(f.Elem); r.Kind != cparse.Void {
		g, err := b.resolve(f.Elem)
		if err != nil || g.Kind == Record && r.Kind != cparse.Pointer || g.Kind == DataK {
			return nil
		}
		out.Ret, out.Status = g, r.Kind == cparse.EnumT && r.Name == "doca_error"
	}
	names := map[string]bool{}
	for i, a := range f.Params {
		u := underlying(a.Type)
		g, err := b.resolve(a.Type)
		if err != nil || g.Kind == Record && u.Kind != cparse.Pointer {
			return nil
		}
		if u.Kind == cparse.Pointer && underlying(u.Elem).Kind == cparse.Void && cookieArg.MatchString(strings.ToLower(a.Name)) {
			g = &GoType{DataK, ABI, "Data", "uint64_t"}
		}
		arg := CallbackArg{Name: fmt.Sprintf("arg%d", i), CType: SpellParam(a.Type, fmt.Sprintf("arg%d", i)), Type: g, GoName: param(a.Name, i)}
		for names[arg.GoName] {
			arg.GoName += "Value"
		}
		names[arg.GoName] = true
		out.Args = append(out.Args, arg)
	}
	return out
}

// cookieArg matches what the program's own data is called in a callback.
var cookieArg = regexp.MustCompile(`(^|_)(usr|user)_(ctx|context|data|arg|cookie|ptr)$|(^|_)(cookie|opaque)$`)

// acts tells whether a callback that returns nothing does something for C: it is given memory and nothing that says whose
// event it is, and has a counterpart that returns a value, or is called after what it does. The free function of an allocator is
// one: a record of it, read later, would be too late.
func acts(fn *cparse.Func, p cparse.Param, f *cparse.Type) bool {
	for _, a := range f.Params {
		u := underlying(a.Type)
		if isData(a.Type) || u.Kind == cparse.Pointer && (underlying(u.Elem).Kind != cparse.Void || cookieArg.MatchString(strings.ToLower(a.Name))) {
			return false
		}
	}
	if underlying(f.Elem).Kind != cparse.Void || len(f.Params) == 0 {
		return false
	}
	name := strings.ToLower(p.Name + " " + p.Type.Name)
	return actName.MatchString(name) || slices.ContainsFunc(fn.Params, func(p cparse.Param) bool {
		c := function(p.Type)
		return c != nil && underlying(c.Elem).Kind != cparse.Void
	})
}

var actName = regexp.MustCompile(`(^|[_ ])(de)?(alloc|allocate|free|release|lock|unlock)`)
