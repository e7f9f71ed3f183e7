package doca

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/go-doca/go-doca/generated/common"
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
	m    *memory
	devs []*Device // keeps their handles as long as this one
}

type memory struct {
	node *node
	raw  *common.Mmap
	mu   sync.Mutex // DOCA counts a map's buffers without a lock
	// The range. Imported memory has addresses of the exporter's process and no data: start is no
	// pointer, which the garbage collector would look at. It is data that keeps own memory, and free
	// that ends its pinning.
	start    uintptr
	size     int
	data     []byte
	imported bool
	devs     []*device
	free     func() error // gives the memory back
}

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
	m := &memory{start: uintptr(unsafe.Pointer(unsafe.SliceData(data))), size: len(data), data: data, free: free}
	var parents []*node
	for _, d := range cfg.Devices {
		if d != nil && !slices.Contains(m.devs, d.d) {
			m.devs = append(m.devs, d.d)
			parents = append(parents, d.n)
		}
	}
	if len(m.devs) == 0 {
		return nil, errors.Join(fail("create memory", "", ErrInvalidValue, "MemoryConfig.Devices names no device"), free())
	}
	n, err := newNode(rankMemory, "memory", text("%d bytes", len(data)), parents...)
	if err != nil {
		return nil, errors.Join(err, free())
	}
	m.node = n
	if err := m.register(cfg.Access); err != nil {
		n.abandon()
		return nil, errors.Join(fail("create", n.String(), err, ""), free())
	}
	n.commit(m.close)
	return guard(&Memory{object: object{n}, m: m, devs: slices.Clone(cfg.Devices)}, n), nil
}

func (m *memory) register(access Access) error {
	var err error
	if m.raw, err = common.MmapCreate(); err != nil {
		return err
	}
	if err = m.configure(access); err != nil {
		return errors.Join(err, common.MmapDestroy(nil, m.raw))
	}
	return nil
}

func (m *memory) configure(access Access) error {
	var added []*common.Dev // a device opened twice is one device to DOCA
	for _, d := range m.devs {
		if !slices.Contains(added, d.raw) {
			added = append(added, d.raw)
		}
	}
	if len(added) > 1 {
		if err := common.MmapSetMaxNumDevices(m.raw, uint32(len(added))); err != nil {
			return err
		}
	}
	for _, raw := range added {
		if err := common.MmapAddDev(m.raw, raw); err != nil {
			return err
		}
	}
	if access != 0 {
		if err := common.MmapSetPermissions(m.raw, access.mask()); err != nil {
			return err
		}
	}
	if err := common.MmapSetMemrange(m.raw, unsafe.Pointer(unsafe.SliceData(m.data)), uint64(m.size)); err != nil {
		return err
	}
	return common.MmapStart(nil, m.raw)
}

// close runs when no buffer is left.
func (m *memory) close(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.raw != nil {
		if err := common.MmapDestroy(nil, m.raw); err != nil { // it stops the map first
			advice := ""
			if errors.Is(err, ErrInUse) {
				advice = "a process that has imported it is stopped while it writes: continue or end that one, and close again"
			}
			return fail("close", m.node.String(), err, advice)
		}
		m.raw = nil
	}
	return fail("close", m.node.String(), m.free(), "")
}

// reaches tells whether the memory is registered with a device.
func (m *memory) reaches(dev *device) bool {
	return slices.ContainsFunc(m.devs, func(d *device) bool { return d.raw == dev.raw })
}

// Bytes returns the memory. The slice must not be used after Close, nor while a device
// writes to the part that is looked at. A closed memory gives nil, and so does an
// imported one, which only devices can reach.
func (m *Memory) Bytes() []byte {
	if m.n.open("use") != nil {
		return nil
	}
	return m.m.data
}

// Len returns the size in bytes; 0 if the memory is closed.
func (m *Memory) Len() int {
	if m.n.open("use") != nil {
		return 0
	}
	return m.m.size
}

// Address returns where the memory begins: for an imported one in the exporter's process.
func (m *Memory) Address() uintptr { return m.m.start }

// Raw returns DOCA's own object, for packages that bind further libraries. It is valid
// until Close. A closed memory is a [*StateError].
func (m *Memory) Raw() (*common.Mmap, error) {
	if err := m.n.open("use"); err != nil {
		return nil, err
	}
	return m.m.raw, nil
}
