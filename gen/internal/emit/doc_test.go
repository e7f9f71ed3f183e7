package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseDoc(t *testing.T) {
	t.Parallel()
	d := parseDoc(`@brief Makes a thing
that lasts.

More about it. See @ref doca_x.

- one
- two
  goes on

@param [in] x the thing
  of theirs
@param [out] n: how many
@return DOCA_SUCCESS on success, else:
- DOCA_ERROR_NO_MEMORY: none left.
- DOCA_ERROR_BAD_STATE: too late,
  or too early.
@note not from a callback
@since 3.0`)
	assert.Equal(t, "Makes a thing that lasts.", d.Brief)
	assert.Contains(t, d.Text, "More about it. See @ref doca_x.")
	assert.Contains(t, d.Text, "  - two goes on")
	assert.Equal(t, []docParam{{"x", "in", "the thing of theirs"}, {"n", "out", "how many"}}, d.Params)
	assert.Equal(t, []string{"DOCA_SUCCESS on success, else:", "  - DOCA_ERROR_NO_MEMORY: none left.", "  - DOCA_ERROR_BAD_STATE: too late, or too early."}, d.Return)
	assert.Equal(t, []string{"not from a callback"}, d.Notes)
	assert.Equal(t, "3.0", d.Since)
}

func TestDocWithoutCommands(t *testing.T) {
	t.Parallel()
	d := parseDoc("A thing.\n\nIt is big.")
	assert.Equal(t, "A thing.", d.Brief)
	assert.Contains(t, d.Text, "It is big.")
	assert.Equal(t, "", parseDoc("").Brief)
	assert.Equal(t, "An unknown @command stays.", parseDoc("An unknown @command stays.").Brief)
}

func TestClean(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "nil, or abi.ErrorNoMemory of doca_x", clean("DOCA_SUCCESS,  or DOCA_ERROR_NO_MEMORY of @ref doca_x"))
	assert.Equal(t, "opens it", lowerFirst("Opens it"))
	assert.Equal(t, "DMA is fast", lowerFirst("DMA is fast"))
}

func TestCommentsWrap(t *testing.T) {
	t.Parallel()
	c := &comment{}
	c.para("One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen")
	c.item("an item")
	for _, line := range []string{c.String()} {
		assert.NotContains(t, line, " \n")
	}
	assert.Equal(t, "// One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen\n// seventeen.\n//   - an item", c.String())
}
