package doca

import (
	"runtime"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// ExportPCI exports the memory through one of its devices to a process at the other end of
// the PCI bus, host or DPU. It returns a descriptor of at most 512 bytes. Send it there by
// any means, such as a message of package comch, and pass it to [ImportMemory]. Until
// Close, whoever has the descriptor can use the memory as far as its [Access] allows.
//
// ExportPCI returns ErrNotPermitted if the memory is imported or has neither
// AccessPCIReadOnly nor AccessPCIReadWrite, and ErrNotFound if it is not registered with
// the device. Calls doca_mmap_export_pci.
func (m *Memory) ExportPCI(dev *Device) ([]byte, error) {
	desc, err := core.Or(m, core.NoMemory).ExportPCI(core.Of(dev))
	runtime.KeepAlive(dev)
	runtime.KeepAlive(m)
	return desc, err
}

// ExportRDMA exports the memory to processes that reach it through RDMA. It works as
// [Memory.ExportPCI] does, except that an imported memory may be exported again. It returns
// ErrNotPermitted if the memory has no RDMA access. Calls doca_mmap_export_rdma.
func (m *Memory) ExportRDMA(dev *Device) ([]byte, error) {
	desc, err := core.Or(m, core.NoMemory).ExportRDMA(core.Of(dev))
	runtime.KeepAlive(dev)
	runtime.KeepAlive(m)
	return desc, err
}

// ImportMemory makes a memory of what another process has exported, for the use of one
// device. Across PCI, dev is the device at the other end of the exporter's; for RDMA it is
// any device. Copies can read from memory that ExportPCI has exported, and write to it if the
// exporter allows that, with AccessPCIReadWrite. What ExportRDMA has exported is for package rdma
// alone: a copy of it fails on the device. DOCA does not tell an importer what the exporter allows, so
// unless the program says it with [Memory.SetAccess], a copy that writes to read-only memory is not
// refused: it fails on the device, which stops the context with all of its copies. This process cannot
// access the memory, so Bytes returns nil; Address and Len return the range. When the exporter closes
// the memory or ends, operations that use it fail with ErrIOFailed. Close it then as well.
//
// ImportMemory returns ErrInvalidValue if the descriptor is damaged or its export has
// ended, ErrNotPermitted if dev is the wrong device, and ErrUnsupportedVersion if the
// exporter's emulator is of another version. On the emulator it waits up to 10 seconds for an exporter
// that is stopped (SIGSTOP), and then returns ErrDriver. Calls doca_mmap_create_from_export.
func ImportMemory(dev *Device, descriptor []byte) (*Memory, error) {
	in, err := core.ImportMemory(core.Of(dev), descriptor)
	if err != nil {
		return nil, err
	}
	m := new(Memory)
	core.Adopt(m, in.Node, in)
	core.Keep(m, dev)
	return m, nil
}
