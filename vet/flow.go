package vet

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// tag says what a value is to what an analyzer follows along the paths of a function.
type tag uint8

const (
	none    tag = iota
	is          // the object itself
	has         // a struct, slice or the like that contains it
	child       // an object that was made with it and keeps it alive
	isErr       // the error that came with it
	isDone      // the channel that says when it has ended
	another     // a second error, that of a wait
)

// state is what is known at a point of a path.
type state struct {
	values map[ssa.Value]tag
	places map[string]tag // of variables and literals, by key
	known  map[ssa.Value]bool
	nils   map[ssa.Value]bool  // errors and objects that are nil, or are not
	ints   map[ssa.Value]int64 // counters, in the first round of a loop
	phase  int
	notes  map[token.Pos]string // of an analyzer
	since  *ssa.BasicBlock      // where the phase began, if the analyzer wants to know
	moved  map[string]bool      // places that have got another value
	stale  map[ssa.Value]bool   // what was loaded from them since
	shared bool                 // a future that is in a field, where others find it
}

func newState() *state {
	return &state{values: map[ssa.Value]tag{}, places: map[string]tag{}, known: map[ssa.Value]bool{}, nils: map[ssa.Value]bool{}, ints: map[ssa.Value]int64{}, notes: map[token.Pos]string{},
		moved: map[string]bool{}, stale: map[ssa.Value]bool{}}
}

func (s *state) clone() *state {
	return &state{maps.Clone(s.values), maps.Clone(s.places), maps.Clone(s.known), maps.Clone(s.nils), maps.Clone(s.ints), s.phase, maps.Clone(s.notes), s.since,
		maps.Clone(s.moved), maps.Clone(s.stale), s.shared}
}

// signature tells states apart.
func (s *state) signature() string {
	var all []string
	for v, t := range s.values {
		all = append(all, fmt.Sprintf("%p%d", v, t))
	}
	for p, t := range s.places {
		all = append(all, fmt.Sprintf("%s=%d", p, t))
	}
	for v, t := range s.known {
		all = append(all, fmt.Sprintf("%p%v", v, t))
	}
	for v, t := range s.nils {
		all = append(all, fmt.Sprintf("%p=%v", v, t))
	}
	for v, n := range s.ints {
		all = append(all, fmt.Sprintf("%p#%d", v, n))
	}
	for p := range s.notes {
		all = append(all, fmt.Sprintf("@%d", p))
	}
	for p := range s.moved {
		all = append(all, "moved "+p)
	}
	for v := range s.stale {
		all = append(all, fmt.Sprintf("%p stale", v))
	}
	slices.Sort(all)
	return fmt.Sprintf("%d %v %s", s.phase, s.shared, strings.Join(all, " "))
}

// set tags a value, or takes its tag away.
func (s *state) set(v ssa.Value, t tag) {
	if t == none {
		delete(s.values, v)
	} else {
		s.values[v] = t
	}
}

// of returns the tag of a value, which may be the address of a place.
func (s *state) of(v ssa.Value) tag {
	if t := s.values[v]; t != none {
		return t
	}
	switch v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
		if len(s.places) > 0 && s.inside(place(v)) != none {
			return has
		}
	}
	return none
}

// inside returns the tag of what lies in a place.
func (s *state) inside(place string) tag {
	if t := s.places[place]; t != none {
		return t
	}
	found := none
	for p, t := range s.places {
		if within(p, place) && (t == is || t == has || t == child && found == none) {
			found = t
			if t != child {
				return has
			}
		}
	}
	return found
}

// hooks are what an analyzer does along a path. Each returns false where the path is of no interest any more.
type hooks struct {
	instr  func(s *state, in ssa.Instruction) bool
	branch func(s *state, c condition, taken bool) bool
	load   func(s *state, in ssa.Value, from tag) tag // what part of a tagged whole is; nil: the default
}

// walk follows all paths from behind an instruction. It gives up after many steps, as it may for functions of thousands of lines.
type walk struct {
	hooks
	steps   int
	visited map[string]bool
	twice   map[ssa.Value]bool // conditions that several branches have
}

func follow(from ssa.Instruction, s *state, h hooks) {
	w := &walk{hooks: h, visited: map[string]bool{}, twice: map[ssa.Value]bool{}}
	conds := map[ssa.Value]int{}
	for _, b := range from.Parent().Blocks {
		if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if conds[branch.Cond]++; conds[branch.Cond] > 1 {
				w.twice[branch.Cond] = true
			}
		}
	}
	w.before(from.Block(), s)
	w.from(from.Block(), slices.Index(from.Block().Instrs, from)+1, s)
}

// before notes what the branches say that lead to a block, whatever the path.
func (w *walk) before(b *ssa.BasicBlock, s *state) {
	for d := b.Idom(); d != nil; d = d.Idom() {
		branch, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		for n, next := range d.Succs {
			if len(next.Preds) == 1 && next.Dominates(b) && w.twice[branch.Cond] {
				s.known[branch.Cond] = n == 0
			}
		}
	}
}

