package doxygen

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		c := funcComment(raw)
		c.Prototype("doca_error_t doca_dma_copy(struct doca_dma *dma)")
		formatted(t, c.String())

		c = NewComment(testScope(), raw, LineWidth) // a function without a status
		c.Calls("Copy", "doca_dma_copy")
		c.Body()
		c.Para("It returns " + c.Result())
		c.End(Promise{Inline: true, Since: "2.5"})
		formatted(t, c.String())

		c = NewComment(testScope(), raw, LineWidth) // a type
		c.Is("Copy", "struct doca_x")
		c.Body()
		c.Members()
		c.End(Promise{Experimental: true})
		formatted(t, c.String())

		c = NewComment(testScope(), raw, GroupWidth) // a constant, a field
		c.Para("Copy is it: " + UpperFirst(c.Brief()))
		c.BodyWithoutHeadings()
		c.Members()
		c.End(Promise{})
		formatted(t, c.String())
	})
}
