package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

const getUserData = "doca_ctx_get_user_data"

// ctxOf finds the way from the first object that a callback of type f is given to the context
// on which fn installs it: a function that returns fn's own object for the callback's, and
// that object's as_ctx function. Of a message's connection that is doca_comch_server_get_server_ctx, then
// doca_comch_server_as_ctx.
func (b *builder) ctxOf(fn *Func, f *cparse.Type) *CtxPath {
	owner := pointee(fn.Params[0].C)
	asCtx := b.funcs[owner+"_as_ctx"]
	if owner == "" || asCtx == nil || asCtx.Inline || b.funcs[getUserData] == nil {
		return nil
	}
	for _, p := range f.Params {
		object := pointee(p.Type)
		if object == "" || b.isEventTag(underlying(p.Type).Elem) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(b.funcs)) {
			g := b.funcs[name]
			if len(g.Params) == 1 && pointee(g.Ret) == owner && pointee(g.Params[0].Type) == object && isConst(underlying(g.Params[0].Type).Elem) && !g.Inline {
				return &CtxPath{Object: object, Owner: name, AsCtx: asCtx.Name, UserData: getUserData}
			}
		}
		return nil
	}
	return nil
}

// pointee is the tag of the struct that a pointer type points to, or empty.
func pointee(t *cparse.Type) string {
	u := underlying(t)
	if u.Kind != cparse.Pointer {
		return ""
	}
	if e := underlying(u.Elem); e.Kind == cparse.Struct && strings.HasPrefix(e.Name, "doca_") {
		return e.Name
	}
	return ""
}
