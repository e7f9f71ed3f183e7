package core_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// A memory that was not exported is closed although ctx has ended, whether a machine is slow or not: nobody else writes to it.
func TestShutdownOfMemoryNeedsNoTime(t *testing.T) {
	defer core.SetDestroyTime(0)()
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		m := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
		check(t, m.Shutdown(ctx))
	}
}
