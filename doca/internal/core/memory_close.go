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
		if ctx.Done() == nil || !m.exported() {
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

// exported reports whether other processes may write to the memory, as far as DOCA tells. mu is locked.
func (m *Memory) exported() bool {
	exported, err := common.MmapGetExported(m.raw)
	return err != nil || exported
}

// destroyTime is what the doca_mmap_destroy of an exported memory gets, even if ctx has ended: mostly it waits for nobody.
var destroyTime = 20 * time.Millisecond
