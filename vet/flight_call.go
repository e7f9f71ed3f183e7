package vet

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

var fails = regexp.MustCompile(`^(Error|Fatal|Fail)`)

var gives = regexp.MustCompile(`(?i)^(put|release|recycle|return|free|give)`)

// called looks at a call. It returns false if the operation has ended, or somebody else takes care of it.
func (f *flight) called(s *state, in ssa.CallInstruction) bool {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(s, in, b.Name())
		return !slices.ContainsFunc(c.Args, func(a ssa.Value) bool { t := s.of(a); return t == is || t == has })
	}
	if s.of(c.Value) == has && !c.IsInvoke() {
		return false // a method value of the future
	}
	callee := callee(c)
	if at := receiver(c); at != nil && s.of(at) == is && callee != nil && isFuture(at.Type()) {
		return f.onFuture(s, in, callee)
	}
	if callee != nil && callee.Pkg() != nil && (callee.Name() == "Munmap" || strings.HasSuffix(callee.Name(), "Cfunc_free")) && s.phase == aborted {
		f.say(s, in.Pos(), "frees memory")
		return false
	}
	if again, ok := in.(*ssa.Call); ok && again == f.call && s.phase == flying && f.how != byPost {
		return false
	}
	for i, a := range arguments(c) {
		if t := s.of(a); t == is || t == isDone || t == has {
			return false
		}
		if isBytes(a.Type()) {
			f.touch(s, a, sliceUse(f.p, c, i), in.Pos(), false)
		}
		f.usedIn(s, in, callee, a, i)
		if s.of(a) == another || s.of(a) == isErr {
			f.errPassed(s, callee)
		}
	}
	if callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "testing" && s.phase != flying && fails.MatchString(callee.Name()) {
		s.phase = settled // a test that has failed
	}
	f.assignedBy(s, in, callee)
	return !f.ends(s, in, callee)
}

// errPassed notes that something else looks at the error of a wait, such as require.NoError.
func (f *flight) errPassed(s *state, callee *types.Func) {
	if s.phase == flying || s.phase == settled {
		return
	}
	if callee != nil && callee.Pkg() != nil && (onlyReads(callee) && callee.Pkg().Path() != "github.com/stretchr/testify/require" || cancelsName(callee)) {
		return
	}
	s.phase = settled
}

func cancelsName(f *types.Func) bool {
	s := f.Signature()
	return s.Params().Len() == 1 && s.Results().Len() == 1 && types.Identical(s.Results().At(0).Type(), types.Typ[types.Bool])
}

// onFuture handles a method of the operation's future.
func (f *flight) onFuture(s *state, in ssa.CallInstruction, callee *types.Func) bool {
	value, ok := in.(*ssa.Call)
	if !ok {
		return true
	}
	switch callee.Name() {
	case "Done":
		s.values[value] = isDone
		return true
	case "Wait":
		err := lastError(value)
		if err == nil || len(*err.Referrers()) == 0 {
			return false
		}
		for v, t := range s.values {
			if t == isErr || t == another {
				delete(s.values, v)
			}
		}
		s.values[err] = another
		s.phase, f.ctx = waited, value.Call.Args[1]
		return true
	case "Err", "Ended", "Value":
		return false
	}
	return true
}

// usedIn reports what a call does with an operand.
func (f *flight) usedIn(s *state, in ssa.CallInstruction, callee *types.Func, a ssa.Value, i int) {
	o := f.operand(s, a)
	if o == nil || callee == nil {
		return
	}
	pos := in.Pos()
	if i == 0 && receiver(in.Common()) == a && inDoca(callee.Pkg()) {
		switch callee.Name() {
		case "SetData", "Reset", "Chain", "Unchain":
			if call, ok := in.(*ssa.Call); ok && !expectsError(lastError(call)) {
				f.say(s, pos, "changes "+nameOf(o))
			}
		case "Close":
			if s.phase == flying && (f.future != nil || f.how != byFuture) && o.buffer && f.how != byPost || s.phase == aborted && len(s.since.Preds) == 1 && s.since.Dominates(in.Block()) {
				f.say(s, pos, "closes "+nameOf(o))
			}
		}
		return
	}
	if inDoca(callee.Pkg()) && f.p.api(callee) {
		if call, ok := in.(*ssa.Call); ok {
			f.usedAgain(s, call, o)
		}
		return
	}
	e, _ := f.p.effectOf(in.Common(), i)
	switch {
	case e&writes != 0 && (o.buffer || o.off == nil):
		f.say(s, pos, "writes to the bytes of "+nameOf(o)+" in "+callee.Name())
	case e&reads != 0 && o.written && (o.buffer || o.off == nil):
		f.say(s, pos, "reads the bytes of "+nameOf(o)+" in "+callee.Name())
	case e&changes != 0:
		f.say(s, pos, "changes "+nameOf(o)+" in "+callee.Name())
	case s.phase == aborted && gives.MatchString(callee.Name()):
		f.say(s, pos, "gives away "+nameOf(o))
	case o.buffer:
		if call, ok := in.(*ssa.Call); ok {
			f.usedAgain(s, call, o)
		}
	}
}

