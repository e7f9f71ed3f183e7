package vet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// does returns what a function does with an argument, on any of its paths.
func (p *program) does(fn *ssa.Function, i int) effect {
	at := argument{fn, i}
	if e, ok := p.effects[at]; ok {
		return e // 0 while it is being found out: a recursion adds nothing
	}
	p.effects[at] = 0
	t := trace{p: p, seen: map[ssa.Value]bool{}, bytes: holdsBytes(fn.Params[i].Type())}
	t.follow(fn.Params[i], role{})
	p.effects[at] = t.found
	return t.found
}

// role says what a value that is followed is to the object.
type role struct {
	child   bool // an object that was made with it, and keeps it alive
	inside  bool // it contains the object
	literal bool // it is what a literal has captured
}

// trace follows a value through a function and the literals in it, without regard to paths.
type trace struct {
	p     *program
	seen  map[ssa.Value]bool
	found effect
	local bool // a return does not count
	bytes bool // the value is, or has, a slice of bytes
}

func (t *trace) follow(v ssa.Value, r role) {
	if t.seen[v] || v.Referrers() == nil {
		return
	}
	t.seen[v] = true
	for _, in := range *v.Referrers() {
		t.use(v, in, r)
	}
}

func (t *trace) use(v ssa.Value, in ssa.Instruction, r role) {
	switch in := in.(type) {
	case *ssa.Store:
		t.store(v, in, r)
	case *ssa.Return:
		switch {
		case t.local:
		case r.child:
			t.found |= lends
		case !r.literal && (t.bytes || isBytes(v.Type()) || !r.inside):
			t.found |= passes
		default:
			t.found |= takes | stores
		}
	case *ssa.Send, *ssa.MapUpdate:
		t.found |= takes | stores
	case *ssa.Select:
		for _, s := range in.States {
			if s.Send == v {
				t.found |= takes | stores
			}
		}
	case *ssa.Convert:
		if isBytes(v.Type()) {
			t.found |= reads
		}
	case *ssa.IndexAddr:
		t.index(v, in, r)
	case *ssa.FieldAddr:
		if r.inside || embeds(in) {
			t.follow(in, r)
		}
	case *ssa.UnOp:
		t.follow(in, r)
	case *ssa.Field, *ssa.Index, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Phi, *ssa.Slice, *ssa.TypeAssert, *ssa.Extract, *ssa.Lookup:
		t.follow(in.(ssa.Value), r)
	case *ssa.MakeClosure:
		t.closure(v, in, r)
	case ssa.CallInstruction:
		t.call(v, in, r)
	}
}

// embeds reports whether a field is an embedded object, such as the Context of a DMA.
func embeds(in *ssa.FieldAddr) bool {
	n := named(in.X.Type())
	if n == nil {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	return ok && s.Field(in.Field).Embedded() && isObject(s.Field(in.Field).Type())
}

func (t *trace) store(v ssa.Value, in *ssa.Store, r role) {
	if in.Addr == v {
		return // something is stored in it
	}
	if a := localRoot(in.Addr); a != nil {
		r.inside = true
		t.follow(a, r)
		return
	}
	t.found |= takes | stores
}

func (t *trace) index(v ssa.Value, in *ssa.IndexAddr, r role) {
	if isBytes(v.Type()) {
		t.found |= access(in)
		return
	}
	if r.inside {
		t.follow(in, r)
	}
}

// access says what is done with an element.
func access(in *ssa.IndexAddr) effect {
	for _, ref := range *in.Referrers() {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == in {
			return writes
		}
	}
	return reads
}

func (t *trace) closure(v ssa.Value, in *ssa.MakeClosure, r role) {
	fn := in.Fn.(*ssa.Function)
	if bound := boundMethod(fn); bound != nil {
		if bound.Name() == "Close" || bound.Name() == "Shutdown" {
			t.found |= takes | frees
		} else {
			t.found |= takes // the method value keeps it
		}
		return
	}
	for i, b := range in.Bindings {
		if b == v {
			t.follow(fn.FreeVars[i], role{child: r.child, inside: r.inside, literal: true})
		}
	}
	for _, ref := range *in.Referrers() {
		if _, ok := ref.(*ssa.Go); ok && isBytes(v.Type()) {
			t.found |= stores
		}
	}
}

// boundMethod returns the method of a method value such as x.Close.
func boundMethod(fn *ssa.Function) *types.Func {
	if !strings.HasPrefix(fn.Synthetic, "bound method wrapper") {
		return nil
	}
	f, _ := fn.Object().(*types.Func)
	return f
}

func (t *trace) call(v ssa.Value, in ssa.CallInstruction, r role) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		t.builtin(v, in, b.Name(), r)
		return
	}
	f := callee(c)
	for i, a := range arguments(c) {
		if a != v {
			continue
		}
		if i == 0 && isClose(c) {
			if !r.child || r.inside {
				t.found |= takes | frees
			}
			continue
		}
		if i == 0 && c.IsInvoke() && !r.inside {
			continue // a method of an interface: a use
		}
		t.bytesOf(v, in, f, i)
		e, known := t.p.effectOf(c, i)
		switch {
		case isBytes(v.Type()):
			use := sliceUse(t.p, c, i)
			t.found |= use &^ passes
			if use&passes != 0 || sharesBytes(f) {
				t.passed(in, r)
			}
			if _, ok := in.(*ssa.Go); ok {
				t.found |= stores
			}
			continue
		case !known || r.inside && !t.p.api(f) && (f == nil || !onlyReads(f)):
			t.found |= takes
			continue
		}
		if r.child && e&frees != 0 {
			e &^= takes | frees
		}
		t.found |= e &^ (lends | passes)
		if e&passes != 0 {
			t.passed(in, r)
		}
		if e&lends != 0 && in.Value() != nil {
			t.follow(in.Value(), role{child: true})
		}
		if value := in.Value(); value != nil && len(makes(f)) > 0 {
			t.follow(value, role{child: true})
		}
	}
}

