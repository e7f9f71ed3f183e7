package doxygen

import "testing"

func TestStatus(t *testing.T) {
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
		{"always", "Starts it.\n@return DOCA_SUCCESS always.", "Copy starts it.\n\nThe error is always nil."},
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
