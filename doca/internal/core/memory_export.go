package core

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// ExportPCI exports the memory to the process at the other end of the PCI bus.
func (m *Memory) ExportPCI(dev *Device) ([]byte, error) {
	return m.export("export across PCI", dev, common.MmapExportPCI,
		"the memory must be of this process, with AccessPCIReadOnly or AccessPCIReadWrite")
}

// ExportRDMA exports the memory to processes that reach it through RDMA.
func (m *Memory) ExportRDMA(dev *Device) ([]byte, error) {
	return m.export("export for RDMA", dev, common.MmapExportRDMA,
		"the memory needs AccessRDMARead, AccessRDMAWrite or AccessRDMAAtomic")
}

func (m *Memory) export(op string, dev *Device, export func(*common.Mmap, *common.Dev) ([]byte, error), permission string) ([]byte, error) {
	if err := m.Node.Open(op); err != nil {
		return nil, err
	}
	if dev == nil {
		return nil, m.Node.Fail(op, abi.ErrorInvalidValue, "the device is nil")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.Node.Open(op); err != nil {
		return nil, err
	}
	if m.raw == nil { // being closed
		return nil, m.Node.closedError(op)
	}
	if !m.reaches(dev) { // so dev is open
		return nil, m.Node.Fail(op, abi.ErrorNotFound, fmt.Sprintf("it is not registered with %v", dev.Node))
	}
	desc, err := export(m.raw, dev.raw)
	if err != nil {
		advice := ""
		if errors.Is(err, abi.ErrorNotPermitted) {
			advice = permission
		}
		return nil, m.Node.Fail(op, err, advice)
	}
	return bytes.Clone(desc), nil // DOCA's own bytes live as long as the export
}

// ImportMemory makes a memory of what another process has exported.
func ImportMemory(dev *Device, descriptor []byte) (*Memory, error) {
	const op = "import memory"
	if dev == nil {
		return nil, Fail(op, "", abi.ErrorInvalidValue, "the device is nil")
	}
	if len(descriptor) == 0 {
		return nil, Fail(op, "", abi.ErrorInvalidValue, "the descriptor is empty")
	}
	m := &Memory{imported: true, desc: bytes.Clone(descriptor), devs: []*Device{dev}, free: func() error { return nil }}
	n, err := newNode(rankMemory, "memory", fmt.Sprintf("imported through %s", dev.PCIAddr), dev.Node)
	if err != nil {
		return nil, err
	}
	m.Node = n
	if err := m.fromExport(descriptor); err != nil {
		advice := ""
		switch {
		case errors.Is(err, abi.ErrorInvalidValue):
			advice = "the descriptor is damaged, or its export has ended"
		case errors.Is(err, abi.ErrorUnsupportedVersion):
			advice = "the exporting process has another version of DOCA or of the emulator, and DOCA's log names both: build both programs with the same release"
		case errors.Is(err, abi.ErrorNotPermitted):
			advice = "use the device at the other end of the exporter's, and run both processes as the same user"
		case errors.Is(err, abi.ErrorNotSupported):
			advice = "this device cannot import memory"
		}
		return nil, errors.Join(n.Fail(op, err, advice), n.undo(m.close))
	}
	m.rememberImport()
	n.commit(m.close)
	return m, nil
}

func (m *Memory) fromExport(descriptor []byte) error {
	var err error
	if m.raw, err = common.MmapCreateFromExport(0, descriptor, m.devs[0].raw); err != nil {
		return err
	}
	start, size, err := common.MmapGetMemrange(m.raw)
	m.start, m.size = start, int(size)
	return err
}
