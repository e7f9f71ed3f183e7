package cparse

import (
	"fmt"
	"slices"

	"modernc.org/cc/v4"
)

// intValue is the value of a constant; unsigned is whether it exceeds an int64.
func intValue(v cc.Value) (n int64, unsigned, ok bool) {
	switch x := v.(type) {
	case cc.Int64Value:
		return int64(x), false, true
	case cc.UInt64Value:
		return int64(x), int64(x) < 0, true
	}
	return 0, false, false
}

// constant is the value of a constant expression that fits an int64.
func (c *collector) constant(e cc.ExpressionNode) (n int64, err error) {
	if err := c.checkConstant(e); err != nil {
		return 0, err
	}
	n, unsigned, ok := intValue(e.Value())
	if !ok || unsigned {
		return 0, fmt.Errorf("not an integer constant that fits 64 bits: %s", cc.NodeSource(e))
	}
	return n, nil
}

// checkConstant refuses expressions whose value cc/v4 may have wrong.
func (c *collector) checkConstant(e cc.ExpressionNode) error {
	var words []string
	for _, t := range cc.NodeTokens(e) {
		words = append(words, t.SrcStr())
	}
	if c.needsLayout(words) {
		return fmt.Errorf("%s depends on the layout of a struct or union", cc.NodeSource(e))
	}
	return nil
}

// sizeWords are the operators whose value is a matter of layout.
var sizeWords = []string{"sizeof", "_Alignof", "alignof", "__alignof__", "__alignof", "offsetof", "__builtin_offsetof"}

// needsLayout reports whether the value of an expression depends on how a
// struct, union or enumeration is laid out: cc/v4 does not honour every
// packed attribute, so its value may not be that of the C compiler.
func (c *collector) needsLayout(words []string) bool {
	for i, w := range words {
		if slices.Contains(sizeWords, w) && !c.isScalar(words[i+1:]) {
			return true
		}
	}
	return false
}

// isScalar reports whether the words start with a parenthesised type that has
// the same size for every compiler.
func (c *collector) isScalar(words []string) bool {
	if len(words) == 0 || words[0] != "(" {
		return false
	}
	depth, end := 0, -1
	for i, w := range words {
		switch w {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			end = i
			break
		}
	}
	if end < 2 {
		return false
	}
	if words[end-1] == "*" {
		return true
	}
	for _, w := range words[1:end] {
		if !c.isScalarWord(w) {
			return false
		}
	}
	return true
}

// isScalarWord reports whether a word may be part of the name of a scalar type.
func (c *collector) isScalarWord(w string) bool {
	switch w {
	case "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool", "bool", "const":
		return true
	}
	t := c.typedefs.known[w]
	for t != nil && t.Kind == Named {
		t = t.Elem
	}
	if t == nil {
		return false
	}
	switch t.Kind {
	case Int, Float, Bool, Pointer:
		return true
	}
	return false
}

// macroNeedsLayout is needsLayout for a macro and the macros it uses.
func (c *collector) macroNeedsLayout(m *cc.Macro, seen map[string]bool) bool {
	var words []string
	for _, t := range m.ReplacementList() {
		if w := t.SrcStr(); w != " " {
			words = append(words, w)
		}
	}
	if c.needsLayout(words) {
		return true
	}
	for _, w := range words {
		if used := c.macros[w]; used != nil && !seen[w] {
			seen[w] = true
			if c.macroNeedsLayout(used, seen) {
				return true
			}
		}
	}
	return false
}
