package device

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The functions with marks are found in what the preprocessor leaves, however they are declared.
func TestMarks(t *testing.T) {
	t.Parallel()
	const g, r = "__attribute__((__dpa_global__)) ", "__attribute__((__dpa_rpc__)) "
	for text, want := range map[string]string{
		"":                                                     "",
		"void k(void);":                                        "",
		g + "void k(void);":                                    "k:1",
		g + "void k(int n) { f(n); }":                          "k:1",
		"void " + g + "k(void);":                               "k:1",
		"void k(void) " + g + ";":                              "k:1",
		r + "uint64_t k(void);":                                "k:1 rpc",
		r + "uint64_t (k)(struct s s) { }":                     "k:1 rpc",
		r + "uint64_t *(*k(int a))(int b);":                    "",
		g + "typedef unsigned long handle;":                    "",
		g + "void k(void), j(int);":                            "k:1 j:1",
		g + "static void k(void) {}":                           "k:1 static",
		g + "extern __inline__ void k(void) {}":                "k:1 static",
		"struct s { int a; };\n" + g + "void k(struct s s) {}": "k:2",
		"struct __attribute__((packed)) s { int a; } x;" + g + "void k(void);":                                          "k:1",
		"enum e { A = (1), B };\n\n" + g + "void k(enum e e);":                                                          "k:3",
		"int a[] = { 1, 2 }, b = (3);" + g + "void k(void);":                                                            "k:1",
		"int f(void) { struct s { int a; } s = { 1 }; return s.a; }" + g + "void k(void) {}":                            "k:1",
		"static inline int f(void) { if (1) { } }\n" + g + "void k(void) {}\nvoid j(void) {}":                           "k:2",
		"__extension__ " + g + "__typeof__(void) k(void) __asm__(\"name\") __attribute__((noinline, __nothrow__));":     "k:1",
		"char *s = \"}; __attribute__((__dpa_global__)) void no(void);\", c = '}';" + g + "void k(void);":               "k:1",
		"_Static_assert(sizeof(int) == 4, \"\");" + g + "void k(void);":                                                 "k:1",
		"# 1 \"<built-in>\"\n# 7 \"dir/k.h\" 1 3\n\n" + g + "\nvoid\nk(void);\n# 2 \"k.c\" 2\n" + g + "void j(void) {}": "k:10 j:2",
		"#pragma pack(1)\n" + g + "void k(void);":                                                                       "k:2",
		g + "void k(void);\n" + g + "void k(void) {}":                                                                   "k:1 k:2",
		g + "void k(void (*callback)(int), int list[(3)]);":                                                             "k:1",
		")}]" + g + "void k(void);": "k:1",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			found, err := marks(text)
			require.NoError(t, err)
			have := ""
			for _, m := range found {
				have += fmt.Sprintf(" %s:%d", m.name, m.pos.Line)
				if m.rpc {
					have += " rpc"
				}
				if m.static {
					have += " static"
				}
			}
			if want != "" {
				want = " " + want
			}
			assert.Equal(t, want, have)
		})
	}
	for _, text := range []string{g + r + "void k(void);", g + "void k(void);\n" + r + "unsigned long k(void);"} {
		_, err := marks("# 1 \"k.c\"\n" + text)
		assert.ErrorContains(t, err, "error: k is marked with both __dpa_global__ and __dpa_rpc__")
		assert.ErrorContains(t, err, "k.c:")
	}
}
