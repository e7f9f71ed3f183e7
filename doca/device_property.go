package doca

import (
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// FunctionType returns what kind of PCI function the device is. It returns ErrNotSupported before
// DOCA 3.1. Any goroutine may call it. Calls doca_devinfo_get_pci_func_type.
func (i DeviceInfo) FunctionType() (PCIFunctionType, error) {
	t, err := deviceProperty(i, "read function type", common.DevinfoGetPCIFuncType)
	return PCIFunctionType(t), err
}

// SFIndex returns the index of a scalable function on the auxiliary bus: the N of mlx5_core.sf.N,
// which is not the number that it was created with ([Representor.SFNumber]). It returns
// ErrNotSupported for other functions, and before DOCA 3.1. Any goroutine may call it. Calls
// doca_devinfo_get_sf_index.
func (i DeviceInfo) SFIndex() (uint32, error) {
	return deviceProperty(i, "read SF index", common.DevinfoGetSFIndex)
}

// UplinkPort returns the port of the RDMA device that is the uplink of a physical function, from 1; for
// other functions it is 1. It returns ErrNotSupported before DOCA 3.2. Any goroutine may call it.
// Calls doca_devinfo_get_uplink_ib_port.
func (i DeviceInfo) UplinkPort() (uint16, error) {
	return deviceProperty(i, "read uplink port", common.DevinfoGetUplinkIbPort)
}

// InterfaceIndex returns the kernel's index of the device's network interface, as in [net.Interface];
// of a physical function, that of its uplink. It returns ErrNotSupported before DOCA 3.2. Any
// goroutine may call it. Calls doca_devinfo_get_iface_index.
func (i DeviceInfo) InterfaceIndex() (int, error) {
	n, err := deviceProperty(i, "read interface index", common.DevinfoGetIfaceIndex)
	return int(n), err
}

// DataDirect returns the PCI address of the function through which the device has direct access to
// data, dddd:bb:dd.f. It returns ErrNotFound if there is none, and ErrNotSupported before DOCA 3.2.
// Any goroutine may call it. Calls doca_devinfo_get_data_direct_pci_dev.
func (i DeviceInfo) DataDirect() (string, error) {
	return deviceProperty(i, "find data-direct function", common.DevinfoGetDataDirectPCIDev)
}

// MaxExportToken returns the greatest length of MemoryConfig.ExportToken in bytes. It returns
// ErrNotSupported if the device takes no tokens, and before DOCA 3.2. Any goroutine may call it. Calls
// doca_mmap_cap_get_max_export_access_token_size.
func (i DeviceInfo) MaxExportToken() (int, error) {
	n, err := deviceProperty(i, "read token size", common.MmapCapGetMaxExportAccessTokenSize)
	return int(n), err
}

// deviceProperty asks DOCA for what a DeviceInfo has no field for. The device need not be open.
func deviceProperty[T any](i DeviceInfo, op string, get func(*common.Devinfo) (T, error)) (v T, err error) {
	err = core.WithDevinfo(i.PCIAddr, i.Ibdev, i.String(), func(raw *common.Devinfo) (err error) {
		v, err = get(raw)
		return fail(op, "device "+i.String(), err, "")
	})
	return v, err
}
