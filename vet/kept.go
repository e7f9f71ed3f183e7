package vet

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Kept finds slices of a device's memory that a program keeps for too long.
var Kept = &analysis.Analyzer{
	Name: "kept",
	Doc: `report slices of received data, buffers and memory that outlive what they point to

The Data of a received message lies in its buffer. When the program posts the buffer again, or at the end of the body of a loop over Messages, the next
message is written there: a slice that is kept in a field, a map, a channel, another slice or a goroutine then changes under its reader. The bytes
of a memory are unmapped by its Close: a slice that is returned or kept beyond a Close in the same function makes the program crash. Copy what you
keep, for example with bytes.Clone.`,
	URL:      page + "kept",
	Run:      runKept,
	Requires: []*analysis.Analyzer{build},
}

func runKept(pass *analysis.Pass) (any, error) {
	p, r := programOf(pass), newReporter(pass)
	for _, fn := range p.funcs {
		k := &kept{p: p, r: r, fn: fn}
		k.loop()
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if call, ok := in.(*ssa.Call); ok {
					k.received(call)
					k.bytes(call)
				}
			}
		}
	}
	return nil, nil
}

// kept looks at one function.
type kept struct {
	p  *program
	r  *reporter
	fn *ssa.Function
}

// source is a slice that is followed, from where it comes into being.
type source struct {
	*kept
	what  string                       // for messages
	ends  func(c *ssa.CallCommon) bool // whether a call ends the life of the slice, such as Post
	late  bool                         // it ends with the function, in any case
	imm   bool                         // immediate data ends, too
	batch bool                         // there are several messages, and an end is that of one
	start ssa.Instruction              // where new data comes
	fresh func(s *state)               // forgets what start replaces
}

// The phases of a source.
const (
	alive = iota
	gone
)

// loop looks at the body of a loop over Messages, which is a function of its own in SSA: the message ends with it.
func (k *kept) loop() {
	if k.fn.Parent() == nil || !strings.HasPrefix(k.fn.Synthetic, "range-over-func") || len(k.fn.Params) == 0 || !isReceived(k.fn.Params[0].Type()) {
		return
	}
	s := newState()
	s.values[k.fn.Params[0]] = has
	if len(k.fn.Blocks) == 0 || len(k.fn.Blocks[0].Instrs) == 0 {
		return
	}
	src := &source{kept: k, what: "data of a message", late: true, imm: true, ends: func(*ssa.CallCommon) bool { return false }}
	src.begin(s)
}

// received looks at a call that fills a Received, or returns one.
func (k *kept) received(call *ssa.Call) {
	f := callee(call.Common())
	if f == nil || !inDoca(f.Pkg()) {
		return
	}
	src := &source{kept: k, what: "data of a message", start: call, ends: k.reposts, late: k.deferred(k.reposts)}
	s := newState()
	if v := extract(call, 0); v != nil && isReceived(v.Type()) {
		s.values[v] = has
		src.fresh = func(s *state) { delete(s.values, v) }
	}
	for _, a := range call.Call.Args {
		if sl, ok := a.Type().Underlying().(*types.Slice); ok && isReceived(sl.Elem()) {
			at := place(a)
			s.places[at] = has
			src.imm, src.batch = true, true
			src.fresh = func(s *state) {
				for p := range s.places {
					if within(p, at) {
						delete(s.places, p)
					}
				}
			}
		}
	}
	if len(s.values)+len(s.places) > 0 {
		src.follow(call, s)
	}
}

// reposts reports whether a call posts a buffer that was received before, or may have been.
func (k *kept) reposts(c *ssa.CallCommon) bool {
	f := callee(c)
	if f == nil {
		return false
	}
	for i, a := range arguments(c) {
		e, known := k.p.effectOf(c, i)
		if known && e&posts != 0 {
			return !isConst(a)
		}
	}
	return false
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

// deferred reports whether the function defers a call for which ask holds.
func (k *kept) deferred(ask func(*ssa.CallCommon) bool) bool {
	for _, b := range k.fn.Blocks {
		for _, in := range b.Instrs {
			d, ok := in.(*ssa.Defer)
			if !ok {
				continue
			}
			if ask(d.Common()) {
				return true
			}
			closure, ok := d.Call.Value.(*ssa.MakeClosure)
			if !ok {
				continue
			}
			for _, b := range closure.Fn.(*ssa.Function).Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(*ssa.Call); ok && ask(c.Common()) {
						return true
					}
				}
			}
		}
	}
	return false
}

