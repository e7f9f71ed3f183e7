package vet

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// callersClose reports whether a function that fails may leave an object to its caller, who closes the owner: the function closes the
// object on no path, the owner is a parameter or part of one, and all callers close it and do not call the function again once it has failed.
func (u *unclosed) callersClose(m made) bool {
	t := trace{p: u.p, seen: map[ssa.Value]bool{}}
	t.follow(m.value, role{})
	if t.found&frees != 0 {
		return false
	}
	return slices.ContainsFunc(m.owners, func(o ssa.Value) bool { return u.p.ownerIsClosed(u.fn, root(o), 0) })
}

// ownerIsClosed reports whether all who call a function close what they pass as a parameter, directly or as part of something.
func (p *program) ownerIsClosed(fn *ssa.Function, v ssa.Value, depth int) bool {
	param, ok := v.(*ssa.Parameter)
	if !ok || depth > 4 {
		return false
	}
	i := slices.Index(fn.Params, param)
	calls := p.callsOf(fn)
	if len(calls) == 0 && fn.Signature.Recv() == nil && p.isValue(fn) {
		return true // somebody else calls it, and has made what it gets
	}
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c *ssa.Call) bool {
		if reaches(c.Block(), c.Block()) && !leavesLoop(c) {
			return true
		}
		passed := root(c.Call.Args[i])
		return !closesPart(c.Parent(), passed) && !p.ownerIsClosed(c.Parent(), passed, depth+1) && !p.returnsPart(c, passed, depth)
	})
}

// returnsPart reports whether a function is a constructor whose callers get the object that the call works for, and close that.
func (p *program) returnsPart(c *ssa.Call, passed ssa.Value, depth int) bool {
	maker := makerOf(passed)
	return maker != nil && body(maker.Common()) != nil && closesPart(c.Parent(), maker) && depth < 4
}

// callsOf returns the calls of a function in the package.
func (p *program) callsOf(fn *ssa.Function) []*ssa.Call {
	if p.calls == nil {
		p.calls = map[*ssa.Function][]*ssa.Call{}
		for _, f := range p.funcs {
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(*ssa.Call); ok && c.Call.StaticCallee() != nil {
						p.calls[c.Call.StaticCallee()] = append(p.calls[c.Call.StaticCallee()], c)
					}
				}
			}
		}
	}
	return p.calls[fn]
}

// closesPart reports whether a function, or a literal in it, closes a value or something that has the value.
func closesPart(fn *ssa.Function, v ssa.Value) bool {
	same := func(at ssa.Value) bool {
		return root(at) == v || makerOf(root(at)) != nil && makerOf(root(at)) == makerOf(v)
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case ssa.CallInstruction:
				f, at := callee(in.Common()), receiver(in.Common())
				if f != nil && at != nil && ends.MatchString(f.Name()) && same(at) {
					return true
				}
			case *ssa.MakeClosure:
				for i, binding := range in.Bindings {
					if inner := in.Fn.(*ssa.Function); same(binding) && (callsEnd(inner, inner.FreeVars[i]) || boundMethod(inner) != nil && ends.MatchString(inner.Name())) {
						return true
					}
				}
			}
		}
	}
	return false
}

// isValue reports whether a function of the package is passed to another one.
func (p *program) isValue(fn *ssa.Function) bool {
	for _, f := range p.funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if ok && slices.Contains(call.Common().Args, ssa.Value(fn)) {
					return true
				}
			}
		}
	}
	return false
}

// leavesLoop reports whether a call in a loop is not made again once it has failed.
func leavesLoop(c *ssa.Call) bool {
	err := lastError(c)
	if err == nil {
		return false
	}
	found := false
	for _, ref := range *err.Referrers() {
		asks, ok := ref.(*ssa.BinOp)
		if !ok {
			continue
		}
		for _, user := range *asks.Referrers() {
			branch, ok := user.(*ssa.If)
			cond, positive := decode(asks)
			if !ok || cond.what != isNil || cond.subject != err {
				continue
			}
			failed := branch.Block().Succs[0]
			if positive {
				failed = branch.Block().Succs[1]
			}
			if reaches(failed, c.Block()) {
				return false
			}
			found = true
		}
	}
	return found
}

// reaches reports whether there is a way from one block to another.
func reaches(from, b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var reach func(*ssa.BasicBlock) bool
	reach = func(from *ssa.BasicBlock) bool {
		for _, s := range from.Succs {
			if s == b {
				return true
			}
			if !seen[s] {
				seen[s] = true
				if reach(s) {
					return true
				}
			}
		}
		return false
	}
	return reach(from)
}
