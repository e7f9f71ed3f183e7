package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// RawDevice returns DOCA's object of a device, valid until Close. It returns
// ErrInvalidValue for nil, and a [*doca.StateError] if the device is closed.
func RawDevice(dev *doca.Device) (*common.Dev, error) { return raw("device", core.Of(dev)) }

// RawRepresentor returns DOCA's object of a representor, valid until Close. It returns
// ErrInvalidValue for nil, and a [*doca.StateError] if the representor is closed.
func RawRepresentor(rep *doca.Representor) (*common.DevRep, error) {
	return raw("representor", core.Of(rep))
}

// RawEngine returns DOCA's object of a progress engine, valid until Close. Use it only with
// the lock of one of the engine's contexts held; see [Link.Lock]. RawEngine returns
// ErrInvalidValue for nil, and a [*doca.StateError] if the engine is closed.
func RawEngine(pe *doca.ProgressEngine) (*common.PE, error) { return raw("engine", core.Of(pe)) }

// RawContext returns DOCA's object of a context, valid until Close. Use it only with the
// context's lock held, see [Link.Lock], or as the address that it is, for example as a target of
// the emulator's faults. RawContext returns ErrInvalidValue for nil, and a [*doca.StateError] if the
// context is closed.
func RawContext(ctx *doca.Context) (*common.Ctx, error) {
	l := core.Of(ctx)
	if l == nil {
		return nil, core.Fail("use", "", doca.ErrInvalidValue, "the context is nil, or a zero value")
	}
	if err := l.Node.Open("use"); err != nil {
		return nil, err
	}
	return l.Raw(), nil
}

// RawMemory returns DOCA's object of a memory, valid until Close. It returns
// ErrInvalidValue for nil, and a [*doca.StateError] if the memory is closed.
func RawMemory(mem *doca.Memory) (*common.Mmap, error) { return raw("memory", core.Of(mem)) }

// RawInventory returns DOCA's object of an inventory, valid until Close. It returns
// ErrInvalidValue for nil, and a [*doca.StateError] if the inventory is closed.
func RawInventory(inv *doca.Inventory) (*common.BufInventory, error) {
	return raw("inventory", core.Of(inv))
}

// RawBuffer returns DOCA's object of a buffer, valid until Close. While a [Claim] on the
// buffer is active the object belongs to the device. RawBuffer returns ErrInvalidValue for
// nil, and a [*doca.StateError] if the buffer is closed.
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

// WithDevinfo calls f with DOCA's description of the device that info describes, which is
// valid during the call. Use it to ask for capabilities. WithDevinfo returns ErrNotFound if
// the device is gone, and the error of f. f must not list, open or close devices. Calls
// doca_devinfo_create_list.
func WithDevinfo(info doca.DeviceInfo, f func(*common.Devinfo) error) error {
	if f == nil {
		return core.Fail("look up", "device "+info.String(), doca.ErrInvalidValue, "the function is nil")
	}
	return core.WithDevinfo(info.PCIAddr, info.Ibdev, info.String(), f)
}
