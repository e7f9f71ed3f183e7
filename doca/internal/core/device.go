package core

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// deviceMu serializes discovery, open and close, because DOCA does not promise that they
// can run at the same time.
var deviceMu sync.Mutex

// Device is an open device.
type Device struct {
	Node    *Node
	PCIAddr string
	raw     *common.Dev
}

// EachDevinfo calls f for every device until f returns false or an error. f gets DOCA's
// description of the device, which is valid during the call, its PCI address and the name
// of its RDMA device. deviceMu is locked meanwhile.
func EachDevinfo(f func(raw *common.Devinfo, pciAddr, ibdev string) (more bool, err error)) error {
	logOnce.Do(logFromEnvironment)
	deviceMu.Lock()
	defer deviceMu.Unlock()
	list, err := common.DevinfoCreateList()
	if errors.Is(err, abi.ErrorNotFound) { // DOCA has no devices to list
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

// WithDevinfo calls f with DOCA's description of one device, which is valid during the
// call. It returns ErrNotFound with the given name if the device is gone.
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
		return Fail("look up", "device "+name, abi.ErrorNotFound, "this machine has no such device, or no longer has it")
	}
	return err
}

// freeList frees a list. Nobody else knows the list, so it tries once more after an error;
// the error is returned all the same.
func freeList[T any](destroy func([]T) error, list []T) error {
	err := destroy(list)
	if err != nil {
		destroy(list)
	}
	return err
}

// OpenDeviceLocked opens a device. It needs deviceMu, so the function of EachDevinfo calls
// it.
func OpenDeviceLocked(raw *common.Devinfo, pciAddr string) (*Device, error) {
	n, err := newNode(rankDevice, "device", pciAddr)
	if err != nil {
		return nil, err
	}
	d := &Device{Node: n, PCIAddr: pciAddr}
	if d.raw, err = common.DevOpen(raw); err != nil {
		n.abandon()
		return nil, n.Fail("open device", err, "")
	}
	n.commit(d.close)
	return d, nil
}

func (d *Device) close(context.Context) error {
	deviceMu.Lock()
	defer deviceMu.Unlock()
	return d.Node.Fail("close", common.DevClose(d.raw), "")
}

// Raw returns DOCA's object.
func (d *Device) Raw() (*common.Dev, error) {
	if err := d.Node.Open("use"); err != nil {
		return nil, err
	}
	return d.raw, nil
}
