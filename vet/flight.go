package vet

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// InFlight finds memory that a program touches while a device has it.
var InFlight = &analysis.Analyzer{
	Name: "inflight",
	Doc: `report buffers and memory that are used between the start of an operation and its end

While an operation is in flight, what it reads and writes belongs to the device. A program must not touch what the device writes, nor change what it
reads, nor use, change or close such a buffer, before Wait has returned, Err has said so, or the channel of Done is closed; a posted buffer is the
device's until it is received. Otherwise the data is torn, or the call fails with ErrInUse, but only sometimes. The analyzer follows the paths of
each function.`,
	URL:      page + "inflight",
	Run:      func(pass *analysis.Pass) (any, error) { return runFlights(pass, true) },
	Requires: []*analysis.Analyzer{build},
}

// CtxAbort finds programs that take the end of a context for the end of the hardware's work.
var CtxAbort = &analysis.Analyzer{
	Name: "ctxabort",
	Doc: `report buffers and memory that are used after a context has ended the wait for them

A context.Context bounds the wait, never the hardware: a call that returns context.DeadlineExceeded or context.Canceled leaves its operation in
flight, and the buffers stay the device's. A program that then touches, reuses or frees them lets the device write into what is something else by
now. Wait for the future again, stop the context, or close the buffers with Shutdown and look at its error.`,
	URL:      page + "ctxabort",
	Run:      func(pass *analysis.Pass) (any, error) { return runFlights(pass, false) },
	Requires: []*analysis.Analyzer{build},
}

func runFlights(pass *analysis.Pass, inFlight bool) (any, error) {
	p, r := programOf(pass), newReporter(pass)
	for _, fn := range p.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if call, ok := in.(*ssa.Call); ok {
					if f := p.flightOf(call); f != nil && len(f.operands) > 0 && !expectsError(f.err) && !(f.how == byPost && r.inTest(call.Pos())) {
						f.r, f.inFlight = r, inFlight
						f.run()
					}
				}
			}
		}
	}
	return nil, nil
}

// flight is an operation, from the call that starts it.
type flight struct {
	p        *program
	r        *reporter
	inFlight bool // report what InFlight does, else what CtxAbort does
	call     *ssa.Call
	how      how
	operands []operand
	future   ssa.Value // nil if the program has none
	err      ssa.Value
	ctx      ssa.Value          // of a wait
	on       ssa.Value          // the object whose method started it
	names    map[ssa.Value]bool // what names the operands
}

// how says by what an operation is started.
type how uint8

const (
	byFuture how = iota
	byPost
	bySubmit
	byWait // the call waits for the end
)

// operand is a buffer or a range of a memory that an operation uses.
type operand struct {
	value   ssa.Value
	key     string
	place   string
	written bool      // by the device
	off     ssa.Value // of a range of a memory; nil: all of it
	buffer  bool
}

// The phases of a flight.
const (
	flying  = iota // started
	waited         // a wait has returned
	failed         // with an error, perhaps that of a context
	aborted        // the context has ended, and nothing else
	settled        // with another error
)

// flightOf returns the operation that a call starts, or nil.
func (p *program) flightOf(call *ssa.Call) *flight {
	c := call.Common()
	callee := callee(c)
	if callee == nil {
		return nil
	}
	f := &flight{p: p, call: call, on: receiver(c), err: lastError(call)}
	results := callee.Signature().Results()
	switch {
	case results.Len() > 0 && isFuture(results.At(0).Type()):
		if _, known := p.effectOf(c, 0); !known && body(c) == nil {
			return nil
		}
		f.how, f.future = byFuture, call
		if results.Len() > 1 {
			f.future = extract(call, 0)
		}
		f.operandsOf(c, callee)
	case passedFuture(c) != nil && inDoca(callee.Pkg()):
		f.how, f.future = byFuture, passedFuture(c)
		f.operandsOf(c, callee)
	case p.facts[callee] != nil && inDoca(callee.Pkg()) && p.posted(c, callee) >= 0:
		f.how = byPost
		for _, v := range parts(arguments(c)[p.posted(c, callee)], isBuffer) {
			f.add(operand{value: v, written: true, buffer: true})
		}
	case inDoca(callee.Pkg()) && f.on != nil && isBatch(f.on.Type()) && (callee.Name() == "Submit" || callee.Name() == "Run"):
		f.how = bySubmit
		if callee.Name() == "Run" {
			f.how, f.ctx = byWait, c.Args[1]
		}
		f.batched()
	case inDoca(callee.Pkg()) && takesContext(callee) && f.err != nil && len(makes(callee)) == 0 && !isBatch(receiverType(callee)):
		f.how, f.ctx = byWait, c.Args[len(c.Args)-callee.Signature().Params().Len()]
		f.operandsOf(c, callee)
	default:
		return nil
	}
	return f
}

