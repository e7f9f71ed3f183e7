package doca

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"

	"github.com/go-doca/go-doca/generated/common"
)

// ExportPCI exports the memory to the process at the other end of the PCI bus, between host
// and DPU, through one of its devices. The descriptor that it returns goes to ImportMemory
// there, by whatever way; whoever has it has the memory, as far as its access allows, until
// Close. It has at most 512 bytes. A memory without AccessPCIReadOnly or AccessPCIReadWrite,
// or an imported one, is ErrNotPermitted; a device that it is not registered with is
// ErrNotFound. Stands on doca_mmap_export_pci.
func (m *Memory) ExportPCI(dev *Device) ([]byte, error) {
	return m.export("export across PCI", dev, common.MmapExportPCI,
		"the memory must be of this process, with AccessPCIReadOnly or AccessPCIReadWrite")
}

// ExportRDMA exports the memory to processes that reach it through RDMA, as ExportPCI does
// across PCI. A memory without an RDMA access is ErrNotPermitted; an imported one may be
// exported again. Stands on doca_mmap_export_rdma.
func (m *Memory) ExportRDMA(dev *Device) ([]byte, error) {
	return m.export("export for RDMA", dev, common.MmapExportRDMA,
		"the memory needs AccessRDMARead, AccessRDMAWrite or AccessRDMAAtomic")
}

func (m *Memory) export(op string, dev *Device, export func(*common.Mmap, *common.Dev) ([]byte, error), permission string) ([]byte, error) {
	if dev == nil {
		return nil, fail(op, m.String(), ErrInvalidValue, "the device is nil")
	}
	defer runtime.KeepAlive(dev)
	defer runtime.KeepAlive(m)
	m.m.mu.Lock()
	defer m.m.mu.Unlock()
	if err := m.n.open(op); err != nil {
		return nil, err
	}
	if m.m.raw == nil { // being closed
		return nil, m.n.closedError(op)
	}
	if !m.m.reaches(dev.d) { // one that it reaches is open
		return nil, fail(op, m.String(), ErrNotFound, fmt.Sprintf("it is not registered with %v", dev))
	}
	desc, err := export(m.m.raw, dev.d.raw)
	if err != nil {
		advice := ""
		if errors.Is(err, ErrNotPermitted) {
			advice = permission
		}
		return nil, fail(op, m.String(), err, advice)
	}
	return bytes.Clone(desc), nil // DOCA's own lives as long as the export
}

// ImportMemory makes a memory of what another process has exported, for the use of a device:
// across PCI that at the other end of the exporter's, for RDMA any. Buffers on it can be
// copied from, and copied to if the exporter allows that; the process itself cannot access
// it, so Bytes gives nil. When the export ends, or its process does, operations that use the
// memory fail with ErrIOFailed; it must still be closed. Address and Len tell its range.
//
// A descriptor that is no good, or whose export has ended, is ErrInvalidValue; the wrong
// device is ErrNotPermitted. Stands on doca_mmap_create_from_export.
func ImportMemory(dev *Device, descriptor []byte) (*Memory, error) {
	const op = "import memory"
	if dev == nil {
		return nil, fail(op, "", ErrInvalidValue, "the device is nil")
	}
	if len(descriptor) == 0 {
		return nil, fail(op, "", ErrInvalidValue, "the descriptor is empty")
	}
	m := &memory{imported: true, devs: []*device{dev.d}, free: func() error { return nil }}
	n, err := newNode(rankMemory, "memory", text("imported through %s", dev.d.info.PCIAddr), dev.n)
	if err != nil {
		return nil, err
	}
	m.node = n
	if err := m.fromExport(descriptor); err != nil {
		n.abandon()
		advice := ""
		switch {
		case errors.Is(err, ErrInvalidValue):
			advice = "the descriptor is damaged, or its export has ended"
		case errors.Is(err, ErrNotPermitted):
			advice = "use the device at the other end of the exporter's, or one of its user"
		case errors.Is(err, ErrNotSupported):
			advice = "this device cannot import memory"
		}
		return nil, fail(op, n.String(), err, advice)
	}
	n.commit(m.close)
	return guard(&Memory{object: object{n}, m: m, devs: []*Device{dev}}, n), nil
}

func (m *memory) fromExport(descriptor []byte) error {
	raw, err := common.MmapCreateFromExport(0, descriptor, m.devs[0].raw)
	if err != nil {
		return err
	}
	start, size, err := common.MmapGetMemrange(raw)
	if err != nil {
		return errors.Join(err, common.MmapDestroy(nil, raw))
	}
	m.raw, m.start, m.size = raw, start, int(size)
	return nil
}
