package cparse

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seeds adds the headers of the test data and of the repository, and the texts.
func seeds(f *testing.F, texts ...string) {
	for _, pattern := range []string{"testdata/*/*.h", referenceHeaders + "/*.h"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, p := range paths {
			text, err := os.ReadFile(p)
			require.NoError(f, err)
			if len(text) < 8<<10 {
				f.Add(text)
			}
		}
	}
	for _, s := range texts {
		f.Add([]byte(s))
	}
}

// atMost ends the process with all stacks if the test takes longer.
func atMost(t *testing.T, limit time.Duration) {
	stacks := time.AfterFunc(limit, func() {
		b := make([]byte, 1<<20)
		panic("takes too long\n" + string(b[:runtime.Stack(b, true)]))
	})
	t.Cleanup(func() { stacks.Stop() })
}

// FuzzParse parses arbitrary text as a header: the result is declarations or
// an error that names a file, the same each time, and soon.
func FuzzParse(f *testing.F) {
	seeds(f,
		"int f(int *", "struct s { int a : 3; union { int b; }; } __attribute__((packed));", "enum __attribute__((packed)) e { A = 1 ? 2 : 3 };",
		"#define A(x) #x\n#include A(<doca_x.h>)\n", "typedef void (*p)(int, ...);", "static inline int f(void) { return ({ 1; }); }",
		"/** a */ int f(void); /**< b */ /// c", "#if 1\n#elif\n#else\n#endif\n", "typeof(int) x; _Float16 y; extern \"C\" { int z; }",
		"#include <foo/bar.h>\nfoo_t *f(foo_u a[FOO], BAR int b);\nstruct s { foo_t t; };\n", "#pragma pack(push, 1)\nstruct s { char c; int i; };\n#pragma pack(pop)\n",
		"_Static_assert(1, \"x\"); [[nodiscard]] int f(void); #define S \"a\\101\" L\"b\"\n", "#if 0\ndon't\n#endif\n#define A \\ \n 1\n",
		"typedef void (*a)(int); typedef a (*b)(a, a); typedef b (*c)(b, b);", "enum e { A = 1ULL << 63, B = -1 }; enum e f(enum e);",
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := writeHeaders(t, map[string]string{"doca_x.h": string(text)})
		parse := func() string {
			api, err := Parse(Config{Dir: dir, Headers: []string{"doca_x.h"}})
			if err != nil {
				var pe *ParseError
				require.ErrorAs(t, err, &pe)
				require.NotEmpty(t, pe.Pos.File)
				require.NotEmpty(t, pe.Text)
				require.False(t, pe.tooLong, "what takes so long?")
				return err.Error()
			}
			api.Lines()
			b, err := json.Marshal(api)
			require.NoError(t, err)
			return string(b)
		}
		atMost(t, 30*time.Second)
		require.Equal(t, parse(), parse())
	})
}

// FuzzOverlay indexes and rewrites arbitrary text: lines and columns stay, and
// what is an error is one in the text's own lines.
func FuzzOverlay(f *testing.F) {
	seeds(f, "enum A B(\"(\") C { x };", "#pragma pack(\n_Pragma(\"pack(1)\")", "static_assert(')', \"\\\"\");;", "/* \x00 */ ' \" \\ \n", "[[nodiscard, gnu::unused]] [[x]]")
	f.Fuzz(func(t *testing.T, text []byte) {
		atMost(t, 10*time.Second)
		s, err := newSource("doca_x.h", bytes.Clone(text), false)
		var pe *ParseError
		if errors.As(err, &pe) {
			require.NotEmpty(t, pe.Text)
			require.GreaterOrEqual(t, pe.Pos.Line, 1)
			require.LessOrEqual(t, pe.Pos.Line, len(s.lines))
			return
		}
		require.NoError(t, err)
		require.Len(t, s.text, len(text)+2)
		for i, c := range text {
			if c == '\n' && s.text[i] != '\n' || c != '\n' && s.text[i] == '\n' {
				require.Failf(t, "a line has moved", "offset %d", i)
			}
		}
		s.suspect()
		s.guard()
		s.includes()
		for _, c := range s.comments {
			if doc, _ := s.isDoc(c); doc {
				s.clean([]comment{c})
			}
			s.docBefore(c.end)
			s.docAfter(c.start)
		}
		for at := range min(len(text), 200) {
			s.unknownType(at)
			if from, to := s.declarationAt(at); from >= 0 {
				require.Less(t, from, to)
			}
		}
	})
}