// bytes looks at a call that returns the bytes of a buffer or memory: its Close ends them, or that of an owner.
func (k *kept) bytes(call *ssa.Call) {
	f := callee(call.Common())
	if f == nil || !inDoca(f.Pkg()) || f.Name() != "Bytes" && f.Name() != "Data" || !isBytes(call.Type()) {
		return
	}
	at := receiver(call.Common())
	owners := k.owners(at)
	if isMemory(at.Type()) {
		owners = append(owners, at)
	}
	closes := func(c *ssa.CallCommon) bool {
		if !isClose(c) {
			return false
		}
		key0 := key(receiver(c))
		return slices.ContainsFunc(owners, func(o ssa.Value) bool {
			return key(o) == key0 && (isMemory(o.Type()) || kind(o.Type()) == "doca.Device")
		})
	}
	s := newState()
	s.values[call] = is
	src := &source{kept: k, what: "bytes of " + kind(at.Type()), start: call, ends: closes, late: k.deferredHere(owners, closes)}
	src.fresh = func(s *state) { delete(s.values, call) }
	src.follow(call, s)
}

// deferredHere reports whether the function closes one of these at its end, and has made it: what it got from elsewhere may be closed by
// a literal that captures it.
func (k *kept) deferredHere(owners []ssa.Value, closes func(*ssa.CallCommon) bool) bool {
	for _, b := range k.fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Defer:
				if closes(in.Common()) {
					return true
				}
				closure, ok := in.Call.Value.(*ssa.MakeClosure)
				if !ok {
					continue
				}
				inner := closure.Fn.(*ssa.Function)
				for i, binding := range closure.Bindings {
					ours := slices.ContainsFunc(owners, func(o ssa.Value) bool {
						return key(o) == key(binding) && (isMemory(o.Type()) || kind(o.Type()) == "doca.Device")
					})
					if ours && callsEnd(inner, inner.FreeVars[i]) && !conditional(inner) {
						return true
					}
				}
			}
		}
	}
	return false
}

// conditional reports whether a function has branches: a deferred one that closes only after an error.
func conditional(fn *ssa.Function) bool { return len(fn.Blocks) > 1 }

// owners returns what the memory behind a buffer or memory belongs to.
func (k *kept) owners(v ssa.Value) []ssa.Value {
	maker := makerOf(v)
	if maker == nil {
		return nil
	}
	u := &unclosed{p: k.p, r: k.r, fn: k.fn}
	return u.owners(maker, v, 0)
}

// begin follows from the start of the function.
func (src *source) begin(s *state) {
	first := src.fn.Blocks[0]
	h := src.hooks()
	w := &walk{hooks: h, visited: map[string]bool{}, twice: map[ssa.Value]bool{}}
	w.from(first, 0, s)
}

func (src *source) follow(from ssa.Instruction, s *state) { follow(from, s, src.hooks()) }

func (src *source) hooks() hooks { return hooks{instr: src.instr, load: src.load} }

// load says what part of a message points into its buffer.
func (src *source) load(_ *state, in ssa.Value, _ tag) tag {
	t := in.Type()
	name := ""
	switch in := in.(type) {
	case *ssa.UnOp:
		if f := fieldOf(in.X); f != nil {
			name = f.Name()
		}
	case *ssa.Field:
		name = fieldName(in.X.Type(), in.Field)
	}
	switch {
	case isBytes(t) && (name == "Data" || name == "Imm" && src.imm):
		return is
	case isBytes(t) && (name == "Imm"):
		return none
	case isBytes(t):
		return is
	case isReceived(t):
		return has
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if !isBytes(t) && holdsBytes(u.Elem()) {
			return has
		}
	case *types.Struct:
		if holdsBytes(t) {
			return has
		}
	}
	return none
}

func holdsBytes(t types.Type) bool {
	if isBytes(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if isBytes(f.Type()) {
				return true
			}
		}
	case *types.Slice:
		return isBytes(u.Elem())
	}
	return false
}

