package emit

import (
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"
)

// calls.h declares what Go calls, apart from what C alone needs (shim.h), and without typedefs. The go command spends most of
// the time of a build in cgo, which has the C compiler look up each name in what a Go file includes, and does so twice where it
// meets a typedef. CONTRIBUTING.md has numbers.

// plainTypes are the types of stdint.h on Linux with 64 bits, in C and in Go.
var plainTypes = map[string]struct{ c, cgo string }{
	"int8_t":    {"signed char", "schar"},
	"uint8_t":   {"unsigned char", "uchar"},
	"int16_t":   {"short", "short"},
	"uint16_t":  {"unsigned short", "ushort"},
	"int32_t":   {"int", "int"},
	"uint32_t":  {"unsigned int", "uint"},
	"int64_t":   {"long", "long"},
	"uint64_t":  {"unsigned long", "ulong"},
	"uintptr_t": {"unsigned long", "ulong"},
	"size_t":    {"unsigned long", "ulong"},
	"intptr_t":  {"long", "long"},
}

var typedefName = regexp.MustCompile(`[\w$\pL\pM\pN]+`)

// plain is a declaration without typedefs.
func plain(declaration string) string {
	return typedefName.ReplaceAllStringFunc(declaration, func(name string) string {
		if t, ok := plainTypes[name]; ok {
			return t.c
		}
		return name
	})
}

// cgoType is the Go name of a shim's parameter type: C.uint for uint32_t.
func cgoType(c string) *jen.Statement {
	if t, ok := plainTypes[c]; ok {
		c = t.cgo
	}
	return jen.Qual("C", c)
}

// callC calls a shim. A file without such a call does without cgo.
func (f *file) callC(shim string, args ...jen.Code) *jen.Statement {
	f.cgo = true
	return jen.Qual("C", shim).Call(args...)
}

// callsHeader emits calls.h with the declarations of shims.
func (e *emitter) callsHeader(shims []string) error {
	if e.calls() {
		shims = append([]string{"void *" + e.prefix() + "table(void)"}, shims...)
	}
	for i, s := range shims {
		shims[i] = plain(s)
	}
	return e.run(e.lib.Name+"/calls.h", "calls.h.tmpl", map[string]any{"Upper": strings.ToUpper(e.prefix()), "Shims": shims})
}

// compilerFlags are for the C of a package. Behind those of CGO_CFLAGS, which are -O2 -g unless the user sets them, these win: most
// of that C passes arguments on, for which the work of -O2 is lost, and so is a description of each variable.
const compilerFlags = "#cgo CFLAGS: -O1 -g1"

// inLibrary tells whether library.go calls C. That of most packages does not, for each Go file that does costs the build four
// runs of the C compiler: the first file of a header that calls C has what it needs.
func (e *emitter) inLibrary() bool { return len(e.lib.Kernels) > 0 || !e.calls() }

// support emits the functions that the package itself needs of C.
func (e *emitter) support(f *jen.File) {
	if e.calls() {
		f.Comment("// symbolTable is the table of functions in C.")
		f.Func().Id("symbolTable").Params().Qual(unsafePkg, "Pointer").Block(jen.Return(jen.Qual("C", e.prefix()+"table").Call()))
		f.Line()
	}
	if len(e.bits()) > 0 {
		f.Comment("// setOnes has C set all bits of a bit-field, for the test of the methods of records.")
		f.Func().Id("setOnes").Params(jen.Id("record").Qual(unsafePkg, "Pointer"), jen.Id("number").Int()).Block(
			jen.Qual("C", e.prefix()+"ones").Call(jen.Id("record"), cgoType("uint32_t").Call(jen.Id("number")), jen.Lit(-1)))
		f.Line()
	}
}