func receiverType(f *types.Func) types.Type {
	if r := f.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Invalid]
}

// lastError returns the error of a call, or nil.
func lastError(call *ssa.Call) ssa.Value {
	results := call.Call.Signature().Results()
	n := results.Len()
	if n == 0 || !isError(results.At(n-1).Type()) {
		return nil
	}
	if n == 1 {
		return call
	}
	return extract(call, n-1)
}

// passedFuture returns the future that a call ties to the operation, such as that of StartBatch.
func passedFuture(c *ssa.CallCommon) ssa.Value {
	at := receiver(c)
	for _, a := range arguments(c) {
		if a != at && isFuture(a.Type()) {
			return a
		}
	}
	return nil
}

// posted returns which argument of a call is posted, or -1.
func (p *program) posted(c *ssa.CallCommon, f *types.Func) int {
	for i := range arguments(c) {
		if p.facts[f].Does[i]&posts != 0 {
			return i
		}
	}
	return -1
}

// writtenParameters are the names of parameters that the device writes to. A test holds the API to them.
var writtenParameters = []string{"dst", "result", "dest", "to", "into", "out"}

// operandsOf adds the buffers and memories among the arguments of a call. The name of the parameter says whether the device writes.
func (f *flight) operandsOf(c *ssa.CallCommon, callee *types.Func) {
	args := arguments(c)
	for i, a := range args {
		v := parameter(callee, i)
		if v == nil || a == f.on && !isBuffer(a.Type()) && !isMemory(a.Type()) {
			continue
		}
		written := slices.Contains(writtenParameters, v.Name())
		if isMemory(a.Type()) {
			o := operand{value: a, written: written}
			if i+1 < len(args) && strings.Contains(strings.ToLower(parameter(callee, i+1).Name()), "off") {
				o.off = args[i+1]
			}
			f.add(o)
			continue
		}
		for _, b := range parts(a, isBuffer) {
			f.add(operand{value: b, written: written, buffer: true})
		}
	}
}

// batched adds what was added to a batch.
func (f *flight) batched() {
	k := key(f.on)
	for _, b := range f.call.Parent().Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok || call == f.call || receiver(call.Common()) == nil || key(receiver(call.Common())) != k {
				continue
			}
			if callee := callee(call.Common()); callee != nil && inDoca(callee.Pkg()) {
				f.operandsOf(call.Common(), callee)
			}
		}
	}
}

func (f *flight) add(o operand) {
	if _, ok := o.value.(*ssa.Const); ok {
		return // nil
	}
	o.key, o.place = key(o.value), place(o.value)
	f.operands = append(f.operands, o)
	if !o.buffer {
		return
	}
	// A buffer that this function has made is a range of a memory as well.
	if maker := makerOf(o.value); maker != nil {
		if c := callee(maker.Common()); c != nil && inDoca(c.Pkg()) && (c.Name() == "Buffer" || c.Name() == "Source") && len(maker.Call.Args) > 2 {
			mem := maker.Call.Args[1]
			f.operands = append(f.operands, operand{value: mem, key: key(mem), place: place(mem), written: o.written, off: maker.Call.Args[2]})
		}
	}
}

func (f *flight) run() {
	s := newState()
	if f.future != nil {
		s.values[f.future] = is
	}
	if f.err != nil {
		s.values[f.err] = isErr
	}
	if f.how == byWait {
		s.phase = waited
		if f.inFlight {
			return
		}
	}
	if f.how == byPost && !f.inFlight {
		return
	}
	follow(f.call, s, hooks{instr: f.instr, branch: f.branch, load: func(*state, ssa.Value, tag) tag { return none }})
}

