package doca

import (
	"runtime"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// InterfaceIndex returns the kernel's index of the representor's network interface, as in
// [net.Interface]. It returns ErrNotSupported before DOCA 3.2, and a [*StateError] if the representor
// is closed. Any goroutine may call it. Calls doca_devinfo_rep_get_iface_index.
func (r *Representor) InterfaceIndex() (int, error) {
	n, err := representorProperty(r, "read interface index", common.DevinfoRepGetIfaceIndex)
	return int(n), err
}

// Port returns the representor's port of the RDMA device, from 1. It returns ErrNotSupported before
// DOCA 3.2, and a [*StateError] if the representor is closed. Any goroutine may call it. Calls
// doca_devinfo_rep_get_ib_port.
func (r *Representor) Port() (uint16, error) {
	return representorProperty(r, "read port", common.DevinfoRepGetIbPort)
}

// HostIndex returns which host the represented function belongs to, from 0: some cards have several.
// It returns ErrNotSupported before DOCA 3.2, and a [*StateError] if the representor is closed. Any
// goroutine may call it. Calls doca_devinfo_rep_get_host_index.
func (r *Representor) HostIndex() (uint32, error) {
	return representorProperty(r, "read host index", common.DevinfoRepGetHostIndex)
}

// PFIndex returns the number of the physical function that the represented function is, or belongs
// to. It returns ErrNotSupported before DOCA 3.2, and a [*StateError] if the representor is closed.
// Any goroutine may call it. Calls doca_devinfo_rep_get_pf_index.
func (r *Representor) PFIndex() (uint32, error) {
	return representorProperty(r, "read PF index", common.DevinfoRepGetPFIndex)
}

// VFIndex returns the number of the virtual function that is represented. It returns ErrDriver for
// other functions, ErrNotSupported before DOCA 3.2, and a [*StateError] if the representor is closed.
// Any goroutine may call it. Calls doca_devinfo_rep_get_vf_index.
func (r *Representor) VFIndex() (uint32, error) {
	return representorProperty(r, "read VF index", common.DevinfoRepGetVFIndex)
}

// SFNumber returns the number that the represented scalable function was created with, which is not
// its index on the auxiliary bus ([DeviceInfo.SFIndex]). It returns ErrDriver for other functions,
// ErrNotSupported before DOCA 3.2, and a [*StateError] if the representor is closed. Any goroutine
// may call it. Calls doca_devinfo_rep_get_sf_index.
func (r *Representor) SFNumber() (uint32, error) {
	return representorProperty(r, "read SF number", common.DevinfoRepGetSFIndex)
}

// TotalVFs returns how many virtual functions the represented physical function supports. It returns
// ErrNotPermitted for a virtual function and one that is plugged in at run time, ErrNotSupported
// before DOCA 3.2, and a [*StateError] if the representor is closed. Any goroutine may call it. Calls
// doca_devinfo_rep_get_total_vfs.
func (r *Representor) TotalVFs() (uint32, error) {
	return representorProperty(r, "read number of VFs", common.DevinfoRepGetTotalVfs)
}

// PFVUID returns the unique identifier of the physical function that the represented function is, or
// belongs to. It stays the same when the machine is started again. It returns ErrNotSupported before
// DOCA 3.2, and a [*StateError] if the representor is closed. Any goroutine may call it. Calls
// doca_devinfo_rep_get_pf_vuid.
func (r *Representor) PFVUID() (string, error) {
	return representorProperty(r, "read PF VUID", common.DevinfoRepGetPFVUID)
}

// DataDirect returns the PCI address of the function through which the represented function has direct
// access to data, dddd:bb:dd.f. It returns ErrNotFound if there is none, ErrNotSupported before DOCA
// 3.2, and a [*StateError] if the representor is closed. Any goroutine may call it. Calls
// doca_devinfo_rep_get_data_direct_pci_dev.
func (r *Representor) DataDirect() (string, error) {
	return representorProperty(r, "find data-direct function", common.DevinfoRepGetDataDirectPCIDev)
}

func representorProperty[T any](r *Representor, op string, get func(*common.DevinfoRep) (T, error)) (v T, err error) {
	err = core.Or(r, core.NoRepresentor).WithDevinfo(op, func(raw *common.DevinfoRep) (err error) {
		v, err = get(raw)
		return err
	})
	runtime.KeepAlive(r)
	return v, err
}
