package vet

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Unclosed finds objects that nobody can close any more.
var Unclosed = &analysis.Analyzer{
	Name: "unclosed",
	Doc: `report objects of go-doca that are not closed on some path

Whoever makes an object of go-doca, such as a device, a memory, a buffer or a connection, closes it, or hands it on: returns it, stores it,
or passes it to a function that keeps it. An object whose handle is dropped stays open until its owner is closed, for nothing is freed behind
DOCA's back: its memory stays pinned, its place in an inventory stays taken. The analyzer follows the paths of each function, also the early
returns after an error. Closing an owner closes what it owns, so an object is fine whose device, engine or other owner the function closes.`,
	URL:      page + "unclosed",
	Run:      runUnclosed,
	Requires: []*analysis.Analyzer{build},
}

func runUnclosed(pass *analysis.Pass) (any, error) {
	p, r := programOf(pass), newReporter(pass)
	for _, fn := range p.funcs {
		u := &unclosed{p: p, r: r, fn: fn, leaks: map[ssa.Value]*leak{}}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if call, ok := in.(*ssa.Call); ok {
					u.call(call)
				}
			}
		}
	}
	return nil, nil
}

// unclosed looks at one function.
type unclosed struct {
	p     *program
	r     *reporter
	fn    *ssa.Function
	leaks map[ssa.Value]*leak // by what was made; the leak is nil if there is none
}

// leak is a path on which an object is lost.
type leak struct {
	at    token.Pos // of the return
	again bool      // the loop makes the next one
}

// made is an object that a call has made.
type made struct {
	call   *ssa.Call
	value  ssa.Value // nil if the program does not keep it
	err    ssa.Value
	owners []ssa.Value
}

func (u *unclosed) call(call *ssa.Call) {
	for _, i := range u.p.made(call.Common()) {
		results := call.Call.Signature().Results()
		m := made{call: call}
		if results.Len() == 1 {
			m.value = call
		} else {
			m.value, m.err = extract(call, i), extract(call, results.Len()-1)
		}
		if m.err != nil && !isError(m.err.Type()) {
			m.err = nil
		}
		if m.value != nil && len(*m.value.Referrers()) == 0 {
			m.value = nil
		}
		m.owners = u.owners(call, m.value, 0)
		if u.testsOwn(m) {
			continue
		}
		if found := u.leakOf(m); found != nil && !u.ownerLeaks(m) {
			u.report(m, kind(results.At(i).Type()), found)
		}
	}
}

func (u *unclosed) report(m made, what string, l *leak) {
	maker := describe(callee(m.call.Common()))
	switch {
	case m.value == nil:
		u.r.report(m.call.Pos(), "the %s that %s makes is dropped: nobody can close it", what, maker)
	case l.again:
		u.r.report(m.call.Pos(), "the %s that %s makes is not closed before the loop makes the next one", what, maker)
	default:
		u.r.report(m.call.Pos(), "the %s that %s makes is not closed on all paths: not before the return in line %d", what, maker, u.r.line(l.at))
	}
}

// extract returns result i of a call, or nil if nothing uses it.
func extract(call ssa.Value, i int) ssa.Value {
	for _, ref := range *call.Referrers() {
		if e, ok := ref.(*ssa.Extract); ok && e.Index == i {
			return e
		}
	}
	return nil
}

// owners returns the objects that own what a call makes, and the owners of those.
func (u *unclosed) owners(call *ssa.Call, self ssa.Value, depth int) []ssa.Value {
	var found []ssa.Value
	if depth > 8 {
		return nil
	}
	from := arguments(call.Common())
	if made := extract(call, 0); made != nil && isNamed(made.Type(), docaPath, "Inventory") {
		from = append(from, memoriesOf(made)...)
	}
	if f := callee(call.Common()); f == nil || !inDoca(f.Pkg()) { // what a helper returns beside the object may own it
		for _, ref := range *call.Referrers() {
			if e, ok := ref.(*ssa.Extract); ok && isObject(e.Type()) && e != self {
				found = append(found, e)
			}
		}
		for _, a := range arguments(call.Common()) {
			if holdsObjects(a.Type()) {
				found = append(found, a)
			}
		}
	}
	for _, a := range from {
		for _, o := range parts(a, isObject) {
			found = append(found, o)
			if maker := makerOf(o); maker != nil {
				found = append(found, u.owners(maker, o, depth+1)...)
			}
		}
	}
	return found
}

