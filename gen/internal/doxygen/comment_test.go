package doxygen

import "testing"

func TestCalls(t *testing.T) {
	testDocs(t, []docCase{
		{"nothing", ``, `Copy calls doca_dma_copy.`},
		{"third person", `@brief Copies a buffer.`, `Copy copies a buffer.`},
		{"imperative", `@brief Copy a buffer`, `Copy copies a buffer.`},
		{"two imperatives", `Allocate and initialize a copy. It must be freed.`, `Copy allocates and initializes a copy. It must be freed.`},
		{"backslash", `\brief Destroy it`, `Copy destroys it.`},
		{"short", `@short Query it.`, `Copy queries it.`},
		{"this function", `This function will create a copy.`, `Copy creates a copy.`},
		{"this method is", `This method is used to make a copy.`, `Copy makes a copy.`},
		{"its own name", `doca_dma_copy() - starts a copy.`, `Copy starts a copy.`},
		{"a noun", `@brief A way to copy.`, `Copy is a way to copy.`},
		{"a noun that looks like a verb", `@brief Number of copies.`, `Copy calls doca_dma_copy: number of copies.`},
		{"a noun that is a verb", `@brief List of all copies.`, `Copy calls doca_dma_copy: list of all copies.`},
		{"no verb we know", `@brief Copying of buffers.`, `Copy calls doca_dma_copy: copying of buffers.`},
		{"an acronym", `@brief DMA of a buffer.`, `Copy calls doca_dma_copy: DMA of a buffer.`},
		{"no brief", "Starts a copy.\n\nIt ends later.", "Copy starts a copy.\n\nIt ends later."},
		{"over two lines", "@brief Starts a copy\n  of a buffer.\n\nIt ends later.\nMuch later.", "Copy starts a copy of a buffer.\n\nIt ends later. Much later."},
		{"brief on the next line", "@brief\nStarts a copy.", "Copy starts a copy."},
		{"brief with a list", "@brief Starts:\n- a copy\n- another\n\nThat is all.", "Copy starts:\n  - a copy.\n  - another.\n\nThat is all."},
		{"details", "@brief Starts it.\n@details It ends later.", "Copy starts it.\n\nIt ends later."},
		{"details before the brief", "@details It ends later.\n@brief Starts it.", "Copy starts it.\n\nIt ends later."},
		{"abbreviations", `Starts it, e.g. at once, i.e. now.`, `Copy starts it, for example at once, that is, now.`},
		{"self", `Starts it. Call doca_dma_copy() again.`, `Copy starts it. Call Copy again.`},
	})
}

func TestNotes(t *testing.T) {
	testDocs(t, []docCase{
		{"note", "Starts it.\n@note Not from a callback", "Copy starts it.\n\nNote: Not from a callback."},
		{"warning and attention", "Starts it.\n@warning Slow.\n@attention Hot.\n@remark Old.", "Copy starts it.\n\nWarning: Slow.\n\nAttention: Hot.\n\nRemark: Old."},
		{"conditions", "Starts it.\n@pre It is idle.\n@post It runs.\n@invariant It is one.", "Copy starts it.\n\nPrecondition: It is idle.\n\nPostcondition: It runs.\n\nInvariant: It is one."},
		{"note with a list", "Starts it.\n@note Not from\n- a callback\n- a signal", "Copy starts it.\n\nNote: Not from:\n  - a callback.\n  - a signal."},
		{"note and text", "Starts it.\n@note Once.\n\nIt ends later.", "Copy starts it.\n\nNote: Once.\n\nIt ends later."},
		{"par", "Starts it.\n@par Threads:\nOne at a time.", "Copy starts it.\n\nThreads: One at a time."},
		{"see", "Starts it.\n@see doca_dma_create(), #doca_buf\n@sa doca_pe_progress.", "Copy starts it.\n\nSee [Create], [common.Buf], [common.PEProgress]."},
		{"copydoc", "@copydoc doca_dma_create", "Copy calls doca_dma_copy.\n\nSee [Create]."},
		{"since", "Starts it.\n@since 2.5", "Copy starts it.\n\nSince DOCA 2.5."},
		{"since with a name", "Starts it.\n@since DOCA 2.5.", "Copy starts it.\n\nSince DOCA 2.5."},
		{"deprecated", "Starts it.\n@deprecated Use doca_dma_create() instead", "Copy starts it.\n\nDeprecated: Use [Create] instead."},
		{"deprecated without a reason", "Starts it.\n@deprecated", "Copy starts it.\n\nDeprecated: DOCA may remove it in a later release."},
		{"of the file", "Starts it.\n@author Somebody\n@version 2\n@date today\n@copyright nobody\n@todo more\n@bug one", `
Copy starts it.

Author: Somebody.

Version: 2.

Date: Today.

Copyright: Nobody.

To do: More.

Known bug: One.`},
	})
}
