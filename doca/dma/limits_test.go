package dma_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

func TestSupported(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	check(t, dma.Supported(b.dev.Info()))
	l := must(dma.LimitsOf(b.dev.Info()))(t)
	if l != b.dma.Limits() || l.MaxBufferSize == 0 || l.MaxListLen == 0 {
		t.Errorf("limits are %+v and %+v", l, b.dma.Limits())
	}
	wantErr(t, dma.Supported(doca.DeviceInfo{PCIAddr: "0000:ff:00.0"}), doca.ErrNotFound)
	_, err := dma.LimitsOf(doca.DeviceInfo{PCIAddr: "0000:ff:00.0"})
	wantErr(t, err, doca.ErrNotFound)
}
