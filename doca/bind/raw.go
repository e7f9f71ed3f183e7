package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// RawDevice returns DOCA's own object of a device. It is valid until Close. A closed device
// is a [*doca.StateError].
func RawDevice(dev *doca.Device) (*common.Dev, error) { return raw("device", core.Of(dev)) }

// RawRepresentor returns DOCA's own object of a representor. It is valid until Close. A
// closed representor is a [*doca.StateError].
func RawRepresentor(rep *doca.Representor) (*common.DevRep, error) {
	return raw("representor", core.Of(rep))
}

// RawEngine returns DOCA's own object of a progress engine. It is valid until Close, and
// only while the lock of one of its contexts is held (see [Link.Lock]). A closed engine is a
// [*doca.StateError].
func RawEngine(pe *doca.ProgressEngine) (*common.PE, error) { return raw("engine", core.Of(pe)) }

// RawMemory returns DOCA's own object of a memory. It is valid until Close. A closed memory
// is a [*doca.StateError].
func RawMemory(mem *doca.Memory) (*common.Mmap, error) { return raw("memory", core.Of(mem)) }

// RawInventory returns DOCA's own object of an inventory. It is valid until Close. A closed
// inventory is a [*doca.StateError].
func RawInventory(inv *doca.Inventory) (*common.BufInventory, error) {
	return raw("inventory", core.Of(inv))
}

// RawBuffer returns DOCA's own object of a buffer. It is valid until Close, and belongs to
// the device while a [Claim] on it is active. A closed buffer is a [*doca.StateError].
func RawBuffer(buf *doca.Buffer) (*common.Buf, error) { return raw("buffer", core.Of(buf)) }

func raw[R any, T interface {
	comparable
	Raw() (R, error)
}](kind string, inner T) (R, error) {
	var none T
	if inner == none {
		var r R
		return r, core.Fail("use", "", doca.ErrInvalidValue, "the "+kind+" is nil, or a zero value")
	}
	return inner.Raw()
}

// WithDevinfo calls f with DOCA's own description of the device that info describes;
// it is valid during the call only. It is for packages that ask for capabilities. A
// device that is gone is ErrNotFound. Stands on doca_devinfo_create_list.
func WithDevinfo(info doca.DeviceInfo, f func(*common.Devinfo) error) error {
	return core.WithDevinfo(info.PCIAddr, info.Ibdev, info.String(), f)
}
