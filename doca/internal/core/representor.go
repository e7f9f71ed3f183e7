package core

import (
	"context"
	"errors"
	"strings"

	"github.com/go-doca/go-doca/generated/common"
)

// Representor is an open representor.
type Representor struct {
	Node *Node
	raw  *common.DevRep
}

// EachRepresentor calls f for every representor of a kind until f returns false or an
// error. f gets DOCA's description of the representor, which is valid during the call, and
// its PCI address. deviceMu is locked meanwhile.
func (d *Device) EachRepresentor(filter int32, f func(raw *common.DevinfoRep, pciAddr string) (more bool, err error)) error {
	if err := d.Node.Open("list representors"); err != nil {
		return err
	}
	deviceMu.Lock()
	defer deviceMu.Unlock()
	if err := d.Node.Open("list representors"); err != nil {
		return err
	}
	list, err := common.DevinfoRepCreateList(d.raw, filter)
	if err != nil {
		return Fail("list representors", d.Node.String(), err, "only a BlueField's own (Arm) side has representors")
	}
	for _, raw := range list {
		var pciAddr string
		if pciAddr, err = common.DevinfoRepGetPCIAddrStr(raw); err != nil {
			err = Fail("describe representor", d.Node.String(), err, "")
			break
		}
		var more bool
		if more, err = f(raw, strings.ToLower(pciAddr)); !more || err != nil {
			break
		}
	}
	return errors.Join(err, Fail("free representor list", d.Node.String(), freeList(common.DevinfoRepDestroyList, list), ""))
}

// OpenRepresentorLocked opens a representor. It needs deviceMu, so the function of
// EachRepresentor calls it.
func (d *Device) OpenRepresentorLocked(raw *common.DevinfoRep, pciAddr string) (*Representor, error) {
	n, err := newNode(rankRepresentor, "representor", text("%s", pciAddr), d.Node)
	if err != nil {
		return nil, err
	}
	r := &Representor{Node: n}
	if r.raw, err = common.DevRepOpen(raw); err != nil {
		n.abandon()
		return nil, Fail("open representor", n.String(), err, "")
	}
	n.commit(r.close)
	return r, nil
}

func (r *Representor) close(context.Context) error {
	deviceMu.Lock()
	defer deviceMu.Unlock()
	return Fail("close", r.Node.String(), common.DevRepClose(r.raw), "")
}

// Raw returns DOCA's object.
func (r *Representor) Raw() (*common.DevRep, error) {
	if err := r.Node.Open("use"); err != nil {
		return nil, err
	}
	return r.raw, nil
}

// WithDevinfo calls f with DOCA's description of the representor. op names the operation in errors.
func (r *Representor) WithDevinfo(op string, f func(*common.DevinfoRep) error) error {
	if err := r.Node.Open(op); err != nil {
		return err
	}
	deviceMu.Lock()
	defer deviceMu.Unlock()
	if err := r.Node.Open(op); err != nil {
		return err
	}
	raw, err := common.DevRepAsDevinfo(r.raw)
	if err == nil {
		err = f(raw)
	}
	return Fail(op, r.Node.String(), err, "")
}
