package doxygen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, want string }{
		// Marked words.
		{`the @p src_buf, @c NULL and \a is_done.`, "the srcBuf, nil and isDone."},
		{`@b bold and @e slanted and @em more`, "bold and slanted and more"},
		{`@p len. The len.`, "len(data). The len."},
		{`**bold** and *slanted*, _also_ and __very bold__ and ***both***.`, "bold and slanted, also and very bold and both."},
		{`char *a, *b and 2*3 and __attribute__((x)) and a_b_c and **p`, "char *a, *b and 2*3 and __attribute__((x)) and a_b_c and **p"},
		{"`true`, `doca_buf`, `a = b` and ``x``", "true, [common.Buf], `a = b` and x"},
		{"`struct doca_dma`", "[DMA]"},
		// References.
		{`doca_dma_create()`, "[Create]"},
		{`doca_dma_create`, "[Create]"},
		{`#doca_dma_create() and ::doca_buf, and @ref doca_pe_progress.`, "[Create] and [common.Buf], and [common.PEProgress]."},
		{`@ref doca_pe_progress "the progress" and @ref unknown "that" and @ref other`, "the progress ([common.PEProgress]) and that and other"},
		{`@link doca_pe_progress the progress @endlink and {@link unknown that@endlink}`, "the progress ([common.PEProgress]) and {that}"},
		{`[the buffer](@ref doca_buf), [here](https://example.com/x) and ![a picture](x.png)`, "the buffer ([common.Buf]), here (https://example.com/x) and a picture"},
		{`[doca_buf](#doca_buf), @ref doca_pe_progress "doca_pe_progress()"`, "[common.Buf], [common.PEProgress]"},
		{`struct doca_buf *, enum doca_error`, "[common.Buf] *, [abi.Error]"},
		{`DOCA_DMA_MAX_BUFS`, "[MaxBufs]"},
		{`DOCA_ERROR_NO_MEMORY/DOCA_ERROR_BAD_STATE or doca_error_t`, "[abi.ErrorNoMemory]/[abi.ErrorBadState] or [abi.Error]"},
		{`DOCA_SUCCESS`, "nil"},
		{`doca_argp_init()`, "[example.com/generated/argp.Init]"},
		{`doca_other() and doca_other_t and other() of doca_buf.h`, "doca_other() and doca_other_t and other() of doca_buf.h"},
		{`doca_dma_copy() copies`, "Copy copies"},
		{`x[doca_buf], a=doca_buf, doca_buf's`, "x[common.Buf], a=common.Buf, [common.Buf]'s"},
		{`size_t, uint8_t, non-NULL, TRUE`, "uint64, uint8, non-nil, true"},
		{`#1, #define X, C::x, %d and %lu; %doca_buf`, "#1, #define X, C::x, %d and %lu; [common.Buf]"},
		{`see https://example.com/doca_buf?a=b_c_d#e, and <https://example.com>.`, "see https://example.com/doca_buf?a=b_c_d#e, and https://example.com."},
		// HTML.
		{`<b>a</b> <i>b</i> <tt>NULL</tt> <code>doca_buf</code> x<sup>2</sup> H<sub>2</sub>O`, "a b nil [common.Buf] x^2 H2O"},
		{`a &lt; b &amp;&amp; c &gt;&nbsp;d &copy; &#65; &unknown;`, "a < b && c > d © A &unknown;"},
		{`<a href="https://example.com/x">there</a>, <a href="#y">here</a> and <img src="x" alt="a picture">`, "there (https://example.com/x), here and a picture"},
		{`<stdint.h>, a<b, <name> and vector<int>`, "<stdint.h>, a<b, <name> and vector<int>"},
		// Commands that are none, and escapes.
		{`@frob it, mail a@b.c, C:\dir\file and "\n" and '\0'`, `frob it, mail a@b.c, C:\dir\file and "\n" and '\0'`},
		{`\@param, \\n, @@, \#x, \%d, \&lt;, \<b>, a\_b`, `@param, \n, @, #x, %d, &lt;, <b>, a_b`},
		{`@f$ x^2 @f$ and \f(y\f)`, "x^2 and y"},
		{`@doca_dma_create`, "[Create]"},
		{`(@p len)`, "(len(data))"},
		{`@c a->b[0], @c f(x).`, "a->b[0], f(x)."},
		{`a @ b \ c @`, `a @ b \ c @`},
		{`e.g., this, i.e. that`, "for example, this, that is, that"},
	} {
		t.Run(strings.NewReplacer("/", "|", " ", "_").Replace(c.raw), func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, testScope().Text(c.raw))
		})
	}
}
