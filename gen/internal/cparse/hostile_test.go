package cparse

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/cc/v4"
)

// TestOthersParse has one header that is wrong among two that are not: with
// KeepGoing it costs only itself, and the problem says where and why.
func TestOthersParse(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	repeat := strings.Repeat
	garbage := make([]byte, 64<<10)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(garbage); i++ {
		garbage[i] = byte(1 + r.IntN(255))
	}
	tests := []struct {
		name, c string
		line    int
		text    string
	}{
		{"missing semicolon", "int f(void)\nint g(void);\n", 1, "expected ';'"},
		{"unknown type", "int f(foo_t *a);\n", 1, `unknown type name "foo_t"`},
		{"include loop", "#include <doca_bad.h>\n", 1, "include loop"},
		{"parentheses", "int a[" + repeat("(", 10*mb) + "];\n", 0, "too big for a header"},
		{"braces", repeat("{", 10*mb), 0, "too big for a header"},
		{"fewer parentheses", "\nint a[" + repeat("(", mb) + "];\n", 2, "nest more than"},
		{"fewer braces", "\n" + repeat("{", mb), 2, "nest more than"},
		{"conditionals", repeat("#if 1\n", mb/2), 201, "nest more than"},
		{"skipped conditionals", "#if 0\n" + repeat("#if 1\n", mb/2), 201, "nest more than"},
		{"macros", bomb("x x") + "int DOCA_BOMB;\n", 43, "macro expansion does not end"},
		{"binary", string(garbage), 0, ""},
		{"NUL", "int f(void);\n\x00\x01\x02", 2, "NUL byte"},
		{"cut in a comment", "int f(void);\n/** Text", 2, "unterminated comment"},
		{"cut in a string", "\nconst char *s = \"abc", 2, "string literal not terminated"},
		{"cut in a struct", "struct s {\n\tint a;", 2, "unfinished declaration"},
		{"cut in a condition", "#ifndef A\n#define A\n", 1, "conditional without #endif"},
		{"compared for ever", functionTypes(26), 12, "typedef a11: a function type of more than 100000 parts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := writeHeaders(t, map[string]string{
				"doca_a.h":   "int doca_a(void);\n",
				"doca_bad.h": tt.c,
				"doca_z.h":   "#include <doca_a.h>\nint doca_z(void);\n",
			})
			_, err := Parse(Config{Dir: dir})
			var pe *ParseError
			require.ErrorAs(t, err, &pe)
			assert.Less(t, len(err.Error()), 2000)
			api, err := Parse(Config{Dir: dir, KeepGoing: true})
			require.NoError(t, err)
			fn(t, header(t, api, "doca_a.h"), "doca_a")
			fn(t, header(t, api, "doca_z.h"), "doca_z")
			bad := header(t, api, "doca_bad.h")
			require.Len(t, bad.Problems, 1)
			assert.Contains(t, bad.Problems[0].Text, tt.text)
			assert.Equal(t, "doca_bad.h", bad.Problems[0].Pos.File)
			if tt.text != "" {
				assert.Equal(t, tt.line, bad.Problems[0].Pos.Line)
			}
			if bad.Problems[0].Pos.Line > 0 && !strings.Contains(tt.text, "nest") && tt.name != "NUL" && tt.name != "binary" {
				assert.NotEmpty(t, pe.Line, "the source line")
			}
		})
	}
}

// functionTypes declares a function twice, with types that are the same and
// that take time in the power of n to be compared.
func functionTypes(n int) string {
	var b strings.Builder
	for _, c := range "ab" {
		fmt.Fprintf(&b, "typedef void (*%c0)(int);\n", c)
		for i := range n {
			fmt.Fprintf(&b, "typedef %c%d (*%c%d)(%c%d, %c%d);\n", c, i, c, i+1, c, i, c, i)
		}
	}
	fmt.Fprintf(&b, "void f(a%d);\nvoid f(b%d);\n", n, n)
	return b.String()
}

