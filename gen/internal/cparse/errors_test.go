package cparse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSyntaxErrors has the line, the text and the source line of each error.
func TestSyntaxErrors(t *testing.T) {
	tests := []struct {
		name, c string
		line    int
		text    string
		source  string
	}{
		{"no semicolon behind a prototype", "int f(void)\nint g(void);\n", 1, "expected ';' or a body after ')'", "int f(void)"},
		{"no semicolon before an attribute", "int f(void)\n__attribute__((used)) int g(void);\n", 2, "expected ';'", "__attribute__((used)) int g(void);"},
		{"no semicolon at the end", "int e(void);\nint f(int a,\n      int b)\n", 3, "expected ';' or a body after ')'", "int b)"},
		{"no semicolon behind a struct", "struct s {\n\tint a;\n}\nint f(void);\n", 3, "expected ';' after '}'", "}"},
		{"no semicolon behind the last struct", "struct s {\n\tint a;\n}\n", 3, "expected ';' after '}'", "}"},
		{"no semicolon behind an enum", "enum e {\n\tA,\n}\nint f(void);\n", 3, "expected ';' after '}'", "}"},
		{"no semicolon behind a member", "struct s {\n\tint a\n\tint b;\n};\n", 3, "expected ';'", "int b;"},
		{"no semicolon behind a nested struct", "struct s {\n\tstruct t { int a; }\n\tint b;\n};\n", 0, "a ';' missing behind a '}'", ""},
		{"unknown type of a result", "\n\nfoo_t f(void);\n", 3, `unknown type name "foo_t"`, "foo_t f(void);"},
		{"unknown type of a parameter", "int f(int a,\n      const foo_t *b);\n", 2, `unknown type name "foo_t"`, "const foo_t *b);"},
		{"unknown type without a name", "int f(foo_t);\n", 1, `unknown type name "foo_t"`, "int f(foo_t);"},
		{"unknown type of a member", "struct s {\n\tfoo_t a;\n};\n", 2, `unknown type name "foo_t"`, "foo_t a;"},
		{"unknown type of a typedef", "typedef foo_t bar_t;\n", 1, `unknown type name "foo_t"`, "typedef foo_t bar_t;"},
		{"conflicting prototypes", "int f(int);\nint f(long);\n", 2, "conflicting types for 'f', previous declaration at doca_x.h:1", "int f(long);"},
		{"bracket too many", "int f(void));\n", 1, "unexpected ')'", "int f(void));"},
		{"brace too many", "int f(void);\n}\n", 2, "unexpected '}'", "}"},
		{"brace missing", "struct s {\n\tint a;\n", 2, "unfinished declaration", "int a;"},
		{"cut off", "int f(int *", 1, "unfinished declaration", "int f(int *"},
		{"comment without end", "int f(void);\n/* no end\n", 2, "unterminated comment", "/* no end"},
		{"if without endif", "#ifndef X\nint f(void);\n", 1, "conditional without #endif", "#ifndef X"},
		{"endif without if", "int f(void);\n#endif\n", 2, "unexpected #endif", "#endif"},
		{"error directive", "#error not on this machine\n", 1, "not on this machine", "#error not on this machine"},
		{"missing include", "\n#include <doca_y.h>\nint f(int *\n", 2, "include file not found: doca_y.h", "#include <doca_y.h>"},
		{"missing include in quotes", "#include \"doca_y.h\"\n", 1, "include file not found: doca_y.h", "#include \"doca_y.h\""},
		{"missing include by a macro", "#define INC <doca_y.h>\n#include INC\n", 0, "include file not found: doca_y.h", ""},
		{"missing include, and an error", "#include <foo/bar.h>\nint f(int *\n", 2, "unfinished declaration at the end of the file: unexpected 'struct', expected type qualifier, perhaps because of a missing include: foo/bar.h (line 1 of doca_x.h)", "int f(int *"},
		{"NUL byte", "int f(void);\nint\x00g(void);\n", 2, "NUL byte", ""},
		{"not C", "=\x01\x02\xff\xfe=", 1, "unexpected '='", "=????="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parseError(t, tt.c)
			assert.Equal(t, Pos{File: "doca_x.h", Line: tt.line}, e.Pos)
			assert.Contains(t, e.Text, tt.text)
			assert.Equal(t, tt.source, e.Line)
			assert.NotContains(t, e.Error(), ".go:", "a place in the parser's own source")
		})
	}
}

