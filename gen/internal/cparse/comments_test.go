package cparse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFunctionComments looks for the comment of the function f.
func TestFunctionComments(t *testing.T) {
	const attr = "#define DOCA_STABLE __attribute__((visibility(\"default\")))\n#define EMPTY\n"
	tests := []struct{ name, c, want string }{
		{"block", "/**\n * One.\n *\n * Two.\n */\nint f(void);", "One.\n\nTwo."},
		{"one line", "/** One. */\nint f(void);", "One."},
		{"exclamation mark", "/*! One. */\nint f(void);", "One."},
		{"slashes", "/// One.\n/// Two.\nint f(void);", "One.\nTwo."},
		{"slashes with exclamation mark", "//! One.\nint f(void);", "One."},
		{"in front of the macro", "/** One. */\nDOCA_STABLE\nint f(void);", "One."},
		{"in front of an empty macro", "/** One. */\nEMPTY\nint f(void);", "One."},
		{"behind the macro", "DOCA_STABLE\n/** One. */\nint f(void);", "One."},
		{"in front of an attribute", "/** One. */\n__attribute__((used)) int f(void);", "One."},
		{"in front of a macro with arguments", "#define ATTR(x) __attribute__((x))\n/** One. */\nATTR(used) int f(void);", "One."},
		{"behind the end", "int f(void); /**< One. */\nint g(void);", "One."},
		{"behind a body", "static inline int f(void) { return 0; } /**< One. */", "One."},
		{"list", "/**\n * @return\n * - A\n *   more\n *   - B\n */\nint f(void);", "@return\n- A\n  more\n  - B"},
		{"no stars", "/**\n   One.\n     Two.\n */\nint f(void);", "One.\n  Two."},
		{"tabs", "/**\n\t * One.\n\t * Two.\n\t */\nint f(void);", "One.\nTwo."},
		{"text beside the end", "/** One.\n *  Two. **/\nint f(void);", "One.\nTwo."},
		{"carriage returns", "/**\r\n * One.\r\n * Two.\r\n */\r\nint f(void);", "One.\nTwo."},
		{"an empty line between", "/** One. */\n\nint f(void);", "One."},
		{"another comment between", "/** One. */\n/* not this */\nint f(void);", "One."},
		{"a conditional between", "/** One. */\n#ifndef X\nint f(void);\n#endif", "One."},
		{"an include between", "/** One. */\n#include <stddef.h>\nint f(void);", ""},
		{"a macro between", "/** One. */\n#define A 1\nint f(void);", ""},
		{"the last of two", "/** One. */\n/** Two. */\nint f(void);", "Two."},
		{"of the declaration before", "/** One. */\nint e(void);\nint f(void);", ""},
		{"behind the declaration before", "int e(void); /**< One. */\nint f(void);", ""},
		{"behind it without the mark", "int e(void); /** One. */\nint f(void);", ""},
		{"plain", "/* One. */\nint f(void);", ""},
		{"ruler", "/***************/\nint f(void);", ""},
		{"ruler with text", "/****\n * Part\n ****/\nint f(void);", ""},
		{"empty", "/**/\nint f(void);", ""},
		{"of the file", "/**\n * @file doca_x.h\n */\nint f(void);", ""},
		{"of a group", "/**\n * @defgroup G g\n * @{\n */\nint f(void);", ""},
		{"group mark between", "/** One. */\n/** @{ */\nint f(void);", "One."},
		{"extern C", "/** One. */\nextern int f(void);", "One."},
		{"brace between", "/** One. */\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);", ""},
		{"comment in a string", "#define S \"/** One. */\"\nint f(void);", ""},
		{"not valid UTF-8", "/** One\xff. */\nint f(void);", "One?."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, fn(t, parseHeader(t, attr+tt.c+"\n"), "f").Doc)
		})
	}
}

func TestMemberComments(t *testing.T) {
	h := parseHeader(t, `
/** The record. */
struct doca_s {
	int a; /**< Behind a. */
	/** In front of b. */
	int b;
	int c; ///< Behind c,
	       ///< on two lines.
	int d : 4, /* plain */ e : 4; /**< Both. */
	int f; /** No mark. */
	int g[2]; /*!< Behind g. */
	int h;
	/**< Below h. */
	int none;
	/** In front of the union. */
	union {
		int i; /**< Inside. */
	};
};
/** The enumeration. */
enum doca_e {
	A = 1, /**< Behind A. */
	/** In front of B. */
	B = (1 << 2),
	C /**< Behind C, which has no comma. */,
	D,
	E = 'x' /**< Behind E, the last. */
};
/** The typedef. */
typedef struct doca_s doca_t;
/** Of both. */
typedef enum { F, G /**< Behind G. */ } doca_g;
/** Forward. */
struct doca_forward;
typedef int doca_i; /**< Behind the typedef. */
`)
	require.Empty(t, h.Problems)
	docs := map[string]string{}
	for _, r := range h.Records {
		docs[r.Name] = r.Doc
		for _, f := range r.Fields {
			docs[r.Name+"."+f.Name] = f.Doc
			if f.Anon != nil {
				docs[f.Anon.Fields[0].Name] = f.Anon.Fields[0].Doc
			}
		}
	}
	for _, e := range h.Enums {
		docs[e.Name+e.Typedef] = e.Doc
		for _, c := range e.Consts {
			docs[c.Name] = c.Doc
		}
	}
	for _, d := range h.Typedefs {
		docs["typedef "+d.Name] = d.Doc
	}
	assert.Equal(t, map[string]string{
		"doca_s": "The record.", "doca_s.a": "Behind a.", "doca_s.b": "In front of b.", "doca_s.c": "Behind c,\non two lines.",
		"doca_s.d": "Both.", "doca_s.e": "Both.", "doca_s.f": "No mark.", "doca_s.g": "Behind g.", "doca_s.h": "Below h.",
		"doca_s.none": "", "doca_s.": "In front of the union.", "i": "Inside.",
		"doca_e": "The enumeration.", "A": "Behind A.", "B": "In front of B.", "C": "Behind C, which has no comma.", "D": "",
		"E": "Behind E, the last.", "doca_g": "Of both.", "F": "", "G": "Behind G.",
		"typedef doca_t": "The typedef.", "typedef doca_g": "Of both.", "doca_forward": "Forward.",
		"typedef doca_i": "Behind the typedef.",
	}, docs)
}

func TestFileComment(t *testing.T) {
	tests := []struct{ name, c, want string }{
		{"at the start", "/**\n * @file doca_x.h\n * @brief About.\n */\nint f(void);\n", "@file doca_x.h\n@brief About."},
		{"behind a licence", "/* Licence. */\n/**\n * \\file\n * About.\n */\nint f(void);\n", "\\file\nAbout."},
		{"inside the guard", "#ifndef X\n#define X\n/** @file\n * About. */\n#endif\n", "@file\nAbout."},
		{"none", "/** Of f. */\nint f(void);\n", ""},
		{"word only", "/** The @filename of f. */\nint f(void);\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, parseHeader(t, tt.c).Doc)
		})
	}
}

// TestManyComments has a comment for each of many functions: none is lost.
func TestManyComments(t *testing.T) {
	api, err := Parse(Config{Dir: referenceHeaders})
	require.NoError(t, err)
	n := 0
	for _, h := range api.Headers {
		for _, f := range h.Funcs {
			n++
			assert.True(t, strings.HasPrefix(f.Doc, "@brief "), f.Name)
		}
	}
	assert.Greater(t, n, 200)
}
