package vet

import (
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A place such as a field, or a variable that a literal has captured, may get another buffer while the operation is in flight. What is loaded
// from it later is not the operand any more.

// rebound notes that a place which names an operand has got another value, or may have.
func (f *flight) rebound(s *state, k string) {
	for _, o := range f.operands {
		if within(o.place, k) {
			s.moved[k] = true
		}
	}
}

// storedAt notes a store on the path.
func (f *flight) storedAt(s *state, in *ssa.Store) {
	if a, ok := in.Addr.(*ssa.Alloc); ok && soleStore(a) == in {
		return // named by its value
	}
	f.rebound(s, place(in.Addr))
}

// loadedFrom notes whether a value comes from a place that has another value now.
func (f *flight) loadedFrom(s *state, in *ssa.UnOp) {
	if in.Op != token.MUL {
		return
	}
	delete(s.stale, in)
	k := place(in)
	for moved := range s.moved {
		if within(k, moved) {
			s.stale[in] = true
		}
	}
}

// isStale reports whether a value was loaded, or is part of what was loaded, after the place had got another value.
func (s *state) isStale(v ssa.Value) bool {
	for range 30 {
		if s.stale[v] {
			return true
		}
		switch w := v.(type) {
		case *ssa.FieldAddr:
			v = w.X
		case *ssa.Field:
			v = w.X
		case *ssa.IndexAddr:
			v = w.X
		case *ssa.Index:
			v = w.X
		case *ssa.UnOp:
			v = w.X
		case *ssa.MakeInterface:
			v = w.X
		case *ssa.ChangeInterface:
			v = w.X
		case *ssa.ChangeType:
			v = w.X
		case *ssa.Slice:
			v = w.X
		case *ssa.Call: // a getter
			at := receiver(w.Common())
			if at == nil {
				return false
			}
			v = at
		default:
			return false
		}
	}
	return false
}

var fieldWords = regexp.MustCompile(`\.(\w+)`)

// assignedBy notes what a call of the program may assign: a field of something that it gets and that has an operand, or a captured variable.
func (f *flight) assignedBy(s *state, in ssa.CallInstruction, callee *types.Func) {
	c := in.Common()
	if closure, ok := c.Value.(*ssa.MakeClosure); ok {
		fn := closure.Fn.(*ssa.Function)
		for i, b := range closure.Bindings {
			if storesTo(fn, fn.FreeVars[i]) {
				f.rebound(s, place(b))
			}
		}
	}
	if f.p.api(callee) || callee != nil && onlyReads(callee) {
		return
	}
	for _, a := range arguments(c) {
		if _, pointer := a.Type().Underlying().(*types.Pointer); !pointer || isObject(a.Type()) {
			continue
		}
		k := place(a)
		for _, o := range f.operands {
			if rest, ok := strings.CutPrefix(o.place, k); ok && rest != "" && within(o.place, k) && f.p.assigns(c, fieldWords.FindAllStringSubmatch(rest, -1), 0) {
				s.moved[o.place] = true
			}
		}
	}
}

func storesTo(fn *ssa.Function, v ssa.Value) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok && st.Addr == v {
				return true
			}
		}
	}
	return false
}

// assigns reports whether a call, or what it calls, stores to a field of one of these names. A function without source may.
func (p *program) assigns(c *ssa.CallCommon, names [][]string, depth int) bool {
	fn := body(c)
	if fn == nil || depth > 3 {
		return true
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				if field := fieldOf(in.Addr); field != nil {
					for _, name := range names {
						if name[1] == field.Name() {
							return true
						}
					}
				}
			case ssa.CallInstruction:
				if body(in.Common()) != nil && body(in.Common()) != fn && p.assigns(in.Common(), names, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// handsOver reports whether an instruction may let somebody else wait for a future that is in a field: a call of the program, a channel, or
// whatever else waits.
func (f *flight) handsOver(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Send, *ssa.Select, *ssa.Go:
		return true
	case *ssa.UnOp:
		return in.Op == token.ARROW
	case ssa.CallInstruction:
		if _, ok := in.Common().Value.(*ssa.Builtin); ok {
			return false
		}
		c := callee(in.Common())
		switch {
		case c == nil || c.Pkg() == nil:
			return true
		case inDoca(c.Pkg()):
			return takesContext(c) || waitsInAPI(c) || isFuture(receiverType(c))
		}
		first, _, _ := strings.Cut(c.Pkg().Path(), "/")
		switch first {
		case "context", "runtime", "sync", "time":
			return true
		}
		return strings.Contains(first, ".") && !onlyReads(c) || body(in.Common()) != nil
	}
	return false
}