// instr looks at an instruction while the operation may be in flight.
func (f *flight) instr(s *state, in ssa.Instruction) bool {
	if v, ok := in.(ssa.Value); ok && f.redefines(v) && in != ssa.Instruction(f.call) {
		return false // in the next round of a loop it is another buffer
	}
	if s.phase == aborted && s.since == nil {
		s.since = in.Block()
	}
	switch in := in.(type) {
	case *ssa.Return:
		f.returned(s, in)
		return false
	case *ssa.Panic:
		return false
	case *ssa.Store:
		if s.of(in.Val) == is && localRoot(in.Addr) == nil {
			s.shared = true // somebody else may wait for it
		}
		f.stored(s, in)
		f.storedAt(s, in)
	case *ssa.Send:
		if s.of(in.X) == is || s.shared {
			return false
		}
		f.sent(s, in.X, in.Pos())
	case *ssa.Select:
		if s.shared {
			return false
		}
		for _, st := range in.States {
			if st.Send != nil && s.of(st.Send) == is {
				return false
			}
		}
	case *ssa.MakeClosure:
		for _, b := range in.Bindings {
			if t := s.of(b); t == is || t == has || t == isDone {
				if t == is && boundMethod(in.Fn.(*ssa.Function)) != nil && onlyCalled(in) {
					s.values[in] = has // a method value, such as f.Wait
					continue
				}
				return false
			}
		}
	case *ssa.UnOp:
		if in.Op == token.ARROW && (s.of(in.X) == isDone || s.shared) {
			return false
		}
		f.loadedFrom(s, in)
	case *ssa.IndexAddr:
		f.index(s, in)
	case *ssa.Convert:
		f.touch(s, in.X, reads, in.Pos(), false)
	case *ssa.MakeInterface:
		f.touch(s, in.X, reads, in.Pos(), false)
	case *ssa.MapUpdate:
		if s.of(in.Value) == is {
			return false
		}
	case *ssa.Defer, *ssa.RunDefers:
	case ssa.CallInstruction:
		return f.called(s, in) && !(s.shared && f.handsOver(in))
	}
	return true
}

// onlyCalled reports whether a function does nothing with a literal but call it.
func onlyCalled(c *ssa.MakeClosure) bool {
	return !slices.ContainsFunc(*c.Referrers(), func(ref ssa.Instruction) bool {
		call, ok := ref.(*ssa.Call)
		return !ok || call.Call.Value != c
	})
}

// redefines reports whether a value is part of what names an operand.
func (f *flight) redefines(v ssa.Value) bool {
	if _, ok := v.(*ssa.UnOp); ok {
		return false
	}
	if f.names == nil {
		f.names = map[ssa.Value]bool{}
		for _, o := range f.operands {
			f.name(o.value, 0)
			if o.off != nil {
				f.name(o.off, 0)
			}
		}
	}
	return f.names[v]
}

// name notes what an operand is named by: variables of loops and results of calls.
func (f *flight) name(v ssa.Value, depth int) {
	if depth > 10 {
		return
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		f.name(v.X, depth+1)
	case *ssa.FieldAddr:
		f.name(v.X, depth+1)
	case *ssa.IndexAddr:
		f.name(v.X, depth+1)
		f.name(v.Index, depth+1)
	case *ssa.BinOp:
		f.name(v.X, depth+1)
		f.name(v.Y, depth+1)
	case *ssa.Convert:
		f.name(v.X, depth+1)
	case *ssa.Extract:
		f.names[v] = true
	case *ssa.Phi, *ssa.Call, *ssa.Alloc, *ssa.Next:
		f.names[v] = true
	}
}

// bad reports whether the program must not use the operands in this phase.
func (f *flight) bad(s *state) bool {
	switch s.phase {
	case flying:
		return true
	case aborted:
		return true
	case failed:
		return f.how != byPost && f.limited()
	case waited:
		return f.err0() && f.limited()
	}
	return false
}

// err0 reports whether the program does not look at the error of the wait.
func (f *flight) err0() bool {
	return f.how == byWait && (f.err == nil || len(*f.err.Referrers()) == 0)
}

// limited reports whether the function itself limits the time of the wait.
func (f *flight) limited() bool {
	v := f.ctx
	for range 5 {
		e, ok := v.(*ssa.Extract)
		if !ok {
			return false
		}
		call, ok := e.Tuple.(*ssa.Call)
		if !ok {
			return false
		}
		c := callee(call.Common())
		if c == nil || c.Pkg() == nil || c.Pkg().Path() != "context" {
			return false
		}
		if strings.HasPrefix(c.Name(), "WithTimeout") || strings.HasPrefix(c.Name(), "WithDeadline") {
			return true
		}
		v = call.Call.Args[0]
	}
	return false
}