// holdsObjects reports whether t is a struct of the program, or a pointer to one, with objects in its fields.
func holdsObjects(t types.Type) bool {
	n := named(t)
	if n == nil || inDoca(n.Obj().Pkg()) {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if isObject(f.Type()) {
			return true
		}
	}
	return false
}

// memoriesOf returns the memories for which buffers of an inventory are taken. Their devices own the inventory.
func memoriesOf(inv ssa.Value) []ssa.Value {
	var found []ssa.Value
	for _, ref := range *inv.Referrers() {
		call, ok := ref.(*ssa.Call)
		if !ok || receiver(call.Common()) != inv {
			continue
		}
		for _, a := range call.Call.Args[1:] {
			found = append(found, parts(a, isMemory)...)
		}
	}
	return found
}

// makerOf returns the call that a value is a result of, or nil.
func makerOf(v ssa.Value) *ssa.Call {
	if load, ok := v.(*ssa.UnOp); ok {
		if a, ok := load.X.(*ssa.Alloc); ok {
			if s := soleStore(a); s != nil {
				v = s.Val
			}
		}
	}
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, _ := v.(*ssa.Call)
	return call
}

// testsOwn reports whether an object is of a test, and a helper of the test has made it or its owner: such a helper also closes it.
func (u *unclosed) testsOwn(m made) bool {
	if !u.r.inTest(u.fn.Pos()) {
		return false
	}
	if f := callee(m.call.Common()); !inDoca(f.Pkg()) || u.r.inTest(f.Pos()) {
		return true
	}
	return slices.ContainsFunc(m.owners, func(o ssa.Value) bool {
		maker := makerOf(o)
		return maker == nil || len(makes(callee(maker.Common()))) == 0
	})
}

func (u *unclosed) ownerLeaks(m made) bool {
	return slices.ContainsFunc(m.owners, func(o ssa.Value) bool { return u.leaks[o] != nil })
}

// leakOf returns the first path on which an object is lost, or nil.
func (u *unclosed) leakOf(m made) *leak {
	if u.ownerCloses(m) {
		return nil
	}
	if m.value == nil {
		if u.r.inTest(u.fn.Pos()) && m.err != nil && len(*m.err.Referrers()) > 0 {
			return nil // a test that knows that it fails
		}
		return &leak{at: m.call.Pos()}
	}
	s := newState()
	s.values[m.value] = is
	if m.err != nil {
		s.values[m.err] = isErr
	}
	var found *leak
	path := &closing{u: u, m: m}
	follow(m.call, s, hooks{
		instr: func(s *state, in ssa.Instruction) bool {
			if found != nil {
				return false
			}
			if e, ok := in.(*ssa.Extract); ok && e.Tuple == m.call {
				return true
			}
			if in == ssa.Instruction(m.call) {
				if len(s.places) > 0 {
					return false // the loop collects them
				}
				if path.carried(s) {
					return true
				}
				found = &leak{at: in.Pos(), again: true}
				return false
			}
			if ret, ok := in.(*ssa.Return); ok {
				if !path.returns(s, ret) && !(s.fails(ret) && (u.r.inTest(u.fn.Pos()) || u.callersClose(m))) {
					found = &leak{at: exitOf(ret)}
				}
				return false
			}
			return !path.handed(s, in)
		},
		branch: func(s *state, c condition, taken bool) bool { return path.open(s, c, taken) },
	})
	u.leaks[m.value] = found
	return found
}

// exitOf is where a path ends, in the source.
func exitOf(ret *ssa.Return) token.Pos {
	if ret.Pos().IsValid() {
		return ret.Pos()
	}
	if syntax := ret.Parent().Syntax(); syntax != nil {
		return syntax.End() - 1
	}
	return ret.Parent().Pos()
}

