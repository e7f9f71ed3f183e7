package doca

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// DeviceInfo describes a device: one local function of a BlueField or ConnectX. It is plain
// data and stays valid. A field is zero if the device has no such property.
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

// LogValue returns a group of the fields that are known, for package slog.
func (i DeviceInfo) LogValue() slog.Value {
	g := known(nil, "pci", i.PCIAddr)
	g = known(g, "ibdev", i.Ibdev)
	g = known(g, "interface", i.Interface)
	g = known(g, "mac", i.MAC.String())
	if i.IPv4.IsValid() {
		g = append(g, slog.String("ipv4", i.IPv4.String()))
	}
	if i.IPv6.IsValid() {
		g = append(g, slog.String("ipv6", i.IPv6.String()))
	}
	g = known(g, "lid", i.LID)
	g = known(g, "active_rate", i.ActiveRate)
	return slog.GroupValue(known(g, "vhca_id", i.VHCAID)...)
}

// known appends an attribute unless its value is the zero value.
func known[T comparable](group []slog.Attr, key string, value T) []slog.Attr {
	var zero T
	if value == zero {
		return group
	}
	return append(group, slog.Any(key, value))
}

// Devices lists the devices of this machine in DOCA's order. The list is empty on a machine
// without devices. Devices may be called from any goroutine. Calls doca_devinfo_create_list
// and the doca_devinfo_get_ functions.
func Devices() ([]DeviceInfo, error) {
	var infos []DeviceInfo
	err := core.EachDevinfo(func(raw *common.Devinfo, pciAddr, ibdev string) (bool, error) {
		infos = append(infos, describe(raw, pciAddr, ibdev))
		return true, nil
	})
	return infos, err
}

func describe(raw *common.Devinfo, pciAddr, ibdev string) DeviceInfo {
	info := DeviceInfo{PCIAddr: pciAddr, Ibdev: ibdev}
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
	return info
}

// listed names the devices or representors that there are, for messages.
func listed[T fmt.Stringer](have []T) string {
	var names []string
	for _, h := range have {
		names = append(names, h.String())
	}
	return strings.Join(names, "; ")
}
