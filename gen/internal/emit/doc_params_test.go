package emit

import "testing"

func TestDocParameters(t *testing.T) {
	testDocs(t, []docCase{
		{"directions", `@brief Starts it.
@param [in] dma The context
@param[in]  src_buf The source.
@param[out] is_done Not 0 when it is, else 0; must not be NULL.`, `
Copy starts it.

Parameters:
  - dma: the context.
  - srcBuf: the source.

Results:
  - isDone: true when it is, else false.`},
		{"lengths belong to slices", `Starts it.
@param data The bytes; may be NULL if @p len is 0
@param len Length of data, up to 8`, `
Copy starts it.

Parameters:
  - data: the bytes; may be nil if len(data) is 0.
  - len(data): length of data, up to 8.`},
		{"strings are never nil", "Starts it.\n@param name The name; must not be NULL.", "Copy starts it.\n\nParameters:\n  - name: the name."},
		{"results and strings are no arguments that can be nil", `Starts it.
@return
 - DOCA_ERROR_INVALID_VALUE: @p dma or is_done is NULL.
 - DOCA_ERROR_NOT_FOUND: is_done is NULL or there is none
 - DOCA_ERROR_IN_USE: if name, @p dma, or src_buf is NULL, or it is used.
 - DOCA_ERROR_NO_MEMORY: is_done is NULL.
 - DOCA_ERROR_BAD_STATE: dma is NULL
 - DOCA_ERROR_DRIVER: the name is NULL`, `
Copy starts it.

Errors:
  - [abi.ErrorInvalidValue]: dma is nil.
  - DOCA_ERROR_NOT_FOUND: there is none.
  - DOCA_ERROR_IN_USE: if dma or srcBuf is nil, or it is used.
  - [abi.ErrorBadState]: dma is nil.
  - DOCA_ERROR_DRIVER: the name is nil.`},
		{"directions behind names, and names for commands", "Starts it.\n@param dma [in] the context\n@param src_buf[in]: the source\n@name [in]: its name\n@is_done [in, out] - whether", `
Copy starts it.

Parameters:
  - dma: the context.
  - srcBuf: the source.
  - name: its name.

Results:
  - isDone: whether.`},
		{"callbacks", "Starts it.\n@param done_cb Called when it has ended.\n@param check_cb Called before.", `
Copy starts it.

Parameters:
  - checkCB: called before; a C function of type doca_dma_check_cb_t.

It installs callbacks that leave these records:
  - [KindCopyDone]: called when it has ended.`},
		{"names in the text", "Starts it from src_buf, unless @a is_done, `len` or #data. The len is a length.", `
Copy starts it from srcBuf, unless isDone, len(data) or data. The len is a length.`},
	})
}