// passed follows the results of a call that returns its argument, or a part of it.
func (t *trace) passed(in ssa.CallInstruction, r role) {
	for _, v := range results(in) {
		t.follow(v, r)
	}
}

// results returns the results of a call that may have an argument in them: not errors, numbers and strings.
func results(in ssa.CallInstruction) []ssa.Value {
	call, ok := in.(*ssa.Call)
	if !ok {
		return nil
	}
	var found []ssa.Value
	may := func(v ssa.Value) {
		if _, basic := v.Type().Underlying().(*types.Basic); !basic && !isError(v.Type()) {
			found = append(found, v)
		}
	}
	if _, tuple := call.Type().(*types.Tuple); !tuple {
		may(call)
		return found
	}
	for _, ref := range *call.Referrers() {
		if e, ok := ref.(*ssa.Extract); ok {
			may(e)
		}
	}
	return found
}

// bytesOf follows the bytes of a buffer or memory, and notes what changes it.
func (t *trace) bytesOf(v ssa.Value, in ssa.CallInstruction, f *types.Func, i int) {
	if i != 0 || f == nil || !isBuffer(v.Type()) && !isMemory(v.Type()) || in.Value() == nil {
		return
	}
	switch f.Name() {
	case "Bytes", "Data":
		sub := trace{p: t.p, seen: map[ssa.Value]bool{}, local: true}
		sub.follow(in.Value(), role{})
		t.found |= sub.found & (reads | writes)
	case "SetData", "Reset", "Chain", "Unchain":
		t.found |= changes
	}
}

func (t *trace) builtin(v ssa.Value, in ssa.CallInstruction, name string, r role) {
	args := in.Common().Args
	switch name {
	case "append":
		if isBytes(args[0].Type()) && len(args) > 1 && args[1] == v {
			t.found |= reads
			return
		}
		if value := in.Value(); value != nil {
			t.found |= takes
			t.follow(value, r)
		}
	case "copy":
		if args[0] == v {
			t.found |= writes
		} else {
			t.found |= reads
		}
	case "clear":
		t.found |= writes
	}
}

// sliceUse says what a call does with the bytes of its argument i.
func sliceUse(p *program, c *ssa.CallCommon, i int) effect {
	f := callee(c)
	if e, known := p.effectOf(c, i); known && body(c) != nil {
		return e
	}
	if f == nil {
		return reads
	}
	if fact := p.facts[f]; fact != nil {
		return fact.Does[i]
	}
	fills := slices.ContainsFunc([]string{"Read", "Put", "Recv", "Fill", "Encode"}, func(s string) bool { return strings.HasPrefix(f.Name(), s) })
	if fills && (i > 0 || f.Signature().Recv() == nil) {
		return writes
	}
	return reads
}

// makesFresh returns which results of a function are objects that it has made and nobody else has.
func (p *program) makesFresh(fn *ssa.Function) []int {
	if known, ok := p.fresh[fn]; ok {
		return known
	}
	p.fresh[fn] = nil
	var found []int
	for i := range fn.Signature.Results().Len() {
		if !isClosable(fn.Signature.Results().At(i).Type()) {
			continue
		}
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && p.isFresh(ret.Results[i], map[ssa.Value]bool{}) {
				found = append(found, i)
				break
			}
		}
	}
	p.fresh[fn] = found
	return found
}

// isFresh reports whether a value is a new object, or may be one, that nobody else has.
func (p *program) isFresh(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return p.isFresh(e, seen) })
	case *ssa.MakeInterface:
		return isObject(v.X.Type()) && p.isFresh(v.X, seen)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && slices.Contains(p.made(call.Common()), v.Index) && !p.taken(v)
	case *ssa.Call:
		if slices.Contains(p.made(v.Common()), 0) {
			return v.Common().Signature().Results().Len() == 1 && !p.taken(v)
		}
		for i, a := range arguments(v.Common()) {
			if e, _ := p.effectOf(v.Common(), i); e&passes != 0 && p.isFresh(a, seen) {
				return true
			}
		}
	case *ssa.UnOp:
		a, ok := v.X.(*ssa.Alloc)
		if !ok {
			return false
		}
		for _, ref := range *a.Referrers() {
			if s, ok := ref.(*ssa.Store); ok && s.Addr == a && p.isFresh(s.Val, seen) {
				return true
			}
		}
	}
	return false
}

// taken reports whether somebody but the caller of the function gets a value. What error paths close does not count.
func (p *program) taken(v ssa.Value) bool {
	t := trace{p: p, seen: map[ssa.Value]bool{}, local: true}
	t.follow(v, role{})
	return t.found&takes != 0 && t.found&frees == 0 || t.found&frees != 0 && t.deferred()
}

// deferred reports whether a defer, or somebody who gets the Close, closes the value that was followed, whatever the path.
func (t *trace) deferred() bool {
	for seen := range t.seen {
		refs := seen.Referrers()
		if refs == nil {
			continue
		}
		for _, ref := range *refs {
			switch ref := ref.(type) {
			case *ssa.Defer:
				if isClose(ref.Common()) {
					return true
				}
			case *ssa.MakeClosure:
				for _, user := range *ref.Referrers() {
					if c, ok := user.(*ssa.Call); ok {
						if slices.Contains(c.Call.Args, ssa.Value(ref)) { // somebody calls it later
							return true
						}
					}
				}
			}
		}
	}
	return false
}