func (w *walk) from(b *ssa.BasicBlock, i int, s *state) {
	for _, in := range b.Instrs[i:] {
		if w.steps++; w.steps > 200_000 {
			return
		}
		if !w.instr(s, in) {
			return
		}
		if _, ok := in.(*ssa.Phi); ok {
			continue // enter has done that
		}
		w.propagate(s, in)
	}
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	for n, next := range b.Succs {
		t := s
		if len(b.Succs) > 1 {
			t = s.clone()
		}
		if ok {
			if known, ok := t.known[branch.Cond]; ok && known != (n == 0) {
				continue
			}
			if w.twice[branch.Cond] {
				t.known[branch.Cond] = n == 0
			}
			if !w.decide(t, branch.Cond, n == 0) {
				continue
			}
		}
		w.enter(b, next, t)
	}
}

func (w *walk) decide(s *state, cond ssa.Value, taken bool) bool {
	c, positive := decode(cond)
	if c.what == isNil {
		if known, ok := s.isNil(c.subject); ok && known != (taken == positive) {
			return false
		}
		s.nils[c.subject] = taken == positive
	}
	if (c.what == isCanceled || c.what == isSomething) && taken == positive {
		s.nils[c.subject] = false
	}
	if b, ok := cond.(*ssa.BinOp); ok && b.Op == token.LSS {
		x, ok1 := s.int(b.X)
		y, ok2 := s.int(b.Y)
		if ok1 && ok2 && (x < y) != taken {
			return false // a loop that runs at least once
		}
	}
	return w.branch == nil || w.branch(s, c, taken == positive)
}

// isNil reports whether a value is known to be nil, or not to be.
func (s *state) isNil(v ssa.Value) (is, known bool) {
	if c, ok := v.(*ssa.Const); ok {
		return c.IsNil(), true
	}
	if call, ok := v.(*ssa.Call); ok {
		if f := callee(call.Common()); f != nil && (f.FullName() == "fmt.Errorf" || f.FullName() == "errors.New") {
			return false, true
		}
	}
	is, known = s.nils[v]
	return is, known
}

// int returns the value of a constant, or of a counter in the first round of its loop.
func (s *state) int(v ssa.Value) (n int64, known bool) {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
		return c.Int64(), true
	}
	n, known = s.ints[v]
	return n, known
}

// failed reports whether there is an error on the path.
func (s *state) failed() bool {
	for v, isNil := range s.nils {
		if !isNil && isError(v.Type()) {
			return true
		}
	}
	return false
}

// fails reports whether a function returns an error, or there is one on the path.
func (s *state) fails(ret *ssa.Return) bool {
	if n := len(ret.Results); n > 0 && isError(ret.Results[n-1].Type()) {
		if isNil, known := s.isNil(ret.Results[n-1]); known {
			return !isNil
		}
	}
	return s.failed()
}

// enter goes on in the next block, where the phis take the values of the edge.
func (w *walk) enter(from, to *ssa.BasicBlock, s *state) {
	edge := slices.Index(to.Preds, from)
	tags, nils := map[ssa.Value]tag{}, map[ssa.Value]bool{}
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		tags[phi] = s.of(phi.Edges[edge])
		delete(s.known, phi)
		if isNil, known := s.isNil(phi.Edges[edge]); known && (isError(phi.Type()) || isClosable(phi.Type())) {
			nils[phi] = isNil
		}
	}
	for phi, t := range tags {
		s.set(phi, t)
		delete(s.nils, phi)
		delete(s.ints, phi)
		if c, ok := phi.(*ssa.Phi).Edges[edge].(*ssa.Const); ok {
			if n, known := s.int(c); known {
				s.ints[phi] = n
			}
		}
	}
	maps.Copy(s.nils, nils)
	id := fmt.Sprintf("%d %s", to.Index, s.signature())
	if w.visited[id] {
		return
	}
	w.visited[id] = true
	w.from(to, 0, s)
}

// propagate carries tags over an instruction.
func (w *walk) propagate(s *state, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		w.stored(s, in)
		return
	case *ssa.UnOp:
		if in.Op == token.MUL {
			s.set(in, w.loaded(s, in))
		}
	case *ssa.FieldAddr:
		if s.values[in.X] == is && embeds(in) {
			s.set(in, is)
		} else {
			s.set(in, none)
		}
	case *ssa.MakeInterface:
		s.set(in, s.of(in.X))
	case *ssa.ChangeInterface:
		s.set(in, s.of(in.X))
	case *ssa.ChangeType:
		s.set(in, s.of(in.X))
	case *ssa.Slice:
		s.set(in, s.of(in.X))
	case *ssa.TypeAssert:
		s.set(in, s.of(in.X))
	case *ssa.Extract:
		if t := s.of(in.Tuple); t != none {
			s.set(in, t)
		}
	case *ssa.Field:
		s.set(in, w.part(s, in, s.of(in.X)))
	case *ssa.Index:
		s.set(in, w.part(s, in, s.of(in.X)))
	case *ssa.Lookup:
		s.set(in, w.part(s, in, s.of(in.X)))
	}
	if v, ok := in.(ssa.Value); ok {
		delete(s.ints, v)
		if sum, ok := in.(*ssa.BinOp); ok && sum.Op == token.ADD {
			x, ok1 := s.int(sum.X)
			y, ok2 := s.int(sum.Y)
			if ok1 && ok2 {
				s.ints[v] = x + y
			}
		}
		delete(s.known, v)
		delete(s.nils, v)
	}
}

