package vet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// view is a slice of the bytes of a buffer or memory.
type view struct {
	of    ssa.Value // the buffer or memory
	low   ssa.Value // where it begins; nil: at the head
	whole bool      // it was not cut
}

// viewOf returns what a slice of bytes is a view of, or nil.
func viewOf(v ssa.Value, depth int) *view {
	if depth > 10 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Call:
		c := callee(v.Common())
		if c != nil && inDoca(c.Pkg()) && (c.Name() == "Bytes" || c.Name() == "Data") {
			return &view{of: receiver(v.Common()), whole: true}
		}
	case *ssa.Slice:
		inner := viewOf(v.X, depth+1)
		if inner == nil {
			return nil
		}
		w := *inner
		if v.Low != nil {
			if w.low != nil {
				w.low = v.X // of a view of a view: not known
			} else {
				w.low = v.Low
			}
			w.whole = false
		}
		if v.High != nil {
			w.whole = false
		}
		return &w
	case *ssa.ChangeType:
		return viewOf(v.X, depth+1)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			var found *view
			for _, ref := range *a.Referrers() {
				if st, ok := ref.(*ssa.Store); ok && st.Addr == a {
					if found != nil {
						return nil
					}
					found = viewOf(st.Val, depth+1)
				}
			}
			return found
		}
	}
	return nil
}

// touch reports an access to bytes that the device has.
func (f *flight) touch(s *state, v ssa.Value, e effect, pos token.Pos, quiet bool) {
	if quiet || !f.bad(s) || !isBytes(v.Type()) || e&(reads|writes) == 0 {
		return
	}
	w := viewOf(v, 0)
	if w == nil || s.isStale(w.of) {
		return
	}
	if !pos.IsValid() { // an implicit conversion
		pos = v.Pos()
	}
	k := key(w.of)
	for i := range f.operands {
		o := &f.operands[i]
		if o.key != k || !o.written && e&writes == 0 || !overlaps(o, w) {
			continue
		}
		verb := "reads the bytes of "
		if e&writes != 0 {
			verb = "writes to the bytes of "
		}
		f.say(s, pos, verb+nameOf(o))
		return
	}
}

// index looks at an access to one byte.
func (f *flight) index(s *state, in *ssa.IndexAddr) {
	w := viewOf(in.X, 0)
	if w == nil || !w.whole || isCounter(in.Index) {
		f.touch(s, in.X, access(in), in.Pos(), false)
		return
	}
	for i := range f.operands {
		o := &f.operands[i]
		if o.key == key(w.of) && (o.buffer || o.off != nil && key(o.off) == key(in.Index)) {
			f.touch(s, in.X, access(in), in.Pos(), in.Index != nil && !o.buffer && !isZero(o.off))
			return
		}
	}
}

// isCounter reports whether an index is that of a loop, such as a range, which goes from the first byte on.
func isCounter(v ssa.Value) bool {
	if sum, ok := v.(*ssa.BinOp); ok && sum.Op == token.ADD {
		v = sum.X
	}
	_, ok := v.(*ssa.Phi)
	return ok
}

// overlaps reports whether a view surely has bytes of the operand: it begins at the same offset, or has all of it.
func overlaps(o *operand, w *view) bool {
	if o.buffer || o.off == nil {
		return true
	}
	if w.low == nil {
		return w.whole && isZero(o.off) || isZero(o.off)
	}
	return key(w.low) == key(o.off)
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == "0"
}