// TestTimeLimit stops what is never to come so far.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	cfg, err := hostConfig()
	require.NoError(t, err)
	sources := []cc.Source{{Name: "<predefined>", Value: cfg.Predefined}, {Name: "<builtin>", Value: cc.Builtin}}
	_, err = translate(cfg, append(sources, cc.Source{Name: "x.h", Value: functionTypes(17)}), 100*time.Millisecond)
	assert.ErrorIs(t, err, errTooLong)
	_, err = translate(cfg, append(sources, cc.Source{Name: "x.h", Value: functionTypes(3)}), time.Minute)
	assert.NoError(t, err)
}

// TestNoFile has what is no regular file in the place of a header, and of one
// that is included: nothing may wait for a pipe or read a device.
func TestNoFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		create     func(path string) error
	}{
		{"directory", "is a directory", func(p string) error { return os.Mkdir(p, 0o755) }},
		{"pipe", "is not a regular file", func(p string) error { return syscall.Mkfifo(p, 0o644) }},
		{"device", "is not a regular file", func(p string) error { return os.Symlink("/dev/zero", p) }},
		{"link to nothing", "dangling symbolic link", func(p string) error { return os.Symlink("nothing", p) }},
		{"link to itself", "too many levels of symbolic links", func(p string) error { return os.Symlink(filepath.Base(p), p) }},
		{"sparse file", "too big for a header", func(p string) error {
			return os.WriteFile(p, nil, 0o644)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := writeHeaders(t, map[string]string{"doca_a.h": "int doca_a(void);\n", "doca_b.h": "#include <doca_x.h>\nint doca_b(void);\n"})
			path := filepath.Join(dir, "doca_x.h")
			require.NoError(t, tt.create(path))
			if tt.name == "sparse file" {
				require.NoError(t, os.Truncate(path, 1<<40))
			}
			api, err := Parse(Config{Dir: dir, KeepGoing: true})
			require.NoError(t, err)
			fn(t, header(t, api, "doca_a.h"), "doca_a")
			for _, n := range []string{"doca_x.h", "doca_b.h"} {
				h := header(t, api, n)
				require.Len(t, h.Problems, 1, n)
				assert.Contains(t, h.Problems[0].Text, tt.text, n)
			}
		})
	}
}

// TestEmpty has headers without a declaration, which are no error.
func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"", "\n", " ", "// a", "/* a */", "#", "#pragma once\n", "\xef\xbb\xbf", "\\\n", ";", "#ifdef A\n#error no\n#endif"} {
		t.Run(c, func(t *testing.T) {
			h := parseHeader(t, c)
			assert.Empty(t, h.Problems, "%q", c)
			assert.Empty(t, h.Funcs, "%q", c)
		})
	}
}

// TestCut cuts a header off, at many places.
func TestCut(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(referenceHeaders, "doca_error.h"))
	require.NoError(t, err)
	step := max(1, len(text)/30)
	for n := 0; n < len(text); n += step {
		mutant(t, "doca_error.h", text[:n])
	}
}

// TestMutants changes a byte or a line of a header, at random but the same
// each time: it parses, or the error says where.
func TestMutants(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/hard/doca_enums.h")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		m := bytes.Clone(text)
		at := r.IntN(len(m))
		switch r.IntN(4) {
		case 0:
			m[at] = "(){}[];,#\"'/*\\\n<>=xX0"[r.IntN(21)]
		case 1:
			m = append(m[:at], m[at+1:]...)
		case 2:
			end := at + 1 + bytes.IndexByte(m[at:], '\n')
			m = append(m[:at], m[end:]...)
		case 3:
			m = append(m[:at:at], append([]byte(" = ( "), m[at:]...)...)
		}
		mutant(t, "doca_enums.h", m)
	}
}

