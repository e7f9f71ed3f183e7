package model

import (
	"fmt"
	"regexp"
	"strconv"
)

var (
	cToken     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|->|\+\+|--|&&|\|\||(?:<<|>>|[-+*/%&|^<>=!])=|<<|>>|\.\.\.|\S`)
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

// cWords are what the body of an inline function may hold of C itself.
var cWords = map[string]bool{"NULL": true, "void": true, "struct": true, "union": true, "const": true, "return": true, "if": true,
	"else": true, "for": true, "while": true, "do": true, "break": true, "continue": true, "sizeof": true, "int": true,
	"unsigned": true, "signed": true, "long": true, "short": true, "char": true, "volatile": true, "true": true, "false": true}

// numbers are cWords that a declaration of a variable begins with.
var numbers = map[string]bool{"int": true, "unsigned": true, "signed": true, "long": true, "short": true, "char": true}

// inline takes over a static inline function: no library has it, so the shim carries its body.
// That must consist of the parameters, variables of its own, members, constants, and calls to
// the library.
func (b *builder) inline(fn *Func) error {
	known := map[string]bool{}
	for _, p := range fn.Params {
		known[p.CName] = true
	}
	toks := cToken.FindAllString(fn.C.Body, -1)
	for i, t := range toks {
		prev, next := "", ""
		if i > 0 {
			prev = toks[i-1]
		}
		if i+1 < len(toks) {
			next = toks[i+1]
		}
		switch {
		case !identifier.MatchString(t), cWords[t], known[t], prev == "." || prev == "->":
		case (prev == "struct" || prev == "union") && b.records[t] != nil && b.records[t].reason == "":
		case b.strings[t] != "":
			toks[i] = b.strings[t]
		case b.value(t) != "":
			toks[i] = b.value(t)
		case next == "(" && b.funcs[t] != nil && !b.funcs[t].Inline && !b.funcs[t].Variadic:
			fn.Calls = append(fn.Calls, t)
			toks[i] = "godoca_sym." + t
		case b.scalar(t) != "":
			toks[i] = b.scalar(t)
		case next != "(" && b.declares(toks[:i]):
			known[t] = true
		default:
			return fmt.Errorf("static inline that uses %s: C source, not a symbol", t)
		}
	}
	fn.Inline = toks
	return nil
}

// value is the number of a macro or enumerator.
func (b *builder) value(name string) string {
	if v, ok := b.values[name]; ok {
		return "(" + strconv.FormatInt(v, 10) + ")"
	}
	return ""
}

// scalar is the integer type that a typedef name stands for.
func (b *builder) scalar(name string) string {
	if w, ok := wordTypes[name]; ok {
		return w.C
	}
	return b.scalars[name]
}

// declares tells whether what stands in front of a name makes it a new variable: a type, and
// before that the end of a statement.
func (b *builder) declares(before []string) bool {
	i := len(before) - 1
	for i >= 0 && before[i] == "*" {
		i--
	}
	types := 0
	for ; i >= 0; i-- {
		t := before[i]
		if i > 0 && (before[i-1] == "struct" || before[i-1] == "union") && b.records[t] != nil {
			types++
			i--
			continue
		}
		if numbers[t] || isWord(t) {
			types++
			continue
		}
		if t != "const" && t != "volatile" {
			break
		}
	}
	return types > 0 && (i < 0 || before[i] == ";" || before[i] == "{" || before[i] == "}" || before[i] == "(")
}

func isWord(t string) bool {
	for _, w := range wordTypes {
		if w.C == t {
			return true
		}
	}
	return false
}