// say reports a use of an operand.
func (f *flight) say(s *state, pos token.Pos, what string) {
	if f.inFlight != (s.phase == flying) || !f.bad(s) {
		return
	}
	line, op := f.r.line(f.call.Pos()), describe(callee(f.call.Common()))
	switch {
	case s.phase != flying:
		f.r.report(pos, "this %s after a context has ended the wait for %s in line %d: the device may still use it (a context bounds the wait, never the hardware)", what, op, line)
	case f.how == byPost:
		f.r.report(pos, "this %s, which %s in line %d gave to the device until it is received", what, op, line)
	default:
		f.r.report(pos, "this %s while the device has it: %s in line %d has not ended (wait for it first)", what, op, line)
	}
}

func (f *flight) returned(s *state, ret *ssa.Return) {
	if slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return s.of(v) == is }) {
		return
	}
	for _, v := range ret.Results {
		f.touch(s, v, reads, exitOf(ret), s.phase == failed)
	}
}

// stored looks at a buffer that is put back to where others find it.
func (f *flight) stored(s *state, in *ssa.Store) {
	if s.phase != aborted || localRoot(in.Addr) == nil {
		return
	}
	// The variadic array of an append to a free list.
	a := localRoot(in.Addr)
	for _, ref := range *a.Referrers() {
		sl, ok := ref.(*ssa.Slice)
		if !ok {
			continue
		}
		for _, user := range *sl.Referrers() {
			if c, ok := user.(*ssa.Call); ok {
				if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
					f.sent(s, in.Val, c.Pos())
				}
			}
		}
	}
}

// sent reports a buffer that is given to others, after an end of the wait alone.
func (f *flight) sent(s *state, v ssa.Value, pos token.Pos) {
	if s.phase != aborted {
		return
	}
	if o := f.operand(s, v); o != nil {
		f.say(s, pos, "gives away "+nameOf(o))
	}
}

func (f *flight) operand(s *state, v ssa.Value) *operand {
	if !isBuffer(v.Type()) && !isMemory(v.Type()) {
		if m, ok := v.(*ssa.MakeInterface); ok {
			return f.operand(s, m.X)
		}
		return nil
	}
	if s.isStale(v) {
		return nil
	}
	k := key(v)
	for i := range f.operands {
		if f.operands[i].key == k {
			return &f.operands[i]
		}
	}
	return nil
}

func nameOf(o *operand) string {
	if isMemory(o.value.Type()) {
		return "memory"
	}
	return "the buffer"
}

// branch decides what a branch says of the operation.
func (f *flight) branch(s *state, c condition, taken bool) bool {
	switch t := s.of2(c.subject); {
	case c.what == isCase:
		return !f.doneCase(s, c, taken)
	case t == isErr && s.phase == flying && c.what == isNil:
		return taken // else it was not started
	case t == isErr && s.phase == flying:
		return !taken
	case t == isErr || t == another:
		return f.failed(s, c, taken)
	case c.what == hasEnded && (s.phase == waited || s.phase == failed) && f.ctx != nil && key(c.subject) == key(f.ctx):
		if taken { // ctx.Err() == nil
			s.phase = settled
		} else {
			s.phase = aborted
		}
	}
	return true
}

// doneCase reports whether a select has taken the case of the operation's channel.
func (f *flight) doneCase(s *state, c condition, taken bool) bool {
	sel := c.subject.(*ssa.Select)
	if int(c.index) >= len(sel.States) || !taken {
		return false
	}
	ch := sel.States[c.index].Chan
	if s.of(ch) == isDone {
		return true
	}
	if call, ok := ch.(*ssa.Call); ok && call.Call.IsInvoke() && isContext(call.Call.Value.Type()) && s.phase == flying {
		for _, st := range sel.States {
			if s.of(st.Chan) == isDone {
				s.phase = aborted
			}
		}
	}
	return false
}

func (f *flight) failed(s *state, c condition, taken bool) bool {
	if s.phase == flying || s.phase == aborted {
		return true
	}
	switch c.what {
	case isNil:
		if taken {
			return false // it has ended
		}
		if s.phase == waited {
			s.phase = failed
		}
	case isCanceled:
		if taken {
			s.phase = aborted
		} else {
			s.phase = settled
		}
	case isSomething:
		if taken {
			s.phase = settled
		}
	}
	return true
}