// mutant parses a header that may be wrong.
func mutant(t *testing.T, name string, text []byte) {
	t.Helper()
	dir := writeHeaders(t, map[string]string{name: string(text)})
	_, err := Parse(Config{Dir: dir, Headers: []string{name}})
	if err == nil {
		return
	}
	var pe *ParseError
	require.ErrorAs(t, err, &pe)
	assert.Equal(t, name, pe.Pos.File, "%v", err)
	assert.Positive(t, pe.Pos.Line, "%v", err)
	assert.NotContains(t, err.Error(), ".go:")
	assert.NotContains(t, err.Error(), dir)
}

// TestDeepIncludes has a chain of includes, and a header that includes many.
func TestDeepIncludes(t *testing.T) {
	t.Parallel()
	const n = 150
	headers := map[string]string{"doca_all.h": ""}
	for i := range n {
		headers[fmt.Sprintf("doca_%d.h", i)] = fmt.Sprintf("#pragma once\n#include <doca_%d.h>\nint doca_f%d(int a[DOCA_N]);\n", i+1, i)
		headers["doca_all.h"] += fmt.Sprintf("#include <doca_%d.h>\n", i)
	}
	headers[fmt.Sprintf("doca_%d.h", n)] = "#define DOCA_N 3\n"
	api, err := Parse(Config{Dir: writeHeaders(t, headers)})
	require.NoError(t, err)
	for i := range n {
		assert.Equal(t, 3, fn(t, header(t, api, fmt.Sprintf("doca_%d.h", i)), fmt.Sprintf("doca_f%d", i)).Params[0].Type.Len)
	}
}

// TestLimits has input that would take the parser for ever, or all memory or
// stack. Each must end in an error that names the header.
func TestLimits(t *testing.T) {
	const mb = 1 << 20
	repeat := strings.Repeat
	nested := func(levels int) string {
		text := "#define F0(x) (((x)))\n"
		for i := 1; i <= levels; i++ {
			text += strings.NewReplacer("N", string(rune('0'+i)), "M", string(rune('0'+i-1))).Replace("#define FN(x) FM(FM(FM(x)))\n")
		}
		return text
	}
	tests := []struct{ name, c, text string }{
		{"includes itself", "#include <doca_x.h>\n", "doca_x.h:1: include loop: doca_x.h -> doca_x.h"},
		{"includes itself behind a wrong guard", "#ifndef A\n#define B\n#include \"doca_x.h\"\n#endif\n", "doca_x.h:3: include loop"},
		{"includes itself by a macro", "#define X <doca_x.h>\n#include X\n", "doca_x.h:2: include loop"},
		{"10 MB of brackets", "int x = " + repeat("(", 10*mb) + ";\n", "too big"},
		{"brackets", "int x = " + repeat("(", 3*mb) + ";\n", "doca_x.h:1: brackets nest"},
		{"brackets in a line", "int x = 0;\n#if " + repeat("(", mb) + "\n#endif\n", "doca_x.h:2: preprocessor lines"},
		{"braces", repeat("struct {\n", mb/4), "doca_x.h:201: brackets nest"},
		{"conditionals", repeat("#if 1\n", mb/4), "doca_x.h:201: preprocessor lines"},
		{"stars", "int " + repeat("*", 3*mb) + "p;\n", "tokens"},
		{"signs", "enum { A = " + repeat("- ", mb) + "1 };\n", "tokens"},
		{"casts", "enum { A = " + repeat("(int)", mb/2) + "1 };\n", "tokens"},
		{"conditional operators", "enum { A = " + repeat("1?1:", mb/2) + "1 };\n", "tokens"},
		{"else", "static inline void f(int a) { " + repeat("if(a);else ", mb/4) + "; }\n", "tokens"},
		{"endless macro", bomb("1,") + "int x[] = { DOCA_BOMB };\n", "doca_x.h:43: macro expansion does not end"},
		{"endless macro behind a star", bomb("x") + "int f(int *DOCA_BOMB);\n", "doca_x.h:43: macro expansion does not end"},
		{"endless macro in a condition", bomb("((((((") + "#if DOCA_BOMB\n#endif\n", "doca_x.h:43: macro expansion does not end"},
		{"brackets made by macros", nested(4) + "enum { A = F4(1) };\n", "brackets nest"},
		{"endless brackets made by macros", nested(9) + "enum { A = F9(1) };\n", "macro expansion does not end"},
		{"a string over the end of the file", "const char *s = \"abc\\\n", "string literal not terminated"},
		{"a string over the end of the file, no newline", "const char *s = \"abc\\", "string literal not terminated"},
		{"a header name over the end of the file", "#include <abc\\\n", "doca_x.h"},
		{"a character over the end of the file", "char c = 'a\\\n", "not terminated"},
		{"a long word", "int " + repeat("a", 3*mb) + " b;\n", "doca_x.h:1: a word of more than"},
		{"a long name", "enum { A = " + repeat("a", 3*mb) + " };\n", "doca_x.h:1: a word of more than"},
		{"a long comment", "/*" + repeat("*", 3*mb), "unterminated comment"},
		{"a long string", "#error \"" + repeat("a", 3*mb) + "\n", "doca_x.h:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parseError(t, tt.c)
			assert.Contains(t, e.Error(), tt.text)
			assert.Equal(t, "doca_x.h", e.Pos.File)
			assert.Less(t, len(e.Error()), 1000)
		})
	}
}

