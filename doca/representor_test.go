package doca_test

import (
	"slices"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

func TestRepresentors(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	infos := must(dev.Representors(doca.RepresentorsNet))(t)
	if !slices.ContainsFunc(infos, func(i doca.RepresentorInfo) bool { return i.PCIAddr == host0 && i.VUID != "" }) {
		t.Errorf("Representors() = %+v, without %s", infos, host0)
	}
	rep := must(dev.OpenRepresentor("b1:00.0"))(t)
	if rep.Info().PCIAddr != host0 || rep.Device() != dev || rep.Info().Function != doca.PCIFunctionPF {
		t.Errorf("opened %+v", rep.Info())
	}
	_, err := dev.OpenRepresentor("0000:99:00.0")
	wantErr(t, err, doca.ErrNotFound, host0)
	_, err = dev.OpenRepresentor("x")
	wantErr(t, err, doca.ErrInvalidValue)
	check(t, dev.Close()) // closes the representor
	_, err = bind.RawRepresentor(rep)
	wantErr(t, err, doca.ErrClosed)
	_, err = dev.Representors(doca.RepresentorsNet)
	wantErr(t, err, doca.ErrClosed)

	host := must(doca.OpenDevice(host0))(t)
	defer host.Close()
	_, err = host.Representors(doca.RepresentorsNet)
	wantErr(t, err, doca.ErrNotSupported, host0)
	_, err = host.OpenRepresentor("b1:00.0")
	wantErr(t, err, doca.ErrNotSupported)
}
