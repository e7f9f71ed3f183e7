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
		{"separators", `Starts it.
@param dma - the context
@param src_buf: the source
@param name = the name`, `
Copy starts it.

Parameters:
  - dma: the context.
  - srcBuf: the source.
  - name: the name.`},
		{"a minus that is a sign", "Starts it.\n@param dma -1 is none", "Copy starts it.\n\nParameters:\n  - dma: -1 is none."},
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
		{"over several lines", "Starts it.\n@param dma The context,\n           which must run.\n@param src_buf\n    The source.", `
Copy starts it.

Parameters:
  - dma: the context, which must run.
  - srcBuf: the source.`},
		{"with a list", "Starts it.\n@param dma One of:\n - a: the first.\n - b: the second.\n@param src_buf The source", `
Copy starts it.

Parameters:
  - dma: one of: a: the first; b: the second.
  - srcBuf: the source.`},
		{"two names", "Starts it.\n@param dma,src_buf must be there", "Copy starts it.\n\nParameters:\n  - dma: must be there.\n  - srcBuf: must be there."},
		{"misspelled", "Starts it.\n@param DMA the context\n@param srcbuff the source", "Copy starts it.\n\nParameters:\n  - dma: the context.\n  - srcBuf: the source."},
		{"directions behind names, and names for commands", "Starts it.\n@param dma [in] the context\n@param src_buf[in]: the source\n@name [in]: its name\n@is_done [in, out] - whether", `
Copy starts it.

Parameters:
  - dma: the context.
  - srcBuf: the source.
  - name: its name.

Results:
  - isDone: whether.`},
		{"of no parameter", "Starts it.\n@param dma the context\n@param attr the attributes", "Copy starts it.\n\nParameters:\n  - dma: the context.\n  - attr: the attributes."},
		{"without a text", "Starts it.\n@param dma\n@param src_buf The source", "Copy starts it.\n\nParameters:\n  - srcBuf: the source."},
		{"behind text", "Starts it. @param dma the context @return DOCA_SUCCESS", "Copy starts it.\n\nParameters:\n  - dma: the context."},
		{"callbacks", "Starts it.\n@param done_cb Called when it has ended.\n@param check_cb Called before.", `
Copy starts it.

Parameters:
  - checkCB: a C function, doca_dma_check_cb_t: called before.

It installs the callbacks that leave these records:
  - [KindCopyDone]: called when it has ended.`},
		{"names in the text", "Starts it from src_buf, unless @a is_done, `len` or #data. The len is a length.", `
Copy starts it from srcBuf, unless isDone, len(data) or data. The len is a length.`},
		{"text behind a blank line", "Starts it.\n@param dma The context.\n\nIt ends later.", "Copy starts it.\n\nIt ends later.\n\nParameters:\n  - dma: the context."},
	})
}

