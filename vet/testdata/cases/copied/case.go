package copied

import (
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
)

type holder struct{ f comch.Future }

func byValue(f comch.Future) {} // want `the parameter copies a comch.Future`

func copies(d *dma.DMA, h *holder, list []comch.Future) dma.DMA {
	x := *d // want `the assignment copies a dma.DMA`
	y := *h // want `the assignment copies a comch.Future`
	_ = y
	for _, f := range list { // want `the range copies a comch.Future`
		_ = f
	}
	return x // want `the return copies a dma.DMA`
}

func fine(d *dma.DMA, r comch.Received, msgs []comch.Message) *dma.DMA {
	var f comch.Future
	_ = &f
	h := holder{}
	_ = &h
	for i := range msgs {
		m := msgs[i]
		_ = m
	}
	_ = unsafe.Sizeof(*d)
	var info doca.DeviceInfo
	other := info
	_ = other
	return d
}
