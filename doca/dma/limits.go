package dma

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// Limits holds the limits of one task of a device. Copy is not bound by them: it does a larger copy
// with several tasks.
type Limits struct {
	MaxBufferSize uint64 // bytes
	MaxListLen    uint32 // buffers of a task's source and destination lists together; 1 means no lists
}

// Supported returns nil if the device can copy memory, ErrNotSupported if it cannot, and another
// error if the query fails. Calls doca_dma_cap_task_memcpy_is_supported.
func Supported(info doca.DeviceInfo) error {
	return bind.WithDevinfo(info, gen.CapTaskMemcpyIsSupported)
}

// LimitsOf returns the limits of one task of a device. Any goroutine may call it. Calls
// doca_dma_cap_task_memcpy_get_max_buf_size and doca_dma_cap_task_memcpy_get_max_buf_list_len.
func LimitsOf(info doca.DeviceInfo) (Limits, error) {
	var l Limits
	err := bind.WithDevinfo(info, func(raw *common.Devinfo) (err error) {
		l, err = limitsOf(raw)
		return err
	})
	return l, err
}

func limitsOf(raw *common.Devinfo) (l Limits, err error) {
	if l.MaxBufferSize, err = gen.CapTaskMemcpyGetMaxBufSize(raw); err != nil {
		return l, err
	}
	l.MaxListLen, err = gen.CapTaskMemcpyGetMaxBufListLen(raw)
	return l, err
}