func (w *walk) stored(s *state, in *ssa.Store) {
	k := place(in.Addr)
	if a, ok := in.Addr.(*ssa.Alloc); ok && soleStore(a) == in {
		k = place(in.Val)
	}
	t := s.of(in.Val)
	for p := range s.places {
		if within(p, k) && !strings.HasSuffix(k, "[*]") {
			delete(s.places, p)
		}
	}
	if t != none {
		s.places[k] = t
	}
}

// loaded returns the tag of what is loaded from a place.
func (w *walk) loaded(s *state, in *ssa.UnOp) tag {
	if s.values[in.X] == is {
		if _, ok := in.X.(*ssa.FieldAddr); ok {
			return is // an embedded part of the object
		}
	}
	k := place(in.X)
	if t := s.inside(k); t != none {
		return t
	}
	for p, t := range s.places { // a part of a whole
		if t == has && within(k, p) {
			return w.part(s, in, has)
		}
	}
	return none
}

func (w *walk) part(s *state, in ssa.Value, from tag) tag {
	if from != has {
		return none
	}
	if w.load != nil {
		return w.load(s, in, from)
	}
	if isClosable(in.Type()) {
		return is
	}
	return has
}

// condition is what a branch asks.
type condition struct {
	what    question
	subject ssa.Value // whose nil, or which error
	index   int64     // of a case of a select
}

type question uint8

const (
	other       question = iota
	isNil                // subject == nil
	isCanceled           // subject is the error of a context
	isSomething          // subject is some other error
	hasEnded             // the context subject has ended
	isCase               // the select subject has taken case index
)

// decode says what a condition asks, and whether it holds if the answer is yes.
func decode(v ssa.Value) (c condition, positive bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			c, positive = decode(v.X)
			return c, !positive
		}
	case *ssa.BinOp:
		if v.Op == token.EQL || v.Op == token.NEQ {
			return compared(v.X, v.Y), v.Op == token.EQL
		}
	case *ssa.Call:
		return asked(v.Common()), true
	}
	return condition{}, true
}

func compared(x, y ssa.Value) condition {
	if c, ok := x.(*ssa.Const); ok && c.IsNil() {
		x, y = y, x
	}
	if c, ok := y.(*ssa.Const); ok {
		if ctx := contextErr(x); ctx != nil && c.IsNil() {
			return condition{what: hasEnded, subject: ctx, index: 1} // holds if it has not
		}
		if c.IsNil() {
			return condition{what: isNil, subject: x}
		}
		if e, ok := x.(*ssa.Extract); ok && e.Index == 0 {
			if sel, ok := e.Tuple.(*ssa.Select); ok {
				return condition{what: isCase, subject: sel, index: c.Int64()}
			}
		}
		return condition{}
	}
	if isContextError(y) {
		return condition{what: isCanceled, subject: x}
	}
	if isContextError(x) {
		return condition{what: isCanceled, subject: y}
	}
	if isError(x.Type()) {
		return condition{what: isSomething, subject: x}
	}
	return condition{}
}

// asked decodes a call such as errors.Is.
func asked(c *ssa.CallCommon) condition {
	f := callee(c)
	if f == nil || f.Pkg() == nil {
		return condition{}
	}
	if f.Pkg().Path() == "errors" && f.Name() == "Is" {
		if isContextError(c.Args[1]) {
			return condition{what: isCanceled, subject: c.Args[0]}
		}
		return condition{what: isSomething, subject: c.Args[0]}
	}
	if fn := body(c); fn != nil && len(c.Args) > 0 && cancels(fn) {
		return condition{what: isCanceled, subject: c.Args[0]}
	}
	return condition{}
}

// cancels reports whether a function asks if its argument is the error of a context.
func cancels(fn *ssa.Function) bool {
	if len(fn.Params) != 1 || !isError(fn.Params[0].Type()) || fn.Signature.Results().Len() != 1 {
		return false
	}
	if b, ok := fn.Signature.Results().At(0).Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(*ssa.Call); ok {
				f := callee(call.Common())
				if f != nil && f.FullName() == "errors.Is" && isContextError(call.Call.Args[1]) {
					return true
				}
			}
		}
	}
	return false
}

// contextErr returns the context of a call ctx.Err(), or nil.
func contextErr(v ssa.Value) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok || !call.Call.IsInvoke() || call.Call.Method.Name() != "Err" || !isContext(call.Call.Value.Type()) {
		return nil
	}
	return call.Call.Value
}

// isContextError reports whether a value is context.Canceled, context.DeadlineExceeded, or ctx.Err().
func isContextError(v ssa.Value) bool {
	if contextErr(v) != nil {
		return true
	}
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	return ok && g.Pkg != nil && g.Pkg.Pkg.Path() == "context" && (g.Name() == "Canceled" || g.Name() == "DeadlineExceeded")
}
