package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// localRoot returns the variable or literal of this function that an address lies in, or nil.
func localRoot(addr ssa.Value) *ssa.Alloc {
	for {
		switch a := addr.(type) {
		case *ssa.Alloc:
			return a
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Slice:
			addr = a.X
		default:
			return nil
		}
	}
}

// key names what a value stands for: two values with the same key are the same, if nothing has changed in between.
// The key of a place in a struct begins with the key of the struct.
func key(v ssa.Value) string { return keyOf(v, 0) }

// place is like key, but does not tell the elements of an array apart.
func place(v ssa.Value) string {
	k := key(v)
	for from := 0; ; {
		i := strings.IndexByte(k[from:], '[')
		if i < 0 {
			return k
		}
		i += from
		depth, end := 0, i
		for ; end < len(k); end++ {
			if k[end] == '[' {
				depth++
			} else if k[end] == ']' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if end == len(k) {
			return k
		}
		k = k[:i] + "[*]" + k[end+1:]
		from = i + 3
	}
}

func keyOf(v ssa.Value, depth int) string {
	if depth > 20 {
		return fmt.Sprintf("%p", v)
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return keyOf(v.X, depth+1) + "." + fieldName(v.X.Type(), v.Field)
	case *ssa.Field:
		return keyOf(v.X, depth+1) + "." + fieldName(v.X.Type(), v.Field)
	case *ssa.IndexAddr:
		return keyOf(v.X, depth+1) + "[" + keyOf(v.Index, depth+1) + "]"
	case *ssa.Index:
		return keyOf(v.X, depth+1) + "[" + keyOf(v.Index, depth+1) + "]"
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return keyOf(v.X, depth+1)
		}
	case *ssa.MakeInterface:
		return keyOf(v.X, depth+1)
	case *ssa.ChangeInterface:
		return keyOf(v.X, depth+1)
	case *ssa.ChangeType:
		return keyOf(v.X, depth+1)
	case *ssa.Convert:
		return keyOf(v.X, depth+1)
	case *ssa.Const:
		return v.String()
	case *ssa.Alloc:
		if s := soleStore(v); s != nil {
			return keyOf(s.Val, depth+1) // a variable that is set once, and captured
		}
	case *ssa.BinOp:
		return "(" + keyOf(v.X, depth+1) + v.Op.String() + keyOf(v.Y, depth+1) + ")"
	case *ssa.Call:
		// Calls of getters without arguments, such as Buffer.Memory.
		if f := callee(v.Common()); f != nil && inDoca(f.Pkg()) && len(arguments(v.Common())) == 1 && isObject(v.Type()) {
			return keyOf(arguments(v.Common())[0], depth+1) + "." + f.Name() + "()"
		}
	}
	return fmt.Sprintf("%p", v)
}

// soleStore returns the only store to a variable that is an object, or nil.
func soleStore(a *ssa.Alloc) *ssa.Store {
	if !isObject(a.Type().Underlying().(*types.Pointer).Elem()) {
		return nil
	}
	var found *ssa.Store
	for _, ref := range *a.Referrers() {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == a {
			if found != nil {
				return nil
			}
			found = s
		}
	}
	return found
}

func fieldName(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		return s.Field(i).Name()
	}
	return fmt.Sprint(i)
}

// within reports whether a place lies in another one, or is the same.
func within(place, outer string) bool {
	rest, ok := strings.CutPrefix(place, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// root returns the value that a place belongs to: a parameter, a variable, the result of a call.
func root(v ssa.Value) ssa.Value {
	for range 30 {
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
			if w.Op != token.MUL {
				return v
			}
			v = w.X
		case *ssa.MakeInterface:
			v = w.X
		case *ssa.ChangeInterface:
			v = w.X
		case *ssa.ChangeType:
			v = w.X
		case *ssa.Slice:
			v = w.X
		case *ssa.Alloc:
			s := soleStore(w)
			if s == nil {
				return v
			}
			v = s.Val
		case *ssa.Call: // a getter, such as Conn.Device
			f := callee(w.Common())
			if f == nil || !inDoca(f.Pkg()) || len(makes(f)) > 0 || !isObject(w.Type()) || receiver(w.Common()) == nil || len(arguments(w.Common())) != 1 {
				return v
			}
			v = receiver(w.Common())
		default:
			return v
		}
	}
	return v
}

// parts returns the values of the kind that want asks for which an argument consists of: itself, or what was put into the literal
// that it is.
func parts(v ssa.Value, want func(types.Type) bool) []ssa.Value {
	var found []ssa.Value
	seen := map[ssa.Value]bool{}
	var look func(v ssa.Value)
	look = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		if want(v.Type()) {
			found = append(found, v)
			return
		}
		switch v := v.(type) {
		case *ssa.UnOp:
			look(v.X)
		case *ssa.Slice:
			look(v.X)
		case *ssa.MakeInterface:
			look(v.X)
		case *ssa.ChangeInterface:
			look(v.X)
		case *ssa.ChangeType:
			look(v.X)
		case *ssa.Phi:
			for _, e := range v.Edges {
				look(e)
			}
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
			for _, ref := range *v.Referrers() {
				switch ref := ref.(type) {
				case *ssa.Store:
					if ref.Addr == v {
						look(ref.Val)
					}
				case *ssa.FieldAddr:
					look(ref)
				case *ssa.IndexAddr:
					look(ref)
				}
			}
		}
	}
	look(v)
	return found
}
