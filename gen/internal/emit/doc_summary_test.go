package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDocSummary(t *testing.T) {
	testDocs(t, []docCase{
		{"nothing", ``, `Copy calls doca_dma_copy.`},
		{"third person", `@brief Copies a buffer.`, `Copy copies a buffer.`},
		{"imperative", `@brief Copy a buffer`, `Copy copies a buffer.`},
		{"two imperatives", `Allocate and initialize a copy. It must be freed.`, `Copy allocates and initializes a copy. It must be freed.`},
		{"backslash", `\brief Destroy it`, `Copy destroys it.`},
		{"short", `@short Query it.`, `Copy queries it.`},
		{"this function", `This function will create a copy.`, `Copy creates a copy.`},
		{"this method is", `This method is used to make a copy.`, `Copy is used to make a copy.`},
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
		{"abbreviations", `Starts it, e.g. at once, i.e. now.`, `Copy starts it, for example at once, that is now.`},
		{"self", `Starts it. Call doca_dma_copy() again.`, `Copy starts it. Call Copy again.`},
	})
}

func TestPredicate(t *testing.T) {
	t.Parallel()
	for brief, want := range map[string]string{
		"Apply it": "applies it", "Destroy it": "destroys it", "Pass it": "passes it", "Push it": "pushes it", "Fetch it": "fetches it",
		"Undo it": "undoes it", "Setup it": "sets up it", "Is it": "is it", "Gets it": "gets it", "Get/set it": "gets/sets it",
		"Stop, then destroy it": "stops, then destroys it", "The one": "is the one", "Connect or reconnect": "connects or reconnects",
	} {
		have, ok := predicate(brief)
		assert.True(t, ok, brief)
		assert.Equal(t, want, have)
	}
	for _, brief := range []string{"", "Size of it", "Name of it", "GET it", "42", "doca_x"} {
		have, ok := predicate(brief)
		assert.False(t, ok, brief)
		assert.Empty(t, have)
	}
}

func TestLowerFirst(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Opens it": "opens it", "A thing": "a thing", "DMA is fast": "DMA is fast", "BlueField": "BlueField", "X axis": "X axis",
		"Linux has it": "Linux has it", "InfiniBand": "InfiniBand", "[Buf] is it": "[Buf] is it", "": "", "I": "I", "Q2 it": "Q2 it", "Sf_x": "Sf_x",
	} {
		assert.Equal(t, want, lowerFirst(s))
	}
}
