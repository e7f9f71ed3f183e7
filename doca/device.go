package doca

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Device is an open device. It owns the contexts created on it, the memory registered
// with it and the representors opened through it; closing it closes them. It may be
// used from any goroutine.
type Device struct {
	object
	deviceInner
	info DeviceInfo
}

type deviceInner = core.Inner[core.Device]

// OpenDevice opens the device with a PCI address, dddd:bb:dd.f or bb:dd.f (domain
// 0000). Opening a device more than once is fine: each handle is closed on its own. A
// text of another form is ErrInvalidValue; an address that no device has is
// ErrNotFound, and the message names the devices there are. Stands on doca_dev_open.
func OpenDevice(pciAddr string) (*Device, error) {
	addr, ok := normalPCIAddr(pciAddr)
	if !ok {
		return nil, fail("open device", fmt.Sprintf("%q", pciAddr), ErrInvalidValue, pciAddrForm)
	}
	return openDevice("PCI address "+addr, func(i DeviceInfo) bool { return i.PCIAddr == addr })
}

// OpenDeviceByIbdev opens the device with the name of an RDMA device, such as mlx5_0.
// A name that no device has is ErrNotFound. Stands on doca_dev_open.
func OpenDeviceByIbdev(name string) (*Device, error) {
	return openDevice("RDMA device "+name, func(i DeviceInfo) bool { return i.Ibdev == name && name != "" })
}

// OpenDeviceByInterface opens the device behind a network interface. A name that no
// device has is ErrNotFound. Stands on doca_dev_open.
func OpenDeviceByInterface(name string) (*Device, error) {
	return openDevice("interface "+name, func(i DeviceInfo) bool { return i.Interface == name && name != "" })
}

// OpenDeviceFunc opens the first device for which match is true. match may ask for
// capabilities, such as dma.Supported. No match is ErrNotFound. Stands on doca_dev_open.
func OpenDeviceFunc(match func(DeviceInfo) bool) (*Device, error) {
	return openDevice("the given properties", match)
}

func openDevice(what string, match func(DeviceInfo) bool) (*Device, error) {
	infos, err := Devices()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(infos, match)
	if i < 0 {
		advice := "this machine has no DOCA device"
		if len(infos) > 0 {
			advice = "this machine has " + listed(infos)
		}
		return nil, fail("open device", what, ErrNotFound, advice)
	}
	var d *core.Device
	err = core.WithDevinfo(infos[i].PCIAddr, infos[i].Ibdev, infos[i].String(), func(raw *common.Devinfo) (err error) {
		d, err = core.OpenDeviceLocked(raw, infos[i].PCIAddr)
		return err
	})
	if err != nil {
		if d != nil { // the list could not be freed
			err = errors.Join(err, d.Node.Shutdown(context.Background()))
		}
		return nil, err
	}
	dev := &Device{info: infos[i]}
	core.Adopt(dev, d.Node, d)
	return dev, nil
}

// Info returns what describes the device, as read when it was opened.
func (d *Device) Info() DeviceInfo { return d.info }
