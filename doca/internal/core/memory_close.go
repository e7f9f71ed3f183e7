package core

import (
	"context"
	"time"

	"github.com/go-doca/go-doca/generated/common"
)

// destroy calls doca_mmap_destroy, which may wait some seconds for a process that writes to the memory. If ctx ends first, the call
// goes on, and the next destroy waits for it. mu is locked.
func (m *Memory) destroy(ctx context.Context) error {
	if m.destroying == nil {
		if ctx.Done() == nil {
			return common.MmapDestroy(nil, m.raw)
		}
		done, raw := make(chan error, 1), m.raw
		m.destroying = done
		go func() { done <- common.MmapDestroy(nil, raw) }()
	}
	var err error
	select {
	case err = <-m.destroying:
	case <-ctx.Done():
		select {
		case err = <-m.destroying:
		case <-time.After(destroyTime):
			return ctx.Err()
		}
	}
	m.destroying = nil
	return err
}

// destroyTime is what a doca_mmap_destroy gets that waits for nobody, even if ctx has ended.
const destroyTime = 20 * time.Millisecond
