package core

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// deviceMu serializes discovery, open and close: DOCA does not say that they may run
// at the same time.
var deviceMu sync.Mutex

// Device is an open device.
type Device struct {
	Node    *Node
	PCIAddr string
	raw     *common.Dev
}

// EachDevinfo calls f for every device until it returns false or an error, with DOCA's own
// description, the PCI address and the name of the RDMA device. The description is valid
// during the call only.
func EachDevinfo(f func(raw *common.Devinfo, pciAddr, ibdev string) (more bool, err error)) error {
	deviceMu.Lock()
	defer deviceMu.Unlock()
	list, err := common.DevinfoCreateList()
	if errors.Is(err, abi.ErrorNotFound) { // DOCA's way of saying that there are none
		return nil
	}
	if err != nil {
		return Fail("list devices", "", err, "")
	}
	for _, raw := range list {
		var pciAddr, ibdev string
		if pciAddr, err = common.DevinfoGetPCIAddrStr(raw); err == nil {
			ibdev, err = common.DevinfoGetIbdevName(raw)
		}
		if err != nil {
			err = Fail("describe device", "", err, "")
			break
		}
		var more bool
		if more, err = f(raw, strings.ToLower(pciAddr), ibdev); !more || err != nil {
			break
		}
	}
	return errors.Join(err, Fail("free device list", "", freeList(common.DevinfoDestroyList, list), ""))
}

// WithDevinfo calls f with DOCA's own description of a device; it is valid during the call
// only. A device that is gone is ErrNotFound; the message calls it by name.
func WithDevinfo(pciAddr, ibdev, name string, f func(*common.Devinfo) error) error {
	found := false
	err := EachDevinfo(func(raw *common.Devinfo, a, i string) (bool, error) {
		if a != pciAddr || i != ibdev {
			return true, nil
		}
		found = true
		return false, f(raw)
	})
	if err == nil && !found {
		return Fail("look up", "device "+name, abi.ErrorNotFound, "this machine does not have it, or not any more")
	}
	return err
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

// OpenDeviceLocked opens a device. It is called by the function of EachDevinfo.
func OpenDeviceLocked(raw *common.Devinfo, pciAddr string) (*Device, error) {
	n, err := newNode(rankDevice, "device", text("%s", pciAddr))
	if err != nil {
		return nil, err
	}
	d := &Device{Node: n, PCIAddr: pciAddr}
	if d.raw, err = common.DevOpen(raw); err != nil {
		n.abandon()
		return nil, Fail("open device", n.String(), err, "")
	}
	n.commit(d.close)
	return d, nil
}

func (d *Device) close(context.Context) error {
	deviceMu.Lock()
	defer deviceMu.Unlock()
	return Fail("close", d.Node.String(), common.DevClose(d.raw), "")
}

// Raw returns DOCA's own object.
func (d *Device) Raw() (*common.Dev, error) {
	if err := d.Node.Open("use"); err != nil {
		return nil, err
	}
	return d.raw, nil
}
