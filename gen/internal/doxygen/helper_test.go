package doxygen

import (
	"go/format"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testNames are what the C names in the tests' comments are in package dma, which imports common and not argp.
var testNames = map[string]string{
	"doca_dma": "DMA", "doca_dma_copy": "Copy", "doca_dma_create": "Create", "DOCA_DMA_MAX_BUFS": "MaxBufs",
	"doca_buf": "common.Buf", "doca_pe": "common.PE", "doca_pe_progress": "common.PEProgress",
	"doca_buf_dec_refcount": "common.BufDecRefcount", "doca_argp_init": "example.com/generated/argp.Init",
	"doca_error": "abi.Error", "doca_error_t": "abi.Error", "DOCA_ERROR_INVALID_VALUE": "abi.ErrorInvalidValue",
	"DOCA_ERROR_NO_MEMORY": "abi.ErrorNoMemory", "DOCA_ERROR_BAD_STATE": "abi.ErrorBadState",
}

// testParams are the parameters of function doca_dma_copy, in their order.
var testParams = []string{"dma", "src_buf", "name", "data", "len", "done_cb", "check_cb", "is_done"}

// testScope is where the comment of doca_dma_copy stands.
func testScope() *Scope {
	return &Scope{
		Lookup: func(c string) (string, bool, bool) {
			if c == "DOCA_SUCCESS" {
				return "nil", false, true
			}
			g, ok := testNames[c]
			return g, ok && c != "doca_dma_copy", ok
		},
		Params: map[string]string{"dma": "dma", "src_buf": "srcBuf", "name": "name", "data": "data", "len": "len(data)",
			"check_cb": "checkCB", "is_done": "isDone"},
		NeverNil: map[string]bool{"name": true, "is_done": true},
	}
}

// funcComment is the comment of function Copy.
func funcComment(raw string) *Comment {
	c := NewComment(testScope(), raw, LineWidth)
	c.Calls("Copy", "doca_dma_copy")
	c.Body()
	byName, rest := c.Params(testParams)
	var items []string
	for _, name := range testParams {
		if t := byName[name].Text(Form{}); t != "" {
			items = append(items, name+": "+t)
		}
	}
	for _, p := range rest {
		items = append(items, p.Name+": "+p.Text(Form{}))
	}
	errors, text := c.Status()
	c.Items("Parameters:", items)
	for _, t := range text {
		c.Para(t)
	}
	c.Items("Errors:", errors)
	c.End(Promise{})
	return c
}

// docCase is a C comment and what it becomes as the comment of function Copy.
type docCase struct{ name, raw, want string }

func testDocs(t *testing.T, cases []docCase) {
	t.Helper()
	t.Parallel()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := funcComment(c.raw).String()
			formatted(t, text)
			assert.Equal(t, strings.Trim(c.want, "\n"), plainComment(text))
		})
	}
}

// plainComment is a comment without its slashes.
func plainComment(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimPrefix(l, "//")
		lines[i] = strings.TrimPrefix(l, " ")
	}
	return strings.Join(lines, "\n")
}

// formatted fails if gofmt would change a comment, wherever it stands.
func formatted(t *testing.T, text string) {
	t.Helper()
	for _, l := range strings.Split(text, "\n") {
		require.Regexp(t, `^//($|[ \t].*\S$)`, l)
	}
	source := []byte("package p\n\n" + text + "\nfunc Copy() {}\n\n// Values of something.\nconst (\n\t" + strings.ReplaceAll(text, "\n", "\n\t") + "\n\tCopies = 1\n)\n")
	out, err := format.Source(source)
	require.NoError(t, err, text)
	require.Equal(t, string(source), string(out))
}
