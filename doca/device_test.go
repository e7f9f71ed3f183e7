package doca_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dma"
)

func TestOpenDevice(t *testing.T) {
	t.Parallel()
	open := map[string]func() (*doca.Device, error){
		"long address":  func() (*doca.Device, error) { return doca.OpenDevice("0000:03:00.0") },
		"short address": func() (*doca.Device, error) { return doca.OpenDevice("03:00.0") },
		"RDMA device":   func() (*doca.Device, error) { return doca.OpenDeviceByIbdev("mlx5_0") },
		"interface":     func() (*doca.Device, error) { return doca.OpenDeviceByInterface("p0") },
		"function": func() (*doca.Device, error) {
			return doca.OpenDeviceFunc(func(i doca.DeviceInfo) bool { return i.Interface == "p0" && dma.Supported(i) == nil })
		},
	}
	for name, f := range open {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev := must(f())(t)
			if dev.Info().PCIAddr != dpu0 {
				t.Errorf("opened %v", dev.Info())
			}
			again := must(f())(t) // DOCA counts
			check(t, dev.Close())
			must(bind.RawDevice(again))(t)
			_, err := bind.RawDevice(dev)
			wantErr(t, err, doca.ErrClosed, "0000:03:00.0", "closed")
			wantErr(t, err, doca.ErrBadState)
			check(t, again.Close())
			check(t, again.Close())
		})
	}
}

func TestOpenDeviceErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		addr  string
		want  error
		words []string
	}{
		{"0000:99:00.0", doca.ErrNotFound, []string{"0000:99:00.0", dpu0, "mlx5_0", host0}},
		{"", doca.ErrInvalidValue, []string{"bb:dd.f"}},
		{"3:0.0", doca.ErrInvalidValue, []string{"3:0.0"}},
		{"00000:03:00.", doca.ErrInvalidValue, nil},
		{"0000-03:00.0", doca.ErrInvalidValue, nil},
		{"zzzz:03:00.0", doca.ErrInvalidValue, nil},
	} {
		_, err := doca.OpenDevice(tt.addr)
		wantErr(t, err, tt.want, tt.words...)
	}
	_, err := doca.OpenDeviceByIbdev("")
	wantErr(t, err, doca.ErrInvalidValue, "the name is empty: give one such as mlx5_0")
	_, err = doca.OpenDeviceByInterface("")
	wantErr(t, err, doca.ErrInvalidValue, "the name is empty: give one such as p0")
	_, err = doca.OpenDeviceByInterface("nosuch0")
	wantErr(t, err, doca.ErrNotFound, "nosuch0", "p0")
}

func TestDeviceFaults(t *testing.T) {
	for _, f := range []string{"doca_devinfo_create_list", "doca_devinfo_get_pci_addr_str", "doca_dev_open", "doca_devinfo_destroy_list"} {
		faults(t, "fail-call="+f+":1")
		_, err := doca.OpenDevice(dpu0)
		wantErr(t, err, doca.ErrDriver, f)
	}
	faults(t, "fail-call=doca_devinfo_create_list:1:NOT_FOUND")
	if infos, err := doca.Devices(); err != nil || len(infos) != 0 {
		t.Errorf("without a device: %v, %v", infos, err)
	}
	faults(t, "fail-call=doca_devinfo_create_list:1:NOT_FOUND")
	_, err := doca.OpenDevice(dpu0)
	wantErr(t, err, doca.ErrNotFound, "no DOCA device")

	dev := must(doca.OpenDevice(dpu0))(t)
	faults(t, "fail-call=doca_dev_close:1:IN_USE")
	wantErr(t, dev.Close(), doca.ErrInUse)
	check(t, dev.Close()) // an error leaves it open
}
