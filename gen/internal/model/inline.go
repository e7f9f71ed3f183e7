package model

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

var (
	cToken     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\pL_$][\w$\pL\pM\pN]*|\.?\d(?:[eEpP][+-]|[\w.])*|->|\+\+|--|&&|\|\||(?:<<|>>|[-+*/%&|^<>=!])=|<<|>>|\.\.\.|\S`)
	identifier = regexp.MustCompile(`^[\pL_$][\w$\pL\pM\pN]*$`)
)

// cWords are what the body of an inline function may hold of C itself.
var cWords = map[string]bool{"NULL": true, "void": true, "struct": true, "union": true, "const": true, "return": true, "if": true,
	"else": true, "for": true, "while": true, "do": true, "break": true, "continue": true, "switch": true, "case": true,
	"default": true, "sizeof": true, "int": true, "unsigned": true, "signed": true, "long": true, "short": true, "char": true,
	"float": true, "double": true, "_Bool": true, "volatile": true, "true": true, "false": true,
	"__ATOMIC_RELAXED": true, "__ATOMIC_ACQUIRE": true, "__ATOMIC_RELEASE": true, "__ATOMIC_ACQ_REL": true, "__ATOMIC_SEQ_CST": true}

// numbers are cWords that a declaration of a variable begins with.
var numbers = map[string]bool{"int": true, "unsigned": true, "signed": true, "long": true, "short": true, "char": true,
	"float": true, "double": true, "_Bool": true}

// ofStdint matches the limits and constants that the shim has from stdint.h.
var ofStdint = regexp.MustCompile(`^(U?INT(8|16|32|64|PTR)_(MAX|MIN|C)|SIZE_MAX)$`)

// builtin matches functions that the compiler has by itself; notHere what of them needs types, or the caller's frame.
var (
	builtin = regexp.MustCompile(`^__(builtin|sync|atomic)_\w+$`)
	notHere = regexp.MustCompile(`^__builtin_(va_\w+|offsetof|types_compatible_p|choose_expr|alloca\w*|return_address|frame_address|apply\w*)$`)
)

func isBuiltin(name string) bool { return builtin.MatchString(name) && !notHere.MatchString(name) }

// byteOrder is what the C library's htobe32 and its like come to.
var byteOrder = map[string]string{
	"__bswap_16": "__builtin_bswap16", "__bswap_32": "__builtin_bswap32", "__bswap_64": "__builtin_bswap64",
	"__uint16_identity": "(uint16_t)", "__uint32_identity": "(uint32_t)", "__uint64_identity": "(uint64_t)",
}

// inline takes over a static inline function (doca_buf_inventory_buf_get_by_addr): no library has it, so the shim
// carries its body.
// That must consist of the parameters, variables of its own, members, constants, and calls to
// the library.
func (b *builder) inline(fn *Func) error {
	known := map[string]bool{}
	for _, p := range fn.Params {
		known[p.CName] = true
	}
	toks := cToken.FindAllString(fn.C.Body, -1)
	var out []string
	for i := 0; i < len(toks); i++ {
		t, prev, next := toks[i], "", ""
		if i > 0 {
			prev = toks[i-1]
		}
		if i+1 < len(toks) {
			next = toks[i+1]
		}
		switch {
		case !identifier.MatchString(t), known[t], prev == "." || prev == "->", cWords[t], ofStdint.MatchString(t):
		case t == "enum" && b.enums[next].exact != "":
			t = b.enums[next].exact
			i++
		case (prev == "struct" || prev == "union") && b.records[t] != nil && b.records[t].reason == "":
		case next != "(" && b.declares(out):
			if b.values[t] != "" || b.funcs[t] != nil || b.scalar(t) != "" {
				return fmt.Errorf("static inline with a variable %s, which the headers have as well", t)
			}
			known[t] = true
		case b.values[t] != "":
			t = b.values[t]
		case next == "(" && b.funcs[t] != nil && !b.funcs[t].Inline && !b.funcs[t].Variadic:
			if !slices.Contains(fn.Calls, t) {
				fn.Calls = append(fn.Calls, t)
			}
			t = called(b.funcs[t])
		case b.scalar(t) != "":
			t = b.scalar(t)
		case next == "(" && isBuiltin(t):
		case next == "(" && byteOrder[t] != "":
			t = byteOrder[t]
		default:
			return fmt.Errorf("static inline that uses %s: C source, not a symbol", t)
		}
		out = append(out, t)
	}
	o := b.opened(fn, toks)
	fn.Inline, fn.Opens = out, o.types
	return o.err
}

// callable drops the inline functions that call what has no binding, and so is not in the shims' table.
func (b *builder) callable() {
	for _, f := range b.lib.Funcs {
		b.bindings[f.CName] = !f.C.Inline
	}
	b.lib.Funcs = slices.DeleteFunc(b.lib.Funcs, func(f *Func) bool {
		i := slices.IndexFunc(f.Calls, func(c string) bool { return !b.bindings[c] })
		if i < 0 {
			return false
		}
		b.lib.Bound--
		b.lib.Declared--
		b.skip(f.Header, "function", f.CName, fmt.Sprintf("static inline that calls %s, which is not bound", f.Calls[i]))
		b.lib.Callbacks = slices.DeleteFunc(b.lib.Callbacks, func(c *Callback) bool { return c.Func == f.CName })
		return true
	})
}

// called is a function of the shims' table with the type that it has in C: what is passed as a bool becomes 0 or 1,
// and enumerations have their signs, behind pointers as well. By way of void (*)(void), with which C converts any to any.
func called(f *cparse.Func) string {
	name := "godoca_sym." + f.Name
	if pointer := exact.funcPointer(f, ""); pointer != plain.funcPointer(f, "") {
		return "((" + pointer + ")(void (*)(void))" + name + ")"
	}
	return name
}

// literal is a number in C.
func literal(v int64, unsigned bool) string {
	text := strconv.FormatInt(v, 10)
	switch {
	case unsigned:
		text = strconv.FormatUint(uint64(v), 10) + "u"
	case v == math.MinInt64, v == math.MinInt32: // C has no literals for them
		text = strconv.FormatInt(v+1, 10) + " - 1"
	}
	return "(" + text + ")"
}

// scalar is the type of a number that a typedef name stands for.
func (b *builder) scalar(name string) string {
	if name == "bool" {
		return "_Bool" // another number than 0 becomes 1
	}
	if w, ok := wordTypes[name]; ok {
		return w.C
	}
	if tag := b.enumTypedefs[name]; tag != "" {
		return b.enums[tag].exact
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
