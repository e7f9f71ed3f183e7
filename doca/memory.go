package doca

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// MemoryConfig says which devices may use a memory and how.
type MemoryConfig struct {
	Devices []*Device // at least one
	Access  Access    // 0 is AccessLocalReadWrite
}

// Memory is a range of memory that devices can reach, a DOCA memory map: of this process
// (NewMemory, RegisterMemory) or of another one (ImportMemory). Closing any of its devices
// closes it; it owns the buffers made on it. It may be used from any goroutine.
//
// When Close has returned without an error no device of any process writes to the memory any
// more. On the emulator it is ErrInUse, after five seconds, if another process that imported
// the memory is stopped (SIGSTOP) in the middle of a write to it: the memory stays registered
// and mapped until a later Close, when that process goes on or is killed, succeeds.
type Memory struct {
	object
	memoryInner
	devs []*Device // keeps their handles as long as this one
}

type memoryInner = core.Inner[core.Memory]

// NewMemory allocates size bytes (at least 1) of zeroed memory outside the Go heap, at
// the start of a page, and registers it with the devices. Stands on doca_mmap_create,
// doca_mmap_set_memrange and doca_mmap_start.
func NewMemory(size int, cfg MemoryConfig) (*Memory, error) {
	if size <= 0 {
		return nil, fail("create memory", fmt.Sprintf("%d bytes", size), ErrInvalidValue, "the size must be positive")
	}
	page := os.Getpagesize()
	full := (size + page - 1) / page * page
	if full < size {
		return nil, fail("create memory", fmt.Sprintf("%d bytes", size), ErrTooBig, "")
	}
	data, err := syscall.Mmap(-1, 0, full, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fail("create memory", fmt.Sprintf("%d bytes", size), fmt.Errorf("%w: %w", ErrNoMemory, err), "")
	}
	return newMemory(data[:size:size], cfg, func() error { return syscall.Munmap(data) })
}

// RegisterMemory registers memory of the caller's with the devices. Memory of the Go
// heap is pinned until Close. Memory from elsewhere, such as mmap(2), must stay mapped
// until then. The slice must not be empty. Stands on doca_mmap_create,
// doca_mmap_set_memrange and doca_mmap_start.
func RegisterMemory(data []byte, cfg MemoryConfig) (*Memory, error) {
	if len(data) == 0 {
		return nil, fail("register memory", "", ErrInvalidValue, "the slice is empty")
	}
	pin := new(runtime.Pinner)
	pin.Pin(unsafe.SliceData(data))
	return newMemory(data, cfg, func() error { pin.Unpin(); return nil })
}

func newMemory(data []byte, cfg MemoryConfig, free func() error) (*Memory, error) {
	var devs []*core.Device
	for _, d := range cfg.Devices {
		if in := core.Of(d); in != nil {
			devs = append(devs, in)
		}
	}
	in, err := core.NewMemory(data, devs, cfg.Access.mask(), free)
	if err != nil {
		return nil, err
	}
	m := &Memory{devs: slices.Clone(cfg.Devices)}
	core.Adopt(m, in.Node, in)
	return m, nil
}

// Bytes returns the memory. The slice must not be used after Close, nor while a device
// writes to the part that is looked at. A closed memory gives nil, and so does an
// imported one, which only devices can reach.
func (m *Memory) Bytes() []byte { return core.Of(m).Bytes() }

// Len returns the size in bytes; 0 if the memory is closed.
func (m *Memory) Len() int { return core.Of(m).Len() }

// Address returns where the memory begins: for an imported one in the exporter's process.
func (m *Memory) Address() uintptr { return core.Of(m).Address() }
