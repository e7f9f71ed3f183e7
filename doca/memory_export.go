package doca

import (
	"runtime"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// ExportPCI exports the memory to the process at the other end of the PCI bus, between host
// and DPU, through one of its devices. The descriptor that it returns goes to ImportMemory
// there, by whatever way; whoever has it has the memory, as far as its access allows, until
// Close. It has at most 512 bytes. A memory without AccessPCIReadOnly or AccessPCIReadWrite,
// or an imported one, is ErrNotPermitted; a device that it is not registered with is
// ErrNotFound. Stands on doca_mmap_export_pci.
func (m *Memory) ExportPCI(dev *Device) ([]byte, error) {
	desc, err := core.Of(m).ExportPCI(core.Of(dev))
	runtime.KeepAlive(dev)
	runtime.KeepAlive(m)
	return desc, err
}

// ExportRDMA exports the memory to processes that reach it through RDMA, as ExportPCI does
// across PCI. A memory without an RDMA access is ErrNotPermitted; an imported one may be
// exported again. Stands on doca_mmap_export_rdma.
func (m *Memory) ExportRDMA(dev *Device) ([]byte, error) {
	desc, err := core.Of(m).ExportRDMA(core.Of(dev))
	runtime.KeepAlive(dev)
	runtime.KeepAlive(m)
	return desc, err
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
	in, err := core.ImportMemory(core.Of(dev), descriptor)
	if err != nil {
		return nil, err
	}
	m := &Memory{devs: []*Device{dev}}
	core.Adopt(m, in.Node, in)
	return m, nil
}