func TestIncludeLoops(t *testing.T) {
	tests := []struct {
		name string
		c    map[string]string
		err  string
	}{
		{"two without guards", map[string]string{"doca_a.h": "#include <doca_b.h>\n", "doca_b.h": "#include \"doca_a.h\"\n"},
			"doca_b.h:1: include loop: doca_a.h -> doca_b.h -> doca_a.h"},
		{"behind a guard", map[string]string{"doca_a.h": "#pragma once\n#include <doca_b.h>\n", "doca_b.h": "#include <doca_c.h>\n", "doca_c.h": "#include <doca_b.h>\n"},
			"doca_c.h:1: include loop: doca_b.h -> doca_c.h -> doca_b.h"},
		{"one with a guard", map[string]string{"doca_a.h": "#ifndef A\n#define A\n#include <doca_b.h>\n#endif\n", "doca_b.h": "#include <doca_a.h>\n"}, ""},
		{"one with pragma once", map[string]string{"doca_a.h": "#pragma once\n#include <doca_b.h>\n", "doca_b.h": "#include <doca_a.h>\n"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(Config{Dir: writeHeaders(t, tt.c)})
			if tt.err == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.err)
		})
	}
}

// TestWeight has types that a few lines spell and that no memory could hold
// written out: they cost themselves and what uses them.
func TestWeight(t *testing.T) {
	t.Parallel()
	const n = 30
	nested := "struct doca_nested { " + strings.Repeat("struct { ", n) + "int x;"
	chain := "typedef void (*doca_c0)(int);\n"
	array := "struct doca_a0 { int x; };\n"
	for i := range n {
		nested += fmt.Sprintf(" } a%d[2], b%d;", i, i)
		array += fmt.Sprintf("struct doca_a%d { struct doca_a%d a[2], b; };\n", i+1, i)
	}
	for i := range 8 {
		chain += fmt.Sprintf("typedef doca_c%d (*doca_c%d)(doca_c%d, doca_c%d);\n", i, i+1, i, i)
	}
	h := parseHeader(t, nested+" };\n"+chain+array+"int doca_f(struct doca_a30 *a);\nvoid doca_g(doca_c8 c);\n")
	require.Len(t, h.Problems, 4)
	assert.Equal(t, "struct doca_nested: a struct in it: more than 10000 parts", h.Problems[0].Text)
	assert.Equal(t, "doca_c7: a type of more than 10000 parts", h.Problems[1].Text)
	assert.Equal(t, "typedef doca_c7 could not be read", h.Problems[2].Text)
	assert.Contains(t, h.Problems[3].Text, "doca_g: ")
	fn(t, h, "doca_f")
	assert.Len(t, h.Records, n+1, "tags are followed by nobody")
	assert.Less(t, len(strings.Join((&API{Headers: []*Header{h}}).Lines(), "")), 100_000)
}