// ownerCloses reports whether the function closes an owner at its end, by a defer or a test's cleanup.
func (u *unclosed) ownerCloses(m made) bool {
	for _, b := range u.fn.Blocks {
		for _, in := range b.Instrs {
			d, isDefer := in.(*ssa.Defer)
			if isDefer && u.closesOwner(m, d.Common()) {
				return true
			}
			if c, ok := in.(*ssa.MakeClosure); ok && u.closureClosesOwner(m, c) {
				return true
			}
		}
	}
	return false
}

var ends = regexp.MustCompile(`(?i)^(close|shutdown|stop|clean|release|free|tear|destroy|finish|end)`)

// closesOwner reports whether a call closes an owner of the object, or what the owner is part of.
func (u *unclosed) closesOwner(m made, c *ssa.CallCommon) bool {
	f, at := callee(c), receiver(c)
	if f == nil {
		return false
	}
	if at == nil && len(c.Args) == 1 {
		at = c.Args[0]
	}
	if at == nil || !ends.MatchString(f.Name()) {
		return false
	}
	k := key(at)
	return slices.ContainsFunc(m.owners, func(o ssa.Value) bool {
		if isClose(c) && isClosable(at.Type()) && key(o) == k {
			return true
		}
		return !u.p.api(f) && within(key(o), k)
	})
}

// closureClosesOwner reports whether a function literal closes an owner. It is enough that somebody may call it.
func (u *unclosed) closureClosesOwner(m made, c *ssa.MakeClosure) bool {
	fn := c.Fn.(*ssa.Function)
	for i, b := range c.Bindings {
		k := key(b)
		owner := slices.ContainsFunc(m.owners, func(o ssa.Value) bool { return key(o) == k || within(key(o), k) })
		if !owner {
			continue
		}
		if bound := boundMethod(fn); bound != nil {
			return ends.MatchString(bound.Name())
		}
		if callsEnd(fn, fn.FreeVars[i]) {
			return true
		}
	}
	return false
}

// callsEnd reports whether a function closes a value, or what the value is part of.
func callsEnd(fn *ssa.Function, v ssa.Value) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			f, at := callee(call.Common()), receiver(call.Common())
			if f != nil && at != nil && ends.MatchString(f.Name()) && within(key(at), key(v)) {
				return true
			}
		}
	}
	return false
}

// closing decides along a path whether an object was closed or handed on.
type closing struct {
	u *unclosed
	m made
}

// open decides at a branch whether the object may be open on the way.
func (c *closing) open(s *state, cond condition, taken bool) bool {
	if cond.what == isNil && taken && slices.ContainsFunc(c.m.owners, func(o ssa.Value) bool { return key(o) == key(cond.subject) }) {
		return false // there is no owner, and nothing that it owns
	}
	switch t := s.of2(cond.subject); {
	case t == isErr && cond.what == isNil:
		return taken
	case t == isErr && (cond.what == isCanceled || cond.what == isSomething):
		return !taken
	case t == is && cond.what == isNil:
		return !taken
	}
	return true
}

// of2 is like of, for a subject that may be missing.
func (s *state) of2(v ssa.Value) tag {
	if v == nil {
		return none
	}
	return s.of(v)
}

// carried reports whether a variable takes the object into the next round of the loop. Then it alone stands for the object.
func (c *closing) carried(s *state) bool {
	found := false
	for v, t := range s.values {
		if _, phi := v.(*ssa.Phi); phi && mine(t) && v.(*ssa.Phi).Block().Dominates(c.m.call.Block()) {
			found = true
		} else {
			delete(s.values, v)
		}
	}
	return found
}

// returns reports whether the object is handed on with the results.
func (c *closing) returns(s *state, ret *ssa.Return) bool {
	return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
		owner := func(o ssa.Value) bool {
			return slices.ContainsFunc(c.m.owners, func(m ssa.Value) bool { return key(m) == key(o) })
		}
		return mine(s.of(v)) || slices.ContainsFunc(parts(v, isObject), owner) // the caller gets the owner, and closes it
	})
}