// usedAgain reports another operation with an operand, unless both only read it, or the program expects that it fails.
func (f *flight) usedAgain(s *state, call *ssa.Call, o *operand) {
	if !o.buffer && o.off == nil {
		return
	}
	next := f.p.flightOf(call)
	if next == nil || next.how == bySubmit || expectsError(next.err) {
		return
	}
	for _, n := range next.operands {
		same := n.key == o.key && n.buffer == o.buffer && (n.off == nil || o.off != nil && key(n.off) == key(o.off))
		if same && (n.written || o.written) {
			f.say(s, call.Pos(), "uses "+nameOf(o)+" again")
			return
		}
	}
}

// expectsError reports whether a program expects that a call fails, as tests do.
func expectsError(err ssa.Value) bool {
	if err == nil || err.Referrers() == nil {
		return false
	}
	for _, ref := range *err.Referrers() {
		if call, ok := ref.(*ssa.Call); ok {
			if expects.MatchString(nameOfCallee(call.Common())) {
				return true
			}
		}
	}
	return false
}

var expects = regexp.MustCompile(`^(Error(Is|As|Contains)?f?|EqualError|(?i:wantErr.*|expectErr.*))$`)

// nameOfCallee returns the name of a function, or of the variable that has it.
func nameOfCallee(c *ssa.CallCommon) string {
	if f := callee(c); f != nil {
		if f.Pkg() != nil && (f.Pkg().Path() == "errors" || f.Pkg().Path() == "fmt") {
			return ""
		}
		return f.Name()
	}
	if load, ok := c.Value.(*ssa.UnOp); ok {
		return load.X.Name()
	}
	return ""
}

// ends reports whether a call ends the operation, or may do so: it waits on, stops or closes what the operation is of, receives what
// was posted, or is a method of what has that.
func (f *flight) ends(s *state, in ssa.CallInstruction, callee *types.Func) bool {
	if callee == nil {
		return false
	}
	at := receiver(in.Common())
	if at != nil && inDoca(callee.Pkg()) {
		name := callee.Name()
		operand := f.operand(s, at) != nil
		switch {
		case isClose(in.Common()) && (!operand || name == "Shutdown" || s.phase == aborted):
			return true
		case isClose(in.Common()) && f.future == nil:
			return true
		case name == "Stop" || name == "WaitIdle":
			return true
		case f.how == byPost && (strings.Contains(name, "Recv") || name == "Messages"):
			return true
		case f.how == bySubmit && key(at) == key(f.on) && slices.Contains([]string{"Wait", "Run", "Err", "Ended", "Done"}, name):
			return f.batchWaited(s, in, name)
		}
		return false
	}
	if f.p.api(callee) {
		return false
	}
	// A call of the program that gets what the operation is of may end it.
	if f.on == nil {
		return false
	}
	home := root(f.on)
	return slices.ContainsFunc(arguments(in.Common()), func(a ssa.Value) bool {
		return a == home || a == f.on || root(a) == home && within(key(f.on), key(a))
	})
}

func (f *flight) batchWaited(s *state, in ssa.CallInstruction, name string) bool {
	call, ok := in.(*ssa.Call)
	if !ok || name != "Wait" {
		return true
	}
	err := lastError(call)
	if err == nil || len(*err.Referrers()) == 0 {
		return true
	}
	s.values[err] = another
	s.phase, f.ctx = waited, call.Call.Args[1]
	return false
}

func (f *flight) builtin(s *state, in ssa.CallInstruction, name string) {
	args := in.Common().Args
	switch name {
	case "copy":
		f.touch(s, args[0], writes, in.Pos(), false)
		f.touch(s, args[1], reads, in.Pos(), false)
	case "clear":
		f.touch(s, args[0], writes, in.Pos(), false)
	case "append":
		if len(args) > 1 {
			f.touch(s, args[1], reads, in.Pos(), false)
		}
	}
}