func (src *source) instr(s *state, in ssa.Instruction) bool {
	if in == src.start && src.fresh != nil {
		src.fresh(s)
		return len(s.values)+len(s.places)+len(s.notes) > 0
	}
	switch in := in.(type) {
	case *ssa.Return:
		src.returned(s, in)
		return false
	case *ssa.Store:
		if t := s.of(in.Val); t == is || t == has {
			src.store(s, in)
		}
	case *ssa.Send:
		src.keep(s, in.X, in.Pos(), "sent on a channel")
	case *ssa.Select:
		for _, st := range in.States {
			if st.Send != nil {
				src.keep(s, st.Send, st.Pos, "sent on a channel")
			}
		}
	case *ssa.MapUpdate:
		if _, local := root(in.Map).(*ssa.MakeMap); !local {
			src.keep(s, in.Value, in.Pos(), "kept in a map")
		} else if t := s.of(in.Value); t == is || t == has {
			s.values[in.Map] = has
		}
	case *ssa.IndexAddr:
		src.use(s, in.X, in.Pos())
	case *ssa.Convert:
		src.use(s, in.X, in.Pos())
	case *ssa.Go:
		src.goes(s, in)
	case *ssa.Defer:
	case ssa.CallInstruction:
		src.call(s, in)
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			src.joined(s)
		}
	}
	return true
}

// keep notes that a slice is kept. That is wrong if its life ends later.
func (src *source) keep(s *state, v ssa.Value, pos token.Pos, how string) {
	if t := s.of(v); t != is && t != has {
		return
	}
	if s.of(v) == has && isReceived(v.Type()) && !src.imm && !src.late {
		return // with its buffer: who gets it posts it
	}
	s.notes[pos] = how
	if s.phase == gone || src.late {
		src.say(s)
	}
}

// say reports what was kept.
func (src *source) say(s *state) {
	for pos, how := range s.notes {
		src.r.report(pos, "%s is %s, and its memory is reused or freed before the reader is done: keep a copy, as of bytes.Clone", src.what, how)
	}
	clear(s.notes)
}

func (src *source) store(s *state, in *ssa.Store) {
	if a := localRoot(in.Addr); a != nil {
		return
	}
	if v, ok := in.Addr.(*ssa.FreeVar); ok {
		if !src.readOutside(v) {
			return // the variable is declared outside of the loop, and used in the body alone
		}
		src.keep(s, in.Val, in.Pos(), "kept in a variable outside of the loop")
		return
	}
	if root, ok := root(in.Addr).(*ssa.MakeSlice); ok {
		s.values[root] = has
		return
	}
	src.keep(s, in.Val, in.Pos(), "kept in "+where(in.Addr))
}

func where(addr ssa.Value) string {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return "the field " + fieldName(a.X.Type(), a.Field)
	case *ssa.Global:
		return "the variable " + a.Name()
	}
	return "a slice"
}

// readOutside reports whether the function around a literal reads a variable that the literal has captured.
func (src *source) readOutside(v *ssa.FreeVar) bool {
	fn := v.Parent()
	i := slices.Index(fn.FreeVars, v)
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.MakeClosure)
			if !ok || c.Fn != fn {
				continue
			}
			if a := c.Bindings[i]; a.Referrers() != nil {
				for _, ref := range *a.Referrers() {
					if load, ok := ref.(*ssa.UnOp); ok && load.Op == token.MUL {
						return true
					}
				}
			}
			if _, outer := c.Bindings[i].(*ssa.FreeVar); outer {
				return true
			}
		}
	}
	return false
}

func (src *source) returned(s *state, ret *ssa.Return) {
	if src.late && src.start == nil { // the end of the body of a loop
		src.say(s)
		return
	}
	for _, v := range ret.Results {
		t := s.of(v)
		if t != is && t != has || s.phase != gone && !src.late || isReceived(v.Type()) && !src.late {
			continue
		}
		src.r.report(exitOf(ret), "%s is returned, and its memory is reused or freed before the reader is done: return a copy, as of bytes.Clone", src.what)
	}
	if src.late {
		src.say(s)
	}
}