// handed reports whether an instruction hands the object on, or closes it.
func (c *closing) handed(s *state, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Panic:
		return true
	case *ssa.Store:
		if t := s.of(in.Val); t == is || t == has || t == child {
			a := localRoot(in.Addr)
			return a == nil || c.captured(a)
		}
	case *ssa.Send:
		return mine(s.of(in.X))
	case *ssa.MapUpdate:
		return mine(s.of(in.Value)) || mine(s.of(in.Key))
	case *ssa.Select:
		return slices.ContainsFunc(in.States, func(st *ssa.SelectState) bool { return st.Send != nil && mine(s.of(st.Send)) })
	case *ssa.MakeClosure:
		return c.closure(s, in)
	case ssa.CallInstruction:
		return c.call(s, in)
	}
	return false
}

func mine(t tag) bool { return t == is || t == has || t == child }

// captured reports whether a function literal that closes or keeps what is in a variable has the variable.
func (c *closing) captured(a *ssa.Alloc) bool {
	for _, ref := range *a.Referrers() {
		if closure, ok := ref.(*ssa.MakeClosure); ok {
			if c.keeps(closure, a) {
				return true
			}
		}
	}
	return false
}

func (c *closing) keeps(in *ssa.MakeClosure, v ssa.Value) bool {
	t := trace{p: c.u.p, seen: map[ssa.Value]bool{}}
	t.closure(v, in, role{})
	return t.found&(takes|posts|passes) != 0
}

func (c *closing) closure(s *state, in *ssa.MakeClosure) bool {
	for _, b := range in.Bindings {
		t := s.of(b)
		if (t == is || t == has) && c.keeps(in, b) {
			return true
		}
		if t == is || t == has {
			s.values[in] = has // whoever gets the literal has the object
		}
	}
	return c.u.closureClosesOwner(c.m, in)
}

func (c *closing) call(s *state, in ssa.CallInstruction) bool {
	common := in.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return b.Name() == "append" && slices.ContainsFunc(common.Args, func(a ssa.Value) bool { return mine(s.of(a)) })
	}
	if c.u.closesOwner(c.m, common) {
		return true
	}
	f := callee(common)
	if f != nil && f.Pkg() != nil && (f.FullName() == "os.Exit" || f.Pkg().Path() == "log" && strings.HasPrefix(f.Name(), "Fatal")) {
		return true
	}
	wrapped(s, in)
	for i, a := range arguments(common) {
		t := s.of(a)
		if !mine(t) {
			continue
		}
		if i == 0 && isClose(common) && t != child {
			return true
		}
		if i == 0 && common.IsInvoke() && t != has {
			continue // a method of an interface: a use
		}
		e, known := c.u.p.effectOf(common, i)
		if t == child && e&frees != 0 {
			continue // it closes that one
		}
		if !known || e&(takes|posts) != 0 {
			return true
		}
		if t == has && !c.u.p.api(f) && (f == nil || !onlyReads(f)) {
			return true
		}
		if len(makes(f)) > 0 && in.Value() != nil {
			c.made(s, in.Value(), f)
		}
		if e&lends != 0 && in.Value() != nil {
			s.values[in.Value()] = child // Extract takes it from here
		}
		if e&passes != 0 {
			for _, v := range results(in) {
				s.values[v] = t
			}
		}
	}
	return false
}

// wrapped notes the error of a function that gets the error of the object, with or without the object: it stands for that error.
func wrapped(s *state, in ssa.CallInstruction) {
	args := arguments(in.Common())
	if !slices.ContainsFunc(args, func(a ssa.Value) bool { return s.of(a) == isErr }) ||
		len(args) > 1 && !slices.ContainsFunc(args, func(a ssa.Value) bool { return mine(s.of(a)) }) {
		return
	}
	call, ok := in.(*ssa.Call)
	if !ok {
		return
	}
	if err := lastError(call); err != nil {
		s.values[err] = isErr
	}
}

// made notes an object that was made with this one and keeps it alive.
func (c *closing) made(s *state, call ssa.Value, f *types.Func) {
	for _, i := range makes(f) {
		if e := extract(call, i); e != nil {
			s.values[e] = child
		}
	}
}
