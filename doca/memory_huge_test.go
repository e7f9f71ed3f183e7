package doca_test

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

const hugePage = 2 << 20

// Large memory has huge pages where the system gives them.
func TestNewMemoryHuge(t *testing.T) {
	t.Parallel()
	probe, err := syscall.Mmap(-1, 0, 4*hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	given := syscall.Madvise(probe, syscall.MADV_HUGEPAGE) == nil && doctest.IsHuge(t, probe) // neither on a system without them nor in an emulator of other processors
	require.NoError(t, syscall.Munmap(probe))
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	for _, size := range []int{1, hugePage - os.Getpagesize(), hugePage, hugePage + 1, 5*hugePage - 7} {
		mem := must(doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{dev}}))(t)
		data := mem.Bytes()
		require.Len(t, data, size)
		data[0], data[size-1] = 1, 1
		if size >= hugePage {
			assert.Zero(t, uintptr(unsafe.Pointer(&data[0]))%hugePage, size)
		}
		assert.Equal(t, given && size >= hugePage, doctest.IsHuge(t, data), size)
		check(t, mem.Close())
	}
}
