package doxygen

import "testing"

func TestLists(t *testing.T) {
	testDocs(t, []docCase{
		{"dashes", "Starts it.\n\n- one\n- two\n  goes on\n\nThe end.", `
Copy starts it.

  - one.
  - two goes on.

The end.`},
		{"below a paragraph", "Starts it.\n\nThere are\n- one,\n- two.", "Copy starts it.\n\nThere are:\n  - one.\n  - two."},
		{"stars and pluses", "Starts it.\n\n* one\n+ two", "Copy starts it.\n\n  - one.\n  - two."},
		{"numbers", "Starts it.\n\n1. one\n2. two\n10) ten", "Copy starts it.\n\n 1. one.\n 2. two.\n 3. ten."},
		{"numbers of Doxygen", "Starts it.\n\n-# one\n-# two", "Copy starts it.\n\n 1. one.\n 2. two."},
		{"li and arg", "Starts it.\n@li one\n@arg two", "Copy starts it.\n\n  - one.\n  - two."},
		{"nested", "Starts it.\n\n- one\n  - a\n  - b\n- two\n    1. x\n", "Copy starts it.\n\n  - one: a; b.\n  - two: x."},
		{"nested three deep", "Starts it.\n\n- one\n  - a\n    - deep\n- two", "Copy starts it.\n\n  - one: a; deep.\n  - two."},
		{"another paragraph of an item", "Starts it.\n\n- one\n\n  more of it\n- two", "Copy starts it.\n\n  - one more of it.\n  - two."},
		{"behind a blank line", "Starts it.\n\nThere are:\n\n- one\n\n- two\n\nThe end.", "Copy starts it.\n\nThere are:\n  - one.\n  - two.\n\nThe end."},
		{"HTML", "Starts it.\n<ul><li>one</li><li>two\nand more</li></ul>\nThe end.", "Copy starts it.\n\n  - one.\n  - two and more.\n\nThe end."},
		{"HTML, one a line, nested", "Starts it.\n<ol>\n  <li>one\n  <ul>\n    <li>a</li>\n  </ul>\n  <li>two\n</ol>", "Copy starts it.\n\n 1. one: a.\n 2. two."},
		{"definitions", "Starts it.\n<dl><dt>one</dt><dd>the first</dd></dl>", "Copy starts it.\n\n  - one: the first."},
		{"a number that begins a line", "Starts it with version\n2. Or later.", "Copy starts it with version 2. Or later."},
		{"a dash that does not begin an item", "Starts it -\n-1 is none", "Copy starts it - -1 is none."},
		{"two lists", "Starts it.\n\n- one\n\n1. two", "Copy starts it.\n\n  - one.\n  - two."},
		{"list and code", "Starts it.\n\n- one\n@code\nx\n@endcode\n- two", "Copy starts it.\n\n  - one.\n\nExample:\n\n\tx\n\nAlso:\n  - two."},
	})
}

func TestCode(t *testing.T) {
	testDocs(t, []docCase{
		{"code", "Starts it.\n@code\n  if (x)\n          y(a  ,  b);\n\n  z; // @p x *y*\n@endcode\nThe end.", `
Copy starts it.

	if (x)
		y(a  ,  b);

	z; // @p x *y*

The end.`},
		{"of a language", "Starts it.\n\\code{.c}\nx();\n\\endcode", "Copy starts it.\n\n\tx();"},
		{"on one line", "Starts it: @code x(); @endcode and ends.", "Copy starts it:\n\n\tx();\n\nand ends."},
		{"fences", "Starts it.\n```c\nx();\n```\n~~~\ny();\n~~~", "Copy starts it.\n\n\tx();\n\n\ty();"},
		{"verbatim", "Starts it.\n@verbatim\n | a |\n @param x\n@endverbatim", "Copy starts it.\n\n\t| a |\n\t@param x"},
		{"pre", "Starts it.\n<pre>\na &lt; b\n</pre>\nThe end.", "Copy starts it.\n\n\ta < b\n\nThe end."},
		{"indented", "Starts it:\n\n    x();\n        y();\n\n    z();\n\nThe end.", "Copy starts it:\n\n\tx();\n\t    y();\n\n\tz();\n\nThe end."},
		{"not ended", "Starts it.\n@code\nx();", "Copy starts it.\n\n\tx();"},
		{"empty", "Starts it.\n@code\n\n@endcode", "Copy starts it."},
		{"that looks like a list", "Starts it.\n@verbatim\n- one\n  - two\n@endverbatim", "Copy starts it.\n\n- one\n\n- two"},
		{"long lines", "Starts it.\n@code\n" + wide + "\n@endcode", "Copy starts it.\n\n\t" + wide},
		{"a diagram", "Starts it.\n@dot\na -> b\n@enddot", "Copy starts it.\n\n\ta -> b"},
		{"a formula", "Starts it.\n@f[\n  x = y^2\n@f]\n@f{eqnarray*}{ z @f}", "Copy starts it.\n\n\tx = y^2\n\n\tz"},
		{"in a note", "Starts it.\n@note As in\n@code\nx();\n@endcode", "Copy starts it.\n\nNote: As in:\n\n\tx();"},
		{"in a parameter", "Starts it.\n@param dma As in\n@code\nx();\n@endcode", "Copy starts it.\n\nParameters:\n  - dma: as in. x()."},
	})
}

