package doxygen

import "testing"

func TestParams(t *testing.T) {
	testDocs(t, []docCase{
		{"separators", `Starts it.
@param dma - the context
@param src_buf: the source
@param name = the name`, `
Copy starts it.

Parameters:
  - dma: the context.
  - src_buf: the source.
  - name: the name.`},
		{"a minus that is a sign", "Starts it.\n@param dma -1 is none", "Copy starts it.\n\nParameters:\n  - dma: -1 is none."},
		{"over several lines", "Starts it.\n@param dma The context,\n           which must run.\n@param src_buf\n    The source.", `
Copy starts it.

Parameters:
  - dma: the context, which must run.
  - src_buf: the source.`},
		{"with a list", "Starts it.\n@param dma One of:\n - a: the first.\n - b: the second.\n@param src_buf The source", `
Copy starts it.

Parameters:
  - dma: one of: a: the first; b: the second.
  - src_buf: the source.`},
		{"two names", "Starts it.\n@param dma,src_buf must be there", "Copy starts it.\n\nParameters:\n  - dma: must be there.\n  - src_buf: must be there."},
		{"misspelled", "Starts it.\n@param DMA the context\n@param srcbuff the source", "Copy starts it.\n\nParameters:\n  - dma: the context.\n  - src_buf: the source."},
		{"of no parameter", "Starts it.\n@param dma the context\n@param attr the attributes", "Copy starts it.\n\nParameters:\n  - dma: the context.\n  - attr: the attributes."},
		{"without a text", "Starts it.\n@param dma\n@param src_buf The source", "Copy starts it.\n\nParameters:\n  - src_buf: the source."},
		{"behind text", "Starts it. @param dma the context @return DOCA_SUCCESS", "Copy starts it.\n\nParameters:\n  - dma: the context."},
		{"text behind a blank line", "Starts it.\n@param dma The context.\n\nIt ends later.", "Copy starts it.\n\nIt ends later.\n\nParameters:\n  - dma: the context."},
	})
}