// use reports an access after the end.
func (src *source) use(s *state, v ssa.Value, pos token.Pos) {
	if s.phase == gone && s.of(v) == is {
		src.r.report(pos, "%s is used after its memory was given back or closed", src.what)
	}
}

// goes notes a goroutine that has a slice.
func (src *source) goes(s *state, in *ssa.Go) {
	for _, a := range in.Call.Args {
		if t := s.of(a); t == is || t == has {
			src.keep(s, a, in.Pos(), "used by a goroutine")
		}
	}
	if c, ok := in.Call.Value.(*ssa.MakeClosure); ok {
		src.captured(s, c, in.Pos())
	}
}

// captured notes a literal that runs later, in a goroutine.
func (src *source) captured(s *state, c *ssa.MakeClosure, pos token.Pos) {
	for i, b := range c.Bindings {
		t := s.of(b)
		if t != is && t != has || !usesData(c.Fn.(*ssa.Function).FreeVars[i]) {
			continue
		}
		s.notes[pos] = "used by a goroutine"
	}
}

// usesData reports whether a literal reads more of a captured message than its other fields.
func usesData(v ssa.Value) bool {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if name := fieldName(ref.X.Type(), ref.Field); isReceived(ref.X.Type().Underlying().(*types.Pointer).Elem()) && name != "Data" {
				continue
			}
		}
		return true
	}
	return false
}

// joined notes that the function waits for goroutines.
func (src *source) joined(s *state) {
	for pos, how := range s.notes {
		if how == "used by a goroutine" {
			delete(s.notes, pos)
		}
	}
}

func (src *source) call(s *state, in ssa.CallInstruction) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		src.builtin(s, in, b.Name())
		return
	}
	f := callee(c)
	if src.ends(c) {
		s.phase = gone
		src.say(s)
		if src.batch {
			src.onlyCollected(s)
		}
		return
	}
	if f != nil && f.Name() == "Wait" {
		src.joined(s)
	}
	for i, a := range arguments(c) {
		t := s.of(a)
		if closure, ok := a.(*ssa.MakeClosure); ok && f != nil && slices.Contains([]string{"Go", "Submit", "TryGo", "AfterFunc"}, f.Name()) {
			src.captured(s, closure, in.Pos())
		}
		if t != is && t != has {
			continue
		}
		if i == 0 && receiver(c) == a && t == has {
			continue
		}
		src.use(s, a, in.Pos())
		if t == has && s.phase == gone {
			src.r.report(in.Pos(), "%s is used after its memory was given back or closed", src.what)
		}
		e, known := src.p.effectOf(c, i)
		if known && e&stores != 0 && !src.p.api(f) {
			src.keep(s, a, in.Pos(), "kept by "+describe(f))
		}
		if known && e&passes != 0 && !src.p.api(f) || sharesBytes(f) {
			for _, v := range results(in) {
				s.values[v] = is
				if !isBytes(v.Type()) {
					s.values[v] = has
				}
			}
		}
	}
}

// onlyCollected forgets the messages, and not the slices that the program has collected.
func (src *source) onlyCollected(s *state) {
	clear(s.places)
	for v := range s.values {
		sl, ok := v.Type().Underlying().(*types.Slice)
		if !ok || isReceived(sl.Elem()) || isBytes(v.Type()) {
			delete(s.values, v)
		}
	}
}

// sharesBytes reports whether a function returns parts of its argument.
func sharesBytes(f *types.Func) bool {
	if f == nil || f.Pkg() == nil || f.Pkg().Path() != "bytes" {
		return false
	}
	for _, prefix := range []string{"Trim", "Split", "Fields", "Cut"} {
		if strings.HasPrefix(f.Name(), prefix) {
			return true
		}
	}
	return false
}

func (src *source) builtin(s *state, in ssa.CallInstruction, name string) {
	args := in.Common().Args
	switch name {
	case "copy":
		src.use(s, args[1], in.Pos())
		src.use(s, args[0], in.Pos())
	case "append":
		if len(args) < 2 {
			return
		}
		if isBytes(args[0].Type()) {
			src.use(s, args[1], in.Pos())
			return
		}
		for _, a := range args {
			if t := s.of(a); t == is || t == has {
				if v := in.Value(); v != nil {
					s.values[v] = has
				}
			}
		}
	}
}
