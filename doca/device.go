package doca

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Device is an open device. It owns the contexts created on it, the memory registered with
// it and the representors opened through it, and closes them before itself. It may be used
// from any goroutine.
type Device struct {
	object
	deviceInner
	info DeviceInfo
}

type deviceInner = core.Inner[core.Device]

// OpenDevice opens the device with a PCI address of the form dddd:bb:dd.f or bb:dd.f, which
// means domain 0000. Some cards have several devices at one address, which support different
// libraries: OpenDevice opens the first, and [OpenDeviceFunc] the one with a capability. A device may be opened more than once; each handle is closed by
// itself. OpenDevice returns ErrInvalidValue if pciAddr has another form, and ErrNotFound
// if no device has the address; the message then lists the devices of this machine. Calls
// doca_dev_open.
func OpenDevice(pciAddr string) (*Device, error) {
	addr, ok := normalPCIAddr(pciAddr)
	if !ok {
		return nil, fail("open device", fmt.Sprintf("%q", pciAddr), ErrInvalidValue, pciAddrForm)
	}
	return openDevice("PCI address "+addr, func(i DeviceInfo) bool { return i.PCIAddr == addr })
}

// OpenDeviceByIbdev opens the device whose RDMA device has a name such as mlx5_0. It
// returns ErrNotFound if no device has the name, and ErrInvalidValue if it is empty. Calls
// doca_dev_open.
func OpenDeviceByIbdev(name string) (*Device, error) {
	if name == "" {
		return nil, fail("open device", `RDMA device ""`, ErrInvalidValue, "the name is empty: give one such as mlx5_0")
	}
	return openDevice("RDMA device "+name, func(i DeviceInfo) bool { return i.Ibdev == name })
}

// OpenDeviceByInterface opens the device behind a network interface. It returns ErrNotFound
// if no device has the interface, and ErrInvalidValue if the name is empty. Calls doca_dev_open.
func OpenDeviceByInterface(name string) (*Device, error) {
	if name == "" {
		return nil, fail("open device", `interface ""`, ErrInvalidValue, "the name is empty: give one such as p0")
	}
	return openDevice("interface "+name, func(i DeviceInfo) bool { return i.Interface == name })
}

// OpenDeviceFunc opens the first device for which match returns true. match may ask for
// capabilities, for example with dma.Supported. OpenDeviceFunc returns ErrNotFound if no
// device matches, and ErrInvalidValue if match is nil. Calls doca_dev_open.
func OpenDeviceFunc(match func(DeviceInfo) bool) (*Device, error) {
	if match == nil {
		return nil, fail("open device", "", ErrInvalidValue, "match is nil: pass a function that says which device it is to be")
	}
	infos, err := Devices() // match may ask DOCA about a device, which is not possible while devices are listed
	if err != nil {
		return nil, err
	}
	const what = "the given properties"
	i := slices.IndexFunc(infos, match)
	if i < 0 {
		return nil, noDevice(what, infos)
	}
	return openDevice(what, func(info DeviceInfo) bool { return info.PCIAddr == infos[i].PCIAddr && info.Ibdev == infos[i].Ibdev })
}

// openDevice opens the first device for which match returns true. match must not call DOCA.
func openDevice(what string, match func(DeviceInfo) bool) (*Device, error) {
	var d *core.Device
	var seen []DeviceInfo
	err := core.EachDevinfo(func(raw *common.Devinfo, pciAddr, ibdev string) (more bool, err error) {
		info := describe(raw, pciAddr, ibdev)
		seen = append(seen, info)
		if !match(info) {
			return true, nil
		}
		d, err = core.OpenDeviceLocked(raw, pciAddr)
		return false, err
	})
	if err == nil && d == nil {
		err = noDevice(what, seen)
	}
	if err != nil {
		if d != nil { // the list could not be freed
			err = errors.Join(err, d.Node.Shutdown(context.Background()))
		}
		return nil, err
	}
	dev := &Device{info: seen[len(seen)-1]}
	core.Adopt(dev, d.Node, d)
	return dev, nil
}

// noDevice is the error where no device of this machine is the wanted one.
func noDevice(what string, have []DeviceInfo) error {
	advice := "this machine has no DOCA device"
	if len(have) > 0 {
		advice = "this machine has " + listed(have)
	}
	return fail("open device", what, ErrNotFound, advice)
}

// Info returns the description of the device from the time it was opened.
func (d *Device) Info() DeviceInfo {
	if d == nil {
		return DeviceInfo{}
	}
	return d.info
}

// Close closes the device and everything that it owns, in the order that DOCA demands. It
// waits without limit for tasks in flight; use Shutdown to set a limit. Closing a closed
// object is no error. If Close returns an error, the object takes no new work and
// is not closed: call Close again. Close may be called from any goroutine.
func (d *Device) Close() error { return d.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (d *Device) Shutdown(ctx context.Context) error { return core.CloseOr(ctx, d, core.NoDevice.Node) }

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (d *Device) String() string { return core.NameOr(d, core.NoDevice.Node) }

// LogValue returns the name of String, for package slog.
func (d *Device) LogValue() slog.Value { return slog.StringValue(d.String()) }
