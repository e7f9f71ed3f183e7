package vet

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const docaPath = "github.com/go-doca/go-doca/doca"

// inDoca reports whether a package is part of the API: doca, or one below it.
func inDoca(pkg *types.Package) bool {
	if pkg == nil {
		return false
	}
	path := pkg.Path()
	if _, vendored, ok := strings.Cut(path, "/vendor/"); ok {
		path = vendored
	}
	return (path == docaPath || strings.HasPrefix(path, docaPath+"/")) && !strings.HasSuffix(path, "_test") && !strings.Contains(path, "/internal/")
}

// named returns the named type behind t, which may be a pointer or an instance of a generic type.
func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// method looks up an exported method of t, or of the pointer to it.
func method(t types.Type, name string) *types.Signature {
	if n := named(t); n != nil && !types.IsInterface(n) {
		t = types.NewPointer(n)
	}
	sel := types.NewMethodSet(t).Lookup(nil, name)
	if sel == nil {
		return nil
	}
	return sel.Type().(*types.Signature)
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(t, errorType) }

func isContext(t types.Type) bool { return isNamed(t, "context", "Context") }

func isNamed(t types.Type, pkg, name string) bool {
	n := named(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

func isBuffer(t types.Type) bool { return isNamed(t, docaPath, "Buffer") }
func isMemory(t types.Type) bool { return isNamed(t, docaPath, "Memory") }

func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// closes reports whether a signature is that of a Close whose result is an error.
func closes(s *types.Signature) bool {
	return s != nil && s.Results().Len() == 1 && isError(s.Results().At(0).Type())
}

// isObject reports whether t is a pointer to an object of the API: a type that has a Close.
func isObject(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		return false
	}
	n := named(t)
	return n != nil && inDoca(n.Obj().Pkg()) && n.Obj().Exported() && !types.IsInterface(n) && closes(method(n, "Close"))
}

// isClosable is like isObject, and holds for interfaces with a Close as well, such as net.Conn.
func isClosable(t types.Type) bool {
	return isObject(t) || types.IsInterface(t) && closes(method(t, "Close"))
}

// isFuture reports whether t is an operation under way: a type that has Wait with a context, Err and Done.
func isFuture(t types.Type) bool {
	n := named(t)
	if n == nil || types.IsInterface(n) || inStd(n.Obj().Pkg()) {
		return false
	}
	done := method(n, "Done")
	if done == nil || done.Results().Len() != 1 || closes(method(n, "Close")) {
		return false
	}
	_, isChan := done.Results().At(0).Type().Underlying().(*types.Chan)
	return isChan && hasWait(n) && closes(method(n, "Err"))
}

func hasWait(t types.Type) bool {
	w := method(t, "Wait")
	return w != nil && w.Params().Len() == 1 && isContext(w.Params().At(0).Type())
}

// isBatch reports whether t is a set of operations: a type of the API with Submit and Wait.
func isBatch(t types.Type) bool {
	n := named(t)
	return n != nil && inDoca(n.Obj().Pkg()) && hasWait(n) && method(n, "Submit") != nil
}

// isReceived reports whether t is what a receive returns: a struct of the API with Buffer and Data.
func isReceived(t types.Type) bool {
	n, _ := types.Unalias(t).(*types.Named)
	if n == nil || !inDoca(n.Obj().Pkg()) {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	var buffer, data bool
	for f := range s.Fields() {
		buffer = buffer || f.Name() == "Buffer" && isBuffer(f.Type())
		data = data || f.Name() == "Data" && isBytes(f.Type())
	}
	return buffer && data
}

func inStd(pkg *types.Package) bool {
	if pkg == nil {
		return true
	}
	first, _, _ := strings.Cut(pkg.Path(), "/")
	return !strings.Contains(first, ".") && (first == "context" || first == "sync" || first == "os" || first == "net" || first == "time" || first == "io")
}

// makes returns which results of a function of the API are new objects. A constructor returns an error as well; a getter
// such as Buffer.Memory does not.
func makes(f *types.Func) []int {
	if f == nil || !inDoca(f.Pkg()) || !f.Exported() {
		return nil
	}
	results := f.Signature().Results()
	n := results.Len()
	if n < 2 || !isError(results.At(n-1).Type()) {
		return nil
	}
	var made []int
	for i := range n - 1 {
		if isClosable(results.At(i).Type()) {
			made = append(made, i)
		}
	}
	return made
}

// callee returns the function or method that a call names, or nil.
func callee(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	f, _ := fn.Object().(*types.Func)
	return f
}

// arguments returns what a call passes, the receiver first.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
}

// receiver returns the receiver of a method call, or nil.
func receiver(c *ssa.CallCommon) ssa.Value {
	if c.IsInvoke() {
		return c.Value
	}
	if f := callee(c); f != nil && f.Signature().Recv() != nil && len(c.Args) > 0 {
		return c.Args[0]
	}
	return nil
}

// parameter returns the parameter that takes argument i of arguments; nil for the receiver.
func parameter(f *types.Func, i int) *types.Var {
	s := f.Signature()
	if s.Recv() != nil {
		i--
	}
	if i >= s.Params().Len() {
		i = s.Params().Len() - 1
	}
	if i < 0 {
		return nil
	}
	return s.Params().At(i)
}

// isClose reports whether a call is Close or Shutdown of something.
func isClose(c *ssa.CallCommon) bool {
	f := callee(c)
	return f != nil && (f.Name() == "Close" || f.Name() == "Shutdown") && receiver(c) != nil
}

// describe names a function in messages: doca.NewMemory, Conn.NewConsumer.
func describe(f *types.Func) string {
	if f == nil {
		return "a call"
	}
	if r := f.Signature().Recv(); r != nil {
		if n := named(r.Type()); n != nil {
			return n.Obj().Name() + "." + f.Name()
		}
	}
	if f.Pkg() != nil {
		return f.Pkg().Name() + "." + f.Name()
	}
	return f.Name()
}

// kind names a type in messages: doca.Memory.
func kind(t types.Type) string {
	if n := named(t); n != nil && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Name() + "." + n.Obj().Name()
	}
	return t.String()
}
