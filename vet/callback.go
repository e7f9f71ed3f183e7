package vet

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Callback finds functions that block where they must not.
var Callback = &analysis.Analyzer{
	Name: "callback",
	Doc: `report callbacks of go-doca that block

Functions such as Handle and Changed of bind.ContextConfig run on the goroutine that drives the progress engine, with the engine's lock held. While
one blocks, nothing completes on that engine, and what it waits for may be just that. The analyzer follows the calls of the function and reports
channel operations without a default, sleeps, waits, network calls, calls of go-doca that wait, and locks that other goroutines hold while they wait.
It also reports a //doca:ignore directive that lacks a name or a reason.`,
	URL:      page + "callback",
	Run:      runCallback,
	Requires: []*analysis.Analyzer{build},
}

func runCallback(pass *analysis.Pass) (any, error) {
	p, r := programOf(pass), newReporter(pass)
	checkDirectives(r)
	c := &callbacks{p: p, r: r, seen: map[*ssa.Function]bool{}}
	for _, fn := range p.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c.find(in)
			}
		}
	}
	return nil, nil
}

type callbacks struct {
	p    *program
	r    *reporter
	seen map[*ssa.Function]bool
	once bool // the function is an argument, which a test or example makes for a few calls
}

// find looks for a function that is passed or stored where it must not block.
func (c *callbacks) find(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		if f := fieldOf(in.Addr); f != nil && c.p.noBlock[f] {
			c.functions(in.Val, f.Name(), 0)
		}
	case ssa.CallInstruction:
		f := callee(in.Common())
		if f == nil || c.p.facts[f] == nil {
			return
		}
		args := arguments(in.Common())
		for _, i := range c.p.facts[f].NoBlock {
			if i < len(args) {
				c.once = true
				c.functions(args[i], parameter(f, i).Name()+" of "+describe(f), 0)
				c.once = false
			}
		}
	}
}

// fieldOf returns the field of an address, or nil.
func fieldOf(addr ssa.Value) *types.Var {
	fa, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	s, ok := fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return s.Field(fa.Field)
}

// functions checks the functions that a value may be.
func (c *callbacks) functions(v ssa.Value, as string, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case *ssa.Function:
		c.check(v, as)
	case *ssa.MakeClosure:
		fn := v.Fn.(*ssa.Function)
		if bound := boundMethod(fn); bound != nil {
			if fn = c.p.pkg.Prog.FuncValue(bound); fn == nil {
				return
			}
		}
		c.check(fn, as)
	case *ssa.ChangeType:
		c.functions(v.X, as, depth+1)
	case *ssa.Phi:
		for _, e := range v.Edges {
			c.functions(e, as, depth+1)
		}
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			for _, ref := range *a.Referrers() {
				if s, ok := ref.(*ssa.Store); ok && s.Addr == a {
					c.functions(s.Val, as, depth+1)
				}
			}
		}
	case *ssa.Call:
		if fn := body(v.Common()); fn != nil {
			for _, b := range fn.Blocks {
				if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) == 1 {
					c.functions(ret.Results[0], as, depth+1)
				}
			}
		}
	}
}

// check reports what blocks in a function and in those that it calls.
func (c *callbacks) check(fn *ssa.Function, as string) {
	if c.seen[fn] {
		return
	}
	c.seen[fn] = true
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if why := c.p.waits(in); why != "" {
				if c.once && hasRoom(in) {
					continue
				}
				c.r.report(in.Pos(), "this %s in a function that runs as %s, which must not block: the progress engine stands still meanwhile", why, as)
				continue
			}
			call, ok := in.(ssa.CallInstruction)
			if !ok || isGo(in) {
				continue
			}
			if m := lockOf(call.Common(), "Lock", "RLock"); m != nil && c.p.heldWhileWaiting(m) {
				c.r.report(in.Pos(), "this locks %s in a function that runs as %s, which must not block: another goroutine waits for DOCA while it holds the lock", m.Name(), as)
				continue
			}
			if callee := body(call.Common()); callee != nil {
				c.check(callee, as)
			}
		}
	}
}

// hasRoom reports whether an instruction sends on a buffered channel that the function around the literal has made.
func hasRoom(in ssa.Instruction) bool {
	send, ok := in.(*ssa.Send)
	if !ok {
		return false
	}
	made, ok := origin(send.Chan).(*ssa.MakeChan)
	if !ok {
		return false
	}
	size, ok := made.Size.(*ssa.Const)
	return ok && size.Int64() > 0
}

// origin follows a variable that a literal has captured to what was stored in it.
func origin(v ssa.Value) ssa.Value {
	for range 5 {
		switch w := v.(type) {
		case *ssa.UnOp:
			v = w.X
		case *ssa.Alloc:
			var stored ssa.Value
			for _, ref := range *w.Referrers() {
				if s, ok := ref.(*ssa.Store); ok && s.Addr == w {
					stored = s.Val
				}
			}
			if stored == nil {
				return v
			}
			v = stored
		case *ssa.FreeVar:
			fn := w.Parent()
			i := slices.Index(fn.FreeVars, w)
			var binding ssa.Value
			for _, b := range fn.Parent().Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(*ssa.MakeClosure); ok && c.Fn == fn {
						binding = c.Bindings[i]
					}
				}
			}
			if binding == nil {
				return v
			}
			v = binding
		case *ssa.ChangeType:
			v = w.X
		default:
			return v
		}
	}
	return v
}

