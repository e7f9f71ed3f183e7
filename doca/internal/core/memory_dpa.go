package core

import (
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// NewDPAMemory makes a memory of a range of DPA memory, which set gives to the map. For the processor it is like memory of another
// process. DOCA takes no device for such a map: the DPA's reaches it.
func NewDPAMemory(parent Owner, dev *Device, start uintptr, size int, permissions *uint32, set func(*common.Mmap) error) (*Memory, error) {
	m := &Memory{imported: true, start: start, size: size, devs: []*Device{dev}, free: func() error { return nil }}
	m.readOnly.Store(permissions != nil && *permissions&writeFlags == 0)
	n, err := newNode(rankMemory, "memory", fmt.Sprintf("%d bytes of a DPA", size), ownerNode(parent), dev.Node)
	if err != nil {
		return nil, err
	}
	m.Node = n
	if err := m.mapDPA(permissions, set); err != nil {
		return nil, errors.Join(n.Fail("create", err, ""), n.undo(m.close))
	}
	n.commit(m.close)
	return m, nil
}

func (m *Memory) mapDPA(permissions *uint32, set func(*common.Mmap) error) (err error) {
	if m.raw, err = common.MmapCreate(); err != nil {
		return err
	}
	if err = set(m.raw); err == nil && permissions != nil {
		err = common.MmapSetPermissions(m.raw, *permissions)
	}
	if err != nil {
		return err
	}
	return common.MmapStart(nil, m.raw)
}

// Use calls f with the memory map and a device that reaches it. Neither is closed during the call.
func (m *Memory) Use(op string, dev *Device, f func(*common.Mmap, *common.Dev) error) error {
	if err := m.Node.Open(op); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.raw == nil || m.Node.Open(op) != nil { // being closed
		return m.Node.closedError(op)
	}
	if !m.reaches(dev) { // so dev is open
		return m.Node.Fail(op, abi.ErrorNotFound, "it is not registered with "+dev.Node.String()+": name the device in MemoryConfig.Devices")
	}
	return f(m.raw, dev.raw)
}
