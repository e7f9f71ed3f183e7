package bind_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/generated/abi"
)

// An inbox can be freed whatever its Init has returned: a Destroy function does so after a Create that has failed.
func TestInboxWithoutMemory(t *testing.T) {
	inbox, err := abi.Alloc[abi.Inbox](1)
	require.NoError(t, err)
	defer abi.Free(inbox)
	inbox[0].Free()
	for _, wanted := range []struct {
		n          int
		size, room uintptr
	}{{n: math.MaxInt, size: 64}, {n: 1 << 31, size: 1 << 30}, {n: 1, size: 1 << 32}, {n: 1, room: math.MaxUint32 - 8}, {n: 1, size: math.MaxUint, room: 64}} {
		require.ErrorIs(t, inbox[0].Init(wanted.n, wanted.size, wanted.room), abi.ErrorNoMemory, "%+v", wanted)
		inbox[0].Free()
	}
	require.NoError(t, inbox[0].Init(3, 64, 8))
	inbox[0].Free()
	inbox[0].Free()
}

func TestAllocNegative(t *testing.T) {
	_, err := abi.Alloc[uint64](-1)
	require.ErrorIs(t, err, abi.ErrorInvalidValue)
	values, err := abi.MakeCSlice[uint64](-1)
	require.ErrorIs(t, err, abi.ErrorInvalidValue)
	assert.Zero(t, values.Len())
	values.Free()
}
