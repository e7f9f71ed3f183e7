package doca_test

import (
	"slices"
	"testing"

	"github.com/go-doca/go-doca/doca"
)

func TestDevices(t *testing.T) {
	t.Parallel()
	infos := must(doca.Devices())(t)
	i := slices.IndexFunc(infos, func(i doca.DeviceInfo) bool { return i.PCIAddr == dpu0 })
	if i < 0 {
		t.Fatalf("Devices() = %v, without %s", infos, dpu0)
	}
	d := infos[i]
	if d.Ibdev != "mlx5_0" || d.Interface != "p0" || len(d.MAC) != 6 {
		t.Errorf("device is %+v", d)
	}
}