func TestErrorText(t *testing.T) {
	pos := Pos{File: "doca_x.h", Line: 3}
	assert.Equal(t, "doca_x.h:3: what\n\tint f", (&ParseError{Pos: pos, Text: "what", Line: "int f"}).Error())
	assert.Equal(t, "doca_x.h: what", (&ParseError{Pos: Pos{File: "doca_x.h"}, Text: "what"}).Error())
}

// TestErrorsJoined has two headers with errors, and two that only include them.
func TestErrorsJoined(t *testing.T) {
	dir := writeHeaders(t, map[string]string{
		"doca_a.h": "foo_t a(void);\n",
		"doca_b.h": "#include <doca_a.h>\nint b(void);\n",
		"doca_c.h": "struct c { int x; }\n",
		"doca_d.h": "#include <doca_c.h>\nint d(void);\n",
		"doca_e.h": "int e(void);\n",
	})
	_, err := Parse(Config{Dir: dir})
	require.Error(t, err)
	assert.Equal(t, 1, strings.Count(err.Error(), "doca_a.h:1"))
	assert.Equal(t, 1, strings.Count(err.Error(), "doca_c.h:1"))
	assert.Equal(t, 2, strings.Count(err.Error(), "doca_"), "nothing about the other headers: %v", err)
}

// TestUnreadable has what is no readable file where a header should be.
func TestUnreadable(t *testing.T) {
	dir := writeHeaders(t, nil)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "doca_dir.h"), 0o755))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "doca_link.h")))
	require.NoError(t, os.Symlink("doca_self.h", filepath.Join(dir, "doca_self.h")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "doca_big.h"), make([]byte, maxFileSize+1), 0o644))
	_, err := Parse(Config{Dir: dir})
	require.Error(t, err)
	for _, part := range []string{"doca_dir.h: is a directory", "doca_link.h: dangling symbolic link", "doca_self.h: ", "doca_big.h: 4194305 bytes: too big"} {
		assert.ErrorContains(t, err, part)
	}

	_, err = Parse(Config{Dir: writeHeaders(t, map[string]string{"doca_x.h": "#include \"doca_y.h\"\n", "doca_y.h/z": ""}), Headers: []string{"doca_x.h"}})
	assert.ErrorContains(t, err, "doca_y.h: is a directory", "an include")

	empty := t.TempDir()
	_, err = Parse(Config{Dir: empty})
	assert.ErrorContains(t, err, empty)
}

// TestPragma has pragma operators that cc/v4 cannot scan.
func TestPragma(t *testing.T) {
	h := parseHeader(t, "_Pragma(\"\")\n_Pragma(\"\\\"abc\")\n_Pragma(\"pack(1)\") int f(void);\n#pragma GCC visibility push(default)\n#define P _Pragma(\"\")\nP int g(void);\n")
	assert.Len(t, h.Funcs, 2)
}

// TestLine has line directives, which generated headers have.
func TestLine(t *testing.T) {
	h := parseHeader(t, "#line 100 \"foo.h\"\nint f(void);\n# 7 \"bar.h\"\nint g(void);\n")
	require.Len(t, h.Funcs, 2)
	assert.Equal(t, Pos{File: "doca_x.h", Line: 2}, h.Funcs[0].Pos)
	assert.Equal(t, Pos{File: "doca_x.h", Line: 4}, h.Funcs[1].Pos)
}

// TestManyDeclarations is big and fine.
func TestManyDeclarations(t *testing.T) {
	const n = 5000
	h := parseHeader(t, strings.Repeat("struct doca_s;\n/** Of f. */\nint f(struct doca_s *s, int a[2]);\n", n))
	assert.Len(t, h.Funcs, 1)
	assert.Len(t, h.Records, 1)
}
