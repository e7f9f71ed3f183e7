package cparse

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzParse parses arbitrary text as a header: the result is declarations or
// an error that names a file, the same each time, and soon.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.h", referenceHeaders + "/*.h"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, p := range paths {
			text, err := os.ReadFile(p)
			require.NoError(f, err)
			if len(text) < 4<<10 {
				f.Add(text)
			}
		}
	}
	for _, s := range []string{
		"int f(int *", "struct s { int a : 3; union { int b; }; } __attribute__((packed));", "enum __attribute__((packed)) e { A = 1 ? 2 : 3 };",
		"#define A(x) #x\n#include A(<doca_x.h>)\n", "typedef void (*p)(int, ...);", "static inline int f(void) { return ({ 1; }); }",
		"/** a */ int f(void); /**< b */ /// c", "#if 1\n#elif\n#else\n#endif\n", "typeof(int) x; _Float16 y; extern \"C\" { int z; }",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := writeHeaders(t, map[string]string{"doca_x.h": string(text)})
		parse := func() string {
			api, err := Parse(Config{Dir: dir, Headers: []string{"doca_x.h"}})
			if err != nil {
				var pe *ParseError
				require.ErrorAs(t, err, &pe)
				require.NotEmpty(t, pe.Pos.File)
				require.NotEmpty(t, pe.Text)
				return err.Error()
			}
			api.Lines()
			b, err := json.Marshal(api)
			require.NoError(t, err)
			return string(b)
		}
		stacks := time.AfterFunc(20*time.Second, func() {
			b := make([]byte, 1<<20)
			panic("takes too long\n" + string(b[:runtime.Stack(b, true)]))
		})
		defer stacks.Stop()
		require.Equal(t, parse(), parse())
	})
}
