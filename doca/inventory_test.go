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
