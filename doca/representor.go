package doca

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// RepresentorFilter selects kinds of representors, enum doca_devinfo_rep_filter.
type RepresentorFilter uint8

// The kinds of representors.
const (
	RepresentorsAll      = RepresentorFilter(common.DevinfoRepFilterAll)
	RepresentorsNet      = RepresentorFilter(common.DevinfoRepFilterNet)
	RepresentorsEmulated = RepresentorFilter(common.DevinfoRepFilterEmulated)
)

// String returns all, net or emulated.
func (f RepresentorFilter) String() string {
	switch f {
	case RepresentorsAll:
		return "all"
	case RepresentorsNet:
		return "net"
	case RepresentorsEmulated:
		return "emulated"
	}
	return fmt.Sprintf("RepresentorFilter(%d)", uint8(f))
}

// MarshalText returns the name of String.
func (f RepresentorFilter) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a name of String, in capital or small letters. It returns ErrInvalidValue for
// another text.
func (f *RepresentorFilter) UnmarshalText(text []byte) error {
	if f == nil {
		return fail("read representor filter", "", ErrInvalidValue, "the RepresentorFilter is nil")
	}
	for _, known := range []RepresentorFilter{RepresentorsAll, RepresentorsNet, RepresentorsEmulated} {
		if strings.EqualFold(known.String(), string(text)) {
			*f = known
			return nil
		}
	}
	return fail("read representor filter", fmt.Sprintf("%q", text), ErrInvalidValue, "want all, net or emulated")
}

// check returns an error if there is no such filter.
func (f RepresentorFilter) check() error {
	switch f {
	case RepresentorsAll, RepresentorsNet, RepresentorsEmulated:
		return nil
	}
	return fail("list representors", "", ErrInvalidValue,
		fmt.Sprintf("there is no filter %d: use RepresentorsAll, RepresentorsNet or RepresentorsEmulated", uint8(f)))
}

// RepresentorInfo describes a representor: a function of the host as a BlueField's Arm side
// sees it. It is plain data and stays valid. A field is zero if the device does not tell
// it.
type RepresentorInfo struct {
	PCIAddr   string // of the function as the host sees it, dddd:bb:dd.f
	VUID      string
	Interface string
	Function  PCIFunctionType
	Hotplug   bool // plugged in at run time
	VHCAID    uint16
}

// String returns the PCI address and the interface.
func (i RepresentorInfo) String() string {
	return strings.TrimSpace(i.PCIAddr + " " + i.Interface)
}

// LogValue returns a group of the fields that are known, for package slog.
func (i RepresentorInfo) LogValue() slog.Value {
	g := known(nil, "pci", i.PCIAddr)
	g = known(g, "vuid", i.VUID)
	g = known(g, "interface", i.Interface)
	g = append(g, slog.String("function", i.Function.String()))
	g = known(g, "hotplug", i.Hotplug)
	return slog.GroupValue(known(g, "vhca_id", i.VHCAID)...)
}

// PCIFunctionType is enum doca_pci_func_type.
type PCIFunctionType uint8

// The types of PCI functions.
const (
	PCIFunctionPF = PCIFunctionType(common.PCIFuncTypePF)
	PCIFunctionVF = PCIFunctionType(common.PCIFuncTypeVF)
	PCIFunctionSF = PCIFunctionType(common.PCIFuncTypeSF)
)

// String returns PF, VF or SF.
func (t PCIFunctionType) String() string {
	switch t {
	case PCIFunctionPF:
		return "PF"
	case PCIFunctionVF:
		return "VF"
	case PCIFunctionSF:
		return "SF"
	}
	return fmt.Sprintf("PCIFunctionType(%d)", uint8(t))
}

