package emit

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// Whatever a comment has in it, what becomes of it is a comment that gofmt leaves alone.
func FuzzDoc(f *testing.F) {
	header, err := os.ReadFile("../../../headers/3.0/doca_dma.h")
	require.NoError(f, err)
	for _, c := range strings.Split(string(header), "/**")[1:] {
		text, _, _ := strings.Cut(c, "*/")
		f.Add(strings.ReplaceAll(text, "\n *", "\n"))
	}
	for _, s := range []string{
		"@brief Create it\n@param[in] dma the\tcontext\n - a\n - b\n@return\nDOCA_SUCCESS on success\nDOCA_ERROR_BAD_STATE - if\n@note x\n@code{.c}\n- x\n\ty\n@endcode",
		"a\n\n- b\n  - c\n\n  d\n1. e\n-# f\n<ul><li>g</ul><table><tr><td>a|b<td>c</table>\n| a | b |\n|---|---|\n| `c` | d |",
		"# a\n\n## b ##\n\nHead\n====\n\nHeading\n\ntext\n\n    code\n\n[x]: http://y\n``q'' {\n\tx\n}",
		"@f$x@f$ @f[ - y @f] \\ref doca_buf \"t\" **a** *b* `c d` ``e`` &lt;&#10;&#0; <a href=\"http://x\">y</a> [z](#doca_pe) @@ \\n @n",
		"@deprecated\n@since DOCA 2.5\n@see x\n@retval 0 y\n@par\n- z\n@par T\n@copydoc u\r\n@image html v \"w\"\xff\x00\u2028",
		"Deprecated: x\n\nTODO(a): b\n\n+build c\n\n//go:d\n\n#\n\n-\n\n1.\n\n- -\n\n- 1. -\n\n'''\n\n```",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		file, fn := docFixture()
		fn.Doc = raw
		formatted(t, file.funcDoc(fn))
		fn.Ret.Mode = model.RetVoid
		formatted(t, file.funcDoc(fn))
		d := named("doca_x", "Copy")
		d.Doc, d.Stability = raw, cparse.Experimental
		formatted(t, file.typeDoc(d, "struct doca_x", "The layout is that of C."))
		formatted(t, file.constDoc("Copy", "DOCA_COPY", raw))
		if s := file.fieldDoc("doca_x", raw); s != "" {
			formatted(t, s)
		}
		file.m.API.Headers[0].Typedefs[1].Doc = raw
		formatted(t, file.kindDoc(file.lib.Callbacks[0]))
		file.lib.Headers = []*model.Header{{Name: "doca_x.h", Doc: raw}}
		formatted(t, file.packageDoc())
	})
}
