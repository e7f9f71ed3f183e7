package doca_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

func TestInventory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, err := doca.NewInventory(0)
	wantErr(t, err, doca.ErrInvalidValue)
	inv := must(doca.NewInventory(2))(t)
	defer inv.Close()
	for _, bad := range [][2]int{{-1, 1}, {0, 0}, {0, 4097}, {4096, 1}, {4000, 97}, {1, 1<<63 - 1}} {
		_, err := inv.Buffer(r.Mem, bad[0], bad[1])
		wantErr(t, err, doca.ErrInvalidValue, "4096 bytes")
	}
	_, err = inv.Buffer(nil, 0, 1)
	wantErr(t, err, doca.ErrInvalidValue)
	first := must(inv.Buffer(r.Mem, 0, 1))(t)
	must(inv.Buffer(r.Mem, 4095, 1))(t)
	_, err = inv.Buffer(r.Mem, 0, 1)
	wantErr(t, err, doca.ErrNoMemory, "close some")
	check(t, first.Close())
	must(inv.Buffer(r.Mem, 0, 1))(t)
	check(t, inv.Close())
	_, err = inv.Buffer(r.Mem, 0, 1)
	wantErr(t, err, doca.ErrClosed)
	_, err = bind.RawInventory(inv)
	wantErr(t, err, doca.ErrClosed)
	check(t, r.Mem.Close())
	_, err = r.Inv.Buffer(r.Mem, 0, 1)
	wantErr(t, err, doca.ErrClosed)
}

// An inventory belongs to the devices on whose memory it has buffers: the last one closes it.
func TestInventoryBelongsToDevices(t *testing.T) {
	t.Parallel()
	first, second := must(doca.OpenDevice(dpu0))(t), must(doca.OpenDevice(host0))(t)
	inv := must(doca.NewInventory(4))(t)
	for _, dev := range []*doca.Device{first, second, first} {
		mem := must(doca.NewMemory(64, on(dev)))(t)
		must(inv.Buffer(mem, 0, 64))(t)
	}
	check(t, first.Close())
	mem := must(doca.NewMemory(64, on(second)))(t)
	buf := must(inv.Buffer(mem, 0, 64))(t)
	check(t, second.Close())
	wantErr(t, buf.SetData(0, 1), doca.ErrClosed)
	third := must(doca.OpenDevice(dpu0))(t)
	_, err := inv.Buffer(must(doca.NewMemory(64, on(third)))(t), 0, 64)
	wantErr(t, err, doca.ErrClosed)
	check(t, inv.Close())
	check(t, third.Close())
}

// An inventory that could not be closed is closed with the device.
func TestInventoryLeftToTheDevice(t *testing.T) {
	dev := must(doca.OpenDevice(dpu0))(t)
	inv := must(doca.NewInventory(1))(t)
	must(inv.Buffer(must(doca.NewMemory(64, on(dev)))(t), 0, 64))(t)
	faults(t, "fail-call=doca_buf_inventory_destroy:1")
	wantErr(t, inv.Close(), doca.ErrDriver)
	check(t, dev.Close())
	for _, o := range doca.OpenObjects() {
		if o.Name == inv.String() {
			t.Errorf("%s is open", o.Name)
		}
	}
}
