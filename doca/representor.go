package doca

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/generated/common"
)

// RepresentorFilter chooses kinds of representors, enum doca_devinfo_rep_filter.
type RepresentorFilter uint8

// The kinds of representors.
const (
	RepresentorsAll      = RepresentorFilter(common.DevinfoRepFilterAll)
	RepresentorsNet      = RepresentorFilter(common.DevinfoRepFilterNet)
	RepresentorsEmulated = RepresentorFilter(common.DevinfoRepFilterEmulated)
)

// RepresentorInfo describes a representor: a function of the host as a BlueField's Arm
// side sees it. It is plain data and stays valid.
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

// Representor is an open representor. Its device owns it. It may be used from any
// goroutine.
type Representor struct {
	object
	r   *representor
	dev *Device // keeps the device's handle as long as this one
}

type representor struct {
	node *node
	raw  *common.DevRep
	info RepresentorInfo
}

// Representors lists the representors that the device exposes. A device on the host
// side has none: ErrNotSupported. Stands on doca_devinfo_rep_create_list.
func (d *Device) Representors(filter RepresentorFilter) ([]RepresentorInfo, error) {
	var infos []RepresentorInfo
	err := d.eachRepresentor(filter, func(_ *common.DevinfoRep, info RepresentorInfo) (bool, error) {
		infos = append(infos, info)
		return true, nil
	})
	return infos, err
}

// OpenRepresentor opens the representor of the network function that the host sees at
// a PCI address, dddd:bb:dd.f or bb:dd.f. An address that none has is ErrNotFound, and
// the message names those there are; a device of the host side is ErrNotSupported.
// Stands on doca_dev_rep_open.
func (d *Device) OpenRepresentor(pciAddr string) (*Representor, error) {
	addr, ok := normalPCIAddr(pciAddr)
	if !ok {
		return nil, fail("open representor", fmt.Sprintf("%q", pciAddr), ErrInvalidValue, pciAddrForm)
	}
	var rep *Representor
	var have []RepresentorInfo
	err := d.eachRepresentor(RepresentorsNet, func(raw *common.DevinfoRep, info RepresentorInfo) (bool, error) {
		have = append(have, info)
		if info.PCIAddr != addr {
			return true, nil
		}
		var err error
		rep, err = d.newRepresentor(raw, info)
		return false, err
	})
	if err != nil {
		if rep != nil {
			rep.Close()
		}
		return nil, err
	}
	if rep == nil {
		advice := "the device has no representors of network functions"
		if len(have) > 0 {
			advice = "the device has " + listed(have)
		}
		return nil, fail("open representor", addr+" through "+d.String(), ErrNotFound, advice)
	}
	return rep, nil
}

func (d *Device) newRepresentor(raw *common.DevinfoRep, info RepresentorInfo) (*Representor, error) {
	n, err := newNode(rankRepresentor, "representor", text("%s", info.PCIAddr), d.n)
	if err != nil {
		return nil, err
	}
	r := &representor{node: n, info: info}
	if r.raw, err = common.DevRepOpen(raw); err != nil {
		n.abandon()
		return nil, fail("open representor", n.String(), err, "")
	}
	n.commit(r.close)
	return guard(&Representor{object: object{n}, r: r, dev: d}, n), nil
}

func (r *representor) close(context.Context) error {
	deviceMu.Lock()
	defer deviceMu.Unlock()
	return fail("close", r.node.String(), common.DevRepClose(r.raw), "")
}

// Info returns what describes the representor, as read when it was opened.
func (r *Representor) Info() RepresentorInfo { return r.r.info }

// Device returns the device that the representor was opened through.
func (r *Representor) Device() *Device { return r.dev }

// Raw returns DOCA's own object, for packages that bind further libraries. It is valid
// until Close. A closed representor is a [*StateError].
func (r *Representor) Raw() (*common.DevRep, error) {
	if err := r.n.open("use"); err != nil {
		return nil, err
	}
	return r.r.raw, nil
}

func (d *Device) eachRepresentor(filter RepresentorFilter, f func(*common.DevinfoRep, RepresentorInfo) (more bool, err error)) error {
	deviceMu.Lock()
	defer deviceMu.Unlock()
	if err := d.n.open("list representors"); err != nil {
		return err
	}
	list, err := common.DevinfoRepCreateList(d.d.raw, int32(filter))
	if err != nil {
		return fail("list representors", d.String(), err, "only a BlueField's own (Arm) side has representors")
	}
	for _, raw := range list {
		var info RepresentorInfo
		if info, err = describeRepresentor(raw); err != nil {
			err = fail("describe representor", d.String(), err, "")
			break
		}
		var more bool
		if more, err = f(raw, info); !more || err != nil {
			break
		}
	}
	return errors.Join(err, fail("free representor list", d.String(), freeList(common.DevinfoRepDestroyList, list), ""))
}

func describeRepresentor(raw *common.DevinfoRep) (RepresentorInfo, error) {
	var info RepresentorInfo
	var err error
	if info.PCIAddr, err = common.DevinfoRepGetPCIAddrStr(raw); err != nil {
		return info, err
	}
	info.PCIAddr = strings.ToLower(info.PCIAddr)
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
	return info, nil
}