func isGo(in ssa.Instruction) bool {
	_, ok := in.(*ssa.Go)
	return ok
}

// waits says why an instruction may block, or returns "". Functions of the package are looked into by the caller.
func (p *program) waits(in ssa.Instruction) string {
	switch in := in.(type) {
	case *ssa.Send:
		return "sends on a channel"
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			return "receives from a channel"
		}
	case *ssa.Select:
		if in.Blocking {
			return "selects without a default"
		}
	case *ssa.Go:
		return ""
	case ssa.CallInstruction:
		return p.callWaits(in.Common())
	}
	return ""
}

func (p *program) callWaits(c *ssa.CallCommon) string {
	f := callee(c)
	if f == nil || f.Pkg() == nil {
		return ""
	}
	path, name := f.Pkg().Path(), f.Name()
	switch {
	case inDoca(f.Pkg()):
		if waitsInAPI(f) {
			return "calls " + describe(f) + ", which waits"
		}
	case path == "time" && name == "Sleep":
		return "sleeps"
	case name == "Wait" && f.Signature().Recv() != nil && body(c) == nil:
		return "calls " + describe(f)
	case path == "net" && (strings.HasPrefix(name, "Dial") || strings.HasPrefix(name, "Lookup") || slices.Contains([]string{"Read", "Write", "Accept"}, name)),
		path == "net/http" && slices.Contains([]string{"Get", "Head", "Post", "PostForm", "Do", "RoundTrip", "ListenAndServe", "Serve"}, name),
		path == "os/exec" && slices.Contains([]string{"Run", "Output", "CombinedOutput"}, name):
		return "calls " + describe(f)
	case path == "database/sql" && takesContext(f):
		return "calls " + describe(f)
	case body(c) == nil && p.facts[f] != nil && p.facts[f].Blocks != "":
		return "calls " + describe(f) + ", which " + p.facts[f].Blocks
	}
	return ""
}

func takesContext(f *types.Func) bool {
	params := f.Signature().Params()
	return params.Len() > 0 && isContext(params.At(0).Type())
}

// waitsInAPI reports whether a function of the API waits, or needs the lock that its callbacks run with.
func waitsInAPI(f *types.Func) bool {
	if takesContext(f) {
		return true
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return false
	}
	if f.Name() == "Close" && isObject(recv.Type()) && (f.Pkg().Path() != docaPath+"/bind" || method(recv.Type(), "Shutdown") != nil) {
		return true
	}
	switch kind(recv.Type()) {
	case "doca.ProgressEngine":
		return f.Name() == "Progress"
	case "bind.Link":
		return f.Name() == "Lock" || f.Name() == "LockAlways" || f.Name() == "Call"
	}
	return false
}

// blocks says why a function may block, or returns "".
func (p *program) blocks(fn *ssa.Function) string {
	if known := p.blocking[fn]; known != nil {
		return *known
	}
	why := ""
	p.blocking[fn] = &why
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if why = p.waits(in); why != "" {
				return why
			}
			if call, ok := in.(ssa.CallInstruction); ok && !isGo(in) {
				if callee := body(call.Common()); callee != nil {
					if inner := p.blocks(callee); inner != "" {
						why = inner
						return why
					}
				}
			}
		}
	}
	return why
}

// lockOf returns the mutex of a call of one of these methods: a field or a package's variable, or nil.
func lockOf(c *ssa.CallCommon, methods ...string) types.Object {
	f := callee(c)
	if f == nil || f.Pkg() == nil || f.Pkg().Path() != "sync" || !slices.Contains(methods, f.Name()) || len(c.Args) == 0 {
		return nil
	}
	switch a := c.Args[0].(type) {
	case *ssa.FieldAddr:
		if v := fieldOf(a); v != nil {
			return v
		}
	case *ssa.Global:
		return a.Object()
	}
	return nil
}

// heldWhileWaiting reports whether a function of the package waits while it holds a mutex.
func (p *program) heldWhileWaiting(m types.Object) bool {
	for _, fn := range p.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if call, ok := in.(*ssa.Call); ok && lockOf(call.Common(), "Lock", "RLock") == m && p.waitsAfter(call, m) {
					return true
				}
			}
		}
	}
	return false
}

// lockless reports whether a call waits without the lock: that of a condition variable.
func lockless(c *ssa.CallCommon) bool {
	f := callee(c)
	return f != nil && f.FullName() == "(*sync.Cond).Wait"
}

func (p *program) waitsAfter(lock *ssa.Call, m types.Object) bool {
	found := false
	follow(lock, newState(), hooks{instr: func(_ *state, in ssa.Instruction) bool {
		call, ok := in.(*ssa.Call)
		if ok && lockOf(call.Common(), "Unlock", "RUnlock") == m {
			return false
		}
		if ok && lockless(call.Common()) {
			return true
		}
		if p.waits(in) != "" || ok && body(call.Common()) != nil && p.blocks(body(call.Common())) != "" {
			found = true
		}
		return !found
	}})
	return found
}
