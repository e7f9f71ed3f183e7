package bind_test

import (
	"math"
	"os"
	"testing"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Mapped memory is zero, begins with a page, and outlives its registration.
func TestMapPages(t *testing.T) {
	t.Parallel()
	dev, err := doca.OpenDevice("0000:03:00.0")
	require.NoError(t, err)
	defer dev.Close()
	for _, access := range []doca.Access{0, doca.AccessPCIReadWrite} {
		const size = 100_001
		data, free, err := bind.MapPages(size, access)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(data), size)
		assert.Equal(t, make([]byte, len(data)), data)
		assert.Zero(t, uintptr(unsafe.Pointer(&data[0]))%uintptr(os.Getpagesize()))
		mem, err := doca.RegisterMemory(data, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: access})
		require.NoError(t, err)
		data[size-1] = 7
		require.NoError(t, mem.Close())
		assert.Equal(t, byte(7), data[size-1])
		require.NoError(t, free())
	}
	for _, size := range []int{0, -1, math.MaxInt} {
		_, _, err = bind.MapPages(size, 0)
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	_, _, err = bind.MapPages(1<<55, 0)
	require.ErrorIs(t, err, doca.ErrNoMemory)
}
