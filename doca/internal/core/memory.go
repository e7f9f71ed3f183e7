package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Memory is a DOCA memory map, of memory of this process or imported.
type Memory struct {
	Node *Node
	raw  *common.Mmap
	mu   sync.Mutex // DOCA counts a map's buffers without a lock
	// The range. start is no pointer, because for imported memory it is an address of another
	// process. Memory of this process is kept by data, and unpinned or unmapped by free.
	start      uintptr
	size       int
	data       []byte
	imported   bool
	readOnly   atomic.Bool // devices must not write, as far as is known
	devs       []*Device
	free       func() error          // gives the memory back
	stocks     []*stock              // what contexts keep on it; guarded by mu
	stock      atomic.Pointer[stock] // one of them, which its context finds without a look into a map
	desc       []byte                // what an imported memory was imported from
	destroying chan error            // of a doca_mmap_destroy that goes on; guarded by mu
	asked      *question             // that has no answer yet; guarded by mu
	silent     atomic.Bool           // a question was not answered in time
}

// NewMemory registers data with the devices. permissions are DOCA's bits, or nil for DOCA's
// default, and token that of its exports, or empty. free is called when the memory is closed or could not be registered.
func NewMemory(data []byte, devs []*Device, permissions *uint32, token []byte, free func() error) (*Memory, error) {
	m := &Memory{start: uintptr(unsafe.Pointer(unsafe.SliceData(data))), size: len(data), data: data, free: free}
	m.readOnly.Store(permissions != nil && *permissions&writeFlags == 0)
	var parents []*Node
	for _, d := range devs {
		if !slices.Contains(m.devs, d) {
			m.devs = append(m.devs, d)
			parents = append(parents, d.Node)
		}
	}
	if len(m.devs) == 0 {
		return nil, errors.Join(Fail("create memory", "", abi.ErrorInvalidValue, "MemoryConfig.Devices names no device"), free())
	}
	n, err := newNode(rankMemory, "memory", fmt.Sprintf("%d bytes", len(data)), parents...)
	if err != nil {
		return nil, errors.Join(err, free())
	}
	m.Node = n
	if err := m.register(permissions, token); err != nil {
		return nil, errors.Join(n.Fail("create", err, ""), n.undo(m.close))
	}
	n.commit(m.close)
	return m, nil
}

// writeFlags are the permissions that include local write access.
const writeFlags = uint32(common.AccessFlagLocalReadWrite | common.AccessFlagRDMAWrite | common.AccessFlagRDMAAtomic | common.AccessFlagPCIReadWrite)

// remoteWriteFlags are those that let an importer write.
const remoteWriteFlags = uint32(common.AccessFlagRDMAWrite | common.AccessFlagRDMAAtomic | common.AccessFlagPCIReadWrite)

func (m *Memory) register(permissions *uint32, token []byte) error {
	var err error
	if m.raw, err = common.MmapCreate(); err != nil {
		return err
	}
	return m.configure(permissions, token)
}

func (m *Memory) configure(permissions *uint32, token []byte) error {
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
		if len(token) == 0 {
			continue
		}
		if err := common.MmapSetExportAccessToken(m.raw, raw, token); err != nil {
			return err
		}
	}
	if permissions != nil {
		if err := common.MmapSetPermissions(m.raw, *permissions); err != nil {
			return err
		}
	}
	if err := common.MmapSetMemrange(m.raw, unsafe.Pointer(unsafe.SliceData(m.data)), uint64(m.size)); err != nil {
		return err
	}
	return common.MmapStart(nil, m.raw)
}

// close waits until no operation uses ranges of the memory, and destroys the memory map. No buffer
// of the program on it is left.
func (m *Memory) close(ctx context.Context) error {
	if err := m.retire(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.raw != nil {
		if err := m.destroy(ctx); err != nil { // this stops the map first
			advice := ""
			if errors.Is(err, abi.ErrorInUse) {
				advice = "a process that has imported it is stopped in the middle of a write: continue or kill that process, then call Close again; DOCA's log names it"
			}
			return m.Node.Fail("close", err, advice)
		}
		m.raw = nil
		m.forgetImport()
	}
	return m.Node.Fail("close", m.free(), "")
}

// takeBack gives a buffer back to its inventory, whose lock is held.
func (m *Memory) takeBack(buf *common.Buf) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := common.BufDecRefcount(buf)
	return err
}

// reaches reports whether the memory is registered with a device.
func (m *Memory) reaches(dev *Device) bool {
	for _, d := range m.devs {
		if d.raw == dev.raw {
			return true
		}
	}
	return false
}

// usable returns an error if the device of a context cannot reach the memory, or must not write to
// it. what is the object to name: the memory, or a buffer on it.
func (m *Memory) usable(c *Link, op string, what *Node, write bool) error {
	if write && m.readOnly.Load() {
		advice := "it is written to, and its memory is read-only for devices: give the memory AccessLocalReadWrite in MemoryConfig.Access"
		if m.imported {
			advice = "it is written to, and its exporter allows to read it only, as SetAccess has said"
		}
		return Fail(op, what.String(), abi.ErrorNotPermitted, advice)
	}
	if m.reaches(c.dev) {
		return nil
	}
	on := "on memory that is "
	if what == m.Node {
		on = ""
	}
	return Fail(op, c.String(), abi.ErrorInvalidValue, fmt.Sprintf("%v is %snot registered with the device: name the device in MemoryConfig.Devices", what, on))
}

// SetAccess says what the exporter of an imported memory allows.
func (m *Memory) SetAccess(bits uint32) error {
	if err := m.Node.Open("set access"); err != nil {
		return err
	}
	if !m.imported {
		return m.Node.Fail("set access", abi.ErrorNotPermitted, "it is memory of this process: MemoryConfig.Access has its access")
	}
	m.readOnly.Store(bits&remoteWriteFlags == 0)
	return nil
}

// Key returns the key by which a device knows the memory.
func (m *Memory) Key(dev *Device) (uint32, error) {
	if err := m.Node.Open("read key"); err != nil {
		return 0, err
	}
	if dev == nil {
		return 0, Fail("read key", m.Node.String(), abi.ErrorInvalidValue, "the device is nil or a zero value: open it with OpenDevice")
	}
	if !m.reaches(dev) {
		return 0, Fail("read key", m.Node.String(), abi.ErrorInvalidValue, "it is not registered with the device: name it in MemoryConfig.Devices")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.Node.Open("read key"); err != nil {
		return 0, err
	}
	key, err := common.MmapGetMkey(m.raw, dev.raw)
	return key, Fail("read key", m.Node.String(), err, "")
}

// Bytes returns the memory, or nil if it is closed or imported.
func (m *Memory) Bytes() []byte {
	if m.Node.Open("use") != nil {
		return nil
	}
	return m.data
}

// Len returns the size in bytes, or 0 if the memory is closed.
func (m *Memory) Len() int {
	if m.Node.Open("use") != nil {
		return 0
	}
	return m.size
}

// Address returns where the memory begins, for an imported memory in the exporter's
// process.
func (m *Memory) Address() uintptr { return m.start }

// Raw returns DOCA's object.
func (m *Memory) Raw() (*common.Mmap, error) {
	if err := m.Node.Open("use"); err != nil {
		return nil, err
	}
	return m.raw, nil
}
