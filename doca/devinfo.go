package doca

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"

	"github.com/go-doca/go-doca/generated/common"
)

// DeviceInfo describes a device: one local function of a BlueField or ConnectX. It is
// plain data and stays valid. What the device does not have is the zero value.
type DeviceInfo struct {
	PCIAddr    string           // dddd:bb:dd.f
	Ibdev      string           // name of the RDMA device, such as mlx5_0
	Interface  string           // name of the network interface
	MAC        net.HardwareAddr // Ethernet links only
	IPv4       netip.Addr       // invalid if none is assigned
	IPv6       netip.Addr       // invalid if none is assigned
	LID        uint16           // InfiniBand links only
	ActiveRate uint64           // bits per second
	VHCAID     uint16
}

// String returns the PCI address and the names.
func (i DeviceInfo) String() string {
	s := i.PCIAddr
	for _, name := range []string{i.Ibdev, i.Interface} {
		if name != "" {
			s += " " + name
		}
	}
	return s
}

// deviceMu serializes discovery, open and close: DOCA does not say that they may run
// at the same time.
var deviceMu sync.Mutex

// Devices lists the devices of this machine, in DOCA's order. A machine without one
// gives an empty list and no error. It may be called from any goroutine. Stands on
// doca_devinfo_create_list and the doca_devinfo_get_ functions.
func Devices() ([]DeviceInfo, error) {
	var infos []DeviceInfo
	err := eachDevinfo(func(_ *common.Devinfo, info DeviceInfo) (bool, error) {
		infos = append(infos, info)
		return true, nil
	})
	return infos, err
}

// WithDevinfo calls f with DOCA's own description of the device that info describes;
// it is valid during the call only. It is for packages that ask for capabilities. A
// device that is gone is ErrNotFound. Stands on doca_devinfo_create_list.
func WithDevinfo(info DeviceInfo, f func(*common.Devinfo) error) error {
	found := false
	err := eachDevinfo(func(raw *common.Devinfo, i DeviceInfo) (bool, error) {
		if i.PCIAddr != info.PCIAddr || i.Ibdev != info.Ibdev {
			return true, nil
		}
		found = true
		return false, f(raw)
	})
	if err == nil && !found {
		return fail("look up", "device "+info.String(), ErrNotFound, "this machine does not have it, or not any more")
	}
	return err
}

// eachDevinfo calls f for every device until it returns false or an error.
func eachDevinfo(f func(*common.Devinfo, DeviceInfo) (more bool, err error)) error {
	deviceMu.Lock()
	defer deviceMu.Unlock()
	list, err := common.DevinfoCreateList()
	if errors.Is(err, ErrNotFound) { // DOCA's way of saying that there are none
		return nil
	}
	if err != nil {
		return fail("list devices", "", err, "")
	}
	for _, raw := range list {
		var info DeviceInfo
		if info, err = describe(raw); err != nil {
			err = fail("describe device", "", err, "")
			break
		}
		var more bool
		if more, err = f(raw, info); !more || err != nil {
			break
		}
	}
	return errors.Join(err, fail("free device list", "", freeList(common.DevinfoDestroyList, list), ""))
}

// freeList gives a list back. Nobody else knows it, so what cannot be freed is tried once
// more; the error is told all the same.
func freeList[T any](destroy func([]T) error, list []T) error {
	err := destroy(list)
	if err != nil {
		destroy(list)
	}
	return err
}

func describe(raw *common.Devinfo) (DeviceInfo, error) {
	var info DeviceInfo
	var err error
	if info.PCIAddr, err = common.DevinfoGetPCIAddrStr(raw); err != nil {
		return info, err
	}
	info.PCIAddr = strings.ToLower(info.PCIAddr)
	if info.Ibdev, err = common.DevinfoGetIbdevName(raw); err != nil {
		return info, err
	}
	// The rest depends on the link: no answer means that there is none.
	if name, err := common.DevinfoGetIfaceName(raw); err == nil {
		info.Interface = name
	}
	if mac, err := common.DevinfoGetMACAddr(raw); err == nil {
		info.MAC = mac[:]
	}
	if ip, err := common.DevinfoGetIPv4Addr(raw); err == nil && ip != [4]byte{} {
		info.IPv4 = netip.AddrFrom4(ip)
	}
	if ip, err := common.DevinfoGetIPv6Addr(raw); err == nil && ip != [16]byte{} {
		info.IPv6 = netip.AddrFrom16(ip)
	}
	if lid, err := common.DevinfoGetLID(raw); err == nil {
		info.LID = lid
	}
	if rate, err := common.DevinfoGetActiveRate(raw); err == nil {
		info.ActiveRate = rate
	}
	if id, err := common.DevinfoGetVHCAID(raw); err == nil {
		info.VHCAID = id
	}
	return info, nil
}

// listed names what there is, for messages.
func listed[T fmt.Stringer](have []T) string {
	var names []string
	for _, h := range have {
		names = append(names, h.String())
	}
	return strings.Join(names, "; ")
}
