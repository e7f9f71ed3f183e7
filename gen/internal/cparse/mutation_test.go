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

// soon is the longest that any header may take, on a machine that is busy. The
// race detector makes all some ten times slower.
var soon = map[bool]time.Duration{false: 20 * time.Second, true: time.Minute}[raceDetector]

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
			start := time.Now()
			_, err := Parse(Config{Dir: dir})
			var pe *ParseError
			require.ErrorAs(t, err, &pe)
			assert.Less(t, len(err.Error()), 2000)
			api, err := Parse(Config{Dir: dir, KeepGoing: true})
			require.NoError(t, err)
			assert.Less(t, time.Since(start), soon)
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
	start := time.Now()
	_, err = translate(cfg, append(sources, cc.Source{Name: "x.h", Value: functionTypes(17)}), 100*time.Millisecond)
	assert.ErrorIs(t, err, errTooLong)
	assert.Less(t, time.Since(start), soon)
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
		h := parseHeader(t, c)
		assert.Empty(t, h.Problems, "%q", c)
		assert.Empty(t, h.Funcs, "%q", c)
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
	start := time.Now()
	_, err := Parse(Config{Dir: dir, Headers: []string{name}})
	assert.Less(t, time.Since(start), soon)
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
	start := time.Now()
	api, err := Parse(Config{Dir: writeHeaders(t, headers)})
	require.NoError(t, err)
	assert.Less(t, time.Since(start), soon)
	for i := range n {
		assert.Equal(t, 3, fn(t, header(t, api, fmt.Sprintf("doca_%d.h", i)), fmt.Sprintf("doca_f%d", i)).Params[0].Type.Len)
	}
}