const wide = "call(a_long_argument, a_long_argument, a_long_argument, a_long_argument, a_long_argument, a_long_argument, the_end);"

func TestTables(t *testing.T) {
	testDocs(t, []docCase{
		{"Markdown", "Starts it.\n\n| Mode | Means |\n|:-----|-------|\n| a    | doca_buf |\n| bcd  | @c x \\| y |\n\nThe end.", `
Copy starts it.

	Mode  Means
	a     common.Buf
	bcd   x | y

The end.`},
		{"HTML", "Starts it.\n<table><caption>Modes</caption><tr><th>Mode<th>Means</tr>\n<tr><td>a</td><td>the\nfirst</td></tr></table>The end.", `
Copy starts it.

	Modes
	Mode   Means
	a      the first

The end.`},
		{"one row is text", "Starts it.\n\n|x| is its length |", "Copy starts it.\n\nx, is its length."},
	})
}

func TestStructure(t *testing.T) {
	testDocs(t, []docCase{
		{"headings", "Starts it.\n\n# Use\nAt once.\n\n@section threads Threads\nOne.\n\n## More ##\n\n<h3>HTML</h3>Yes.", `
Copy starts it.

# Use

At once.

# Threads

One.

# More

# HTML

Yes.`},
		{"underlined", "Starts it.\n\nUse\n===\nAt once.\n\n---\nThe end.", "Copy starts it.\n\nUse.\n\nAt once.\n\nThe end."},
		{"HTML paragraphs", "Starts it.<p>One.</p><p>Two.<br/>Three.<hr>Four.", "Copy starts it.\n\nOne.\n\nTwo.\n\nThree.\n\nFour."},
		{"line breaks", "Starts it.\n\nOne.\\n Two.@n Three.<br>Four.", "Copy starts it.\n\nOne.\n\nTwo.\n\nThree.\n\nFour."},
		{"what Doxygen alone needs", `@fn doca_error_t doca_dma_copy(struct doca_dma *dma)
@ingroup DOCA_DMA
@anchor here
@brief Starts it.
@internal
@parblock
It is fast.
@endparblock
@if LINUX
Always.
@endif
@cond X
Never.
@endcond
@image html x.png "A picture."
@tableofcontents
@{ @}`, "Copy starts it.\n\nIt is fast.\n\nAlways. Never. \"A picture.\""},
		{"groups", "@defgroup DOCA_DMA DOCA DMA engine\nStarts it.", "Copy calls doca_dma_copy: DOCA DMA engine.\n\nStarts it."},
		{"unknown commands", "@frobnicate Starts it.\n@foobar x is y.\n\\baz z", "Copy calls doca_dma_copy: frobnicate Starts it. Foobar x is y. Baz z."},
		{"mixed case", "@Brief Starts it.\n@Param dma the context", "Copy starts it.\n\nParameters:\n  - dma: the context."},
		{"only for other formats", "Starts it.\n@htmlonly <b>It</b> is. @endhtmlonly\n@latexonly \\x @endlatexonly", "Copy starts it. It is.\n\n\t\\x"},
	})
}