func TestDocErrors(t *testing.T) {
	testDocs(t, []docCase{
		{"items", `Starts it.
@return DOCA_SUCCESS on success, else:
- DOCA_ERROR_NO_MEMORY: there is none
- DOCA_ERROR_BAD_STATE - Too late,
  or too early.`, `
Copy starts it.

Errors:
  - [abi.ErrorNoMemory]: there is none.
  - [abi.ErrorBadState]: too late, or too early.`},
		{"lines", `Starts it.
@return
DOCA_SUCCESS - in case of success.
doca_error code - in case of failure:
DOCA_ERROR_NO_MEMORY - no memory
DOCA_ERROR_BAD_STATE - bad state`, `
Copy starts it.

Errors:
  - [abi.ErrorNoMemory]: no memory.
  - [abi.ErrorBadState]: bad state.`},
		{"one level deeper", "Starts it.\n@return DOCA_SUCCESS on success. Error code otherwise:\n  - DOCA_ERROR_NO_MEMORY\n", "Copy starts it.\n\nErrors:\n  - [abi.ErrorNoMemory]."},
		{"running text", `Starts it.
@return DOCA_SUCCESS on success, DOCA_ERROR_NO_MEMORY if there is none, or DOCA_ERROR_BAD_STATE if it is too late.`, `
Copy starts it.

Errors:
  - [abi.ErrorNoMemory]: if there is none.
  - [abi.ErrorBadState]: if it is too late.`},
		{"success says more", "Starts it.\n@return DOCA_SUCCESS when it can, else:\n- DOCA_ERROR_BAD_STATE: it cannot.", `
Copy starts it.

The error is nil when it can.

Errors:
  - [abi.ErrorBadState]: it cannot.`},
		{"success is something", "Starts it.\n@return DOCA_SUCCESS - the copy is queued.", "Copy starts it.\n\nOn success: the copy is queued."},
		{"always", "Starts it.\n@return DOCA_SUCCESS always.", "Copy starts it.\n\nThe error is nil always."},
		{"nothing but fillers", "Starts it.\n@return DOCA_SUCCESS on success, error code otherwise", "Copy starts it."},
		{"two codes, one reason", "Starts it.\n@return\n- DOCA_ERROR_NO_MEMORY, DOCA_ERROR_BAD_STATE: for a reason.", `
Copy starts it.

Errors:
  - [abi.ErrorNoMemory], [abi.ErrorBadState]: for a reason.`},
		{"marked up", "Starts it.\n@return\n- @ref DOCA_ERROR_NO_MEMORY: none\n- `DOCA_ERROR_BAD_STATE`: late\n- #DOCA_ERROR_INVALID_VALUE: wrong", `
Copy starts it.

Errors:
  - [abi.ErrorNoMemory]: none.
  - [abi.ErrorBadState]: late.
  - [abi.ErrorInvalidValue]: wrong.`},
		{"a code that is not in the headers", "Starts it.\n@return\n- DOCA_ERROR_NEW: what is new.", "Copy starts it.\n\nErrors:\n  - DOCA_ERROR_NEW: what is new."},
		{"retval", "Starts it.\n@retval DOCA_SUCCESS It is done.\n@retval DOCA_ERROR_NO_MEMORY None left.", `
Copy starts it.

On success: it is done.

Errors:
  - [abi.ErrorNoMemory]: none left.`},
		{"behind a blank line", "Starts it.\n@return\n\n- DOCA_ERROR_NO_MEMORY: none.\n\nIt ends later.", `
Copy starts it.

It ends later.

Errors:
  - [abi.ErrorNoMemory]: none.`},
		{"below an item", "Starts it.\n@return\n- DOCA_ERROR_BAD_STATE: it is\n  - stopped, or\n  - idle", "Copy starts it.\n\nErrors:\n  - [abi.ErrorBadState]: it is: stopped, or; idle."},
	})
}

func TestDocNotes(t *testing.T) {
	testDocs(t, []docCase{
		{"note", "Starts it.\n@note Not from a callback", "Copy starts it.\n\nNote: Not from a callback."},
		{"warning and attention", "Starts it.\n@warning Slow.\n@attention Hot.\n@remark Old.", "Copy starts it.\n\nWarning: Slow.\n\nAttention: Hot.\n\nRemark: Old."},
		{"conditions", "Starts it.\n@pre It is idle.\n@post It runs.\n@invariant It is one.", "Copy starts it.\n\nPrecondition: It is idle.\n\nPostcondition: It runs.\n\nInvariant: It is one."},
		{"note with a list", "Starts it.\n@note Not from\n- a callback\n- a signal", "Copy starts it.\n\nNote: Not from:\n  - a callback.\n  - a signal."},
		{"note and text", "Starts it.\n@note Once.\n\nIt ends later.", "Copy starts it.\n\nIt ends later.\n\nNote: Once."},
		{"par", "Starts it.\n@par Threads:\nOne at a time.", "Copy starts it.\n\nThreads: One at a time."},
		{"see", "Starts it.\n@see doca_dma_create(), #doca_buf\n@sa doca_pe_progress.", "Copy starts it.\n\nSee [Create], [common.Buf], [common.PEProgress]."},
		{"copydoc", "@copydoc doca_dma_create", "Copy calls doca_dma_copy.\n\nSee [Create]."},
		{"since", "Starts it.\n@since 2.5", "Copy starts it.\n\nSince DOCA 2.5."},
		{"since with a name", "Starts it.\n@since DOCA 2.5.", "Copy starts it.\n\nSince DOCA 2.5."},
		{"deprecated", "Starts it.\n@deprecated Use doca_dma_create() instead", "Copy starts it.\n\nDeprecated: Use [Create] instead."},
		{"deprecated without a reason", "Starts it.\n@deprecated", "Copy starts it.\n\nDeprecated: DOCA will remove it in a later release."},
		{"of the file", "Starts it.\n@author Somebody\n@version 2\n@date today\n@copyright nobody\n@todo more\n@bug one", `
Copy starts it.

Author: Somebody.

Version: 2.

Date: today.

Copyright: nobody.

To do: more.

Known bug: one.`},
	})
}