// MarshalText returns the name of String.
func (t PCIFunctionType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Representor is an open representor. The device that it was opened through owns it. It may
// be used from any goroutine.
type Representor struct {
	object
	representorInner
	info RepresentorInfo
	dev  *Device // keeps the device's handle as long as this one
}

type representorInner = core.Inner[core.Representor]

// Representors lists the representors of the device. It returns ErrNotSupported on the host
// side, where a device has none, and ErrInvalidValue for a filter that does not exist. Calls
// doca_devinfo_rep_create_list.
func (d *Device) Representors(filter RepresentorFilter) ([]RepresentorInfo, error) {
	if core.Of(d) != nil {
		if err := filter.check(); err != nil {
			return nil, err
		}
	}
	var infos []RepresentorInfo
	err := core.Or(d, core.NoDevice).EachRepresentor(int32(filter), func(raw *common.DevinfoRep, pciAddr string) (bool, error) {
		infos = append(infos, describeRepresentor(raw, pciAddr))
		return true, nil
	})
	return infos, err
}

// OpenRepresentor opens the representor of the network function that has a PCI address on
// the host. The address has the form dddd:bb:dd.f or bb:dd.f. OpenRepresentor returns
// ErrInvalidValue if pciAddr has another form, ErrNotFound if no representor has the
// address (the message lists those that there are), and ErrNotSupported on the host side.
// Calls doca_dev_rep_open.
func (d *Device) OpenRepresentor(pciAddr string) (*Representor, error) {
	if core.Of(d) == nil {
		return nil, core.NoDevice.Node.Open("open representor")
	}
	addr, ok := normalPCIAddr(pciAddr)
	if !ok {
		return nil, fail("open representor", fmt.Sprintf("%q", pciAddr), ErrInvalidValue, pciAddrForm)
	}
	var r *core.Representor
	var have []RepresentorInfo
	err := core.Or(d, core.NoDevice).EachRepresentor(int32(RepresentorsNet), func(raw *common.DevinfoRep, pciAddr string) (bool, error) {
		have = append(have, describeRepresentor(raw, pciAddr))
		if pciAddr != addr {
			return true, nil
		}
		var err error
		r, err = core.Of(d).OpenRepresentorLocked(raw, pciAddr)
		return false, err
	})
	if err != nil {
		if r != nil {
			r.Node.Shutdown(context.Background())
		}
		return nil, err
	}
	if r == nil {
		advice := "the device has no representors of network functions"
		if len(have) > 0 {
			advice = "the device has " + listed(have)
		}
		return nil, fail("open representor", addr+" through "+d.String(), ErrNotFound, advice)
	}
	rep := &Representor{info: have[len(have)-1], dev: d}
	core.Adopt(rep, r.Node, r)
	return rep, nil
}

// Info returns the description of the representor from the time it was opened.
func (r *Representor) Info() RepresentorInfo {
	if r == nil {
		return RepresentorInfo{}
	}
	return r.info
}

// Device returns the device that the representor was opened through.
func (r *Representor) Device() *Device {
	if r == nil {
		return nil
	}
	return r.dev
}

func describeRepresentor(raw *common.DevinfoRep, pciAddr string) RepresentorInfo {
	info := RepresentorInfo{PCIAddr: pciAddr}
	// The rest depends on the device and the SDK: no answer means that there is none.
	if vuid, err := common.DevinfoRepGetVUID(raw); err == nil {
		info.VUID = vuid
	}
	if name, err := common.DevinfoRepGetIfaceName(raw); err == nil {
		info.Interface = name
	}
	if t, err := common.DevinfoRepGetPCIFuncType(raw); err == nil {
		info.Function = PCIFunctionType(t)
	}
	if hotplug, err := common.DevinfoRepGetIsHotplug(raw); err == nil {
		info.Hotplug = hotplug
	}
	if id, err := common.DevinfoRepGetVHCAID(raw); err == nil {
		info.VHCAID = id
	}
	return info
}

// Close closes the representor and everything that it owns, in the order that DOCA demands. It
// waits without limit for tasks in flight; use Shutdown to set a limit. Closing a closed
// object is no error. If Close returns an error, the object takes no new work and
// is not closed: call Close again. Close may be called from any goroutine.
func (r *Representor) Close() error { return r.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (r *Representor) Shutdown(ctx context.Context) error {
	return core.CloseOr(ctx, r, core.NoRepresentor.Node)
}

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (r *Representor) String() string { return core.NameOr(r, core.NoRepresentor.Node) }

// LogValue returns the name of String, for package slog.
func (r *Representor) LogValue() slog.Value { return slog.StringValue(r.String()) }
