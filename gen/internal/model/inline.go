package model

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	singleReturn = regexp.MustCompile(`^\s*return\b(.*);\s*$`)
	cToken       = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d\w*|\S`)
	identifier   = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

// inline takes over a static inline function that returns one expression made of its
// parameters, constants and calls to the library. Such a function is no symbol of the
// library, so its shim evaluates the expression.
func (b *builder) inline(fn *Func) error {
	m := singleReturn.FindStringSubmatch(fn.C.Body)
	if m == nil || strings.Contains(m[1], ";") {
		return fmt.Errorf("static inline with more than one statement: C source, not a symbol")
	}
	params := map[string]bool{"NULL": true, "void": true, "struct": true, "const": true}
	for _, p := range fn.Params {
		params[p.CName] = true
	}
	toks := cToken.FindAllString(m[1], -1)
	for i, t := range toks {
		switch {
		case !identifier.MatchString(t), params[t]:
		case b.strings[t] != "":
			toks[i] = b.strings[t]
		case i+1 < len(toks) && toks[i+1] == "(" && b.funcs[t] != nil && !b.funcs[t].Inline:
			fn.Calls = append(fn.Calls, t)
			toks[i] = "godoca_sym." + t
		case i > 0 && toks[i-1] == "struct" && b.records[t] != nil:
		default:
			return fmt.Errorf("static inline that uses %s: C source, not a symbol", t)
		}
	}
	fn.Inline = toks
	return nil
}
