package core_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// A wait costs as many calls of the engine as it needs, however much it waits for: not one
// more to find out that there is nothing else.
func TestStepsFollowWhatWaitsNeed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	polls := func(n int, f func()) uint64 {
		before := core.Polls(r.PE)
		for range n {
			f()
		}
		return core.Polls(r.PE) - before
	}
	small := must(r.Inv.Buffer(r.Mem, 128, 8))(t)
	check(t, small.SetData(0, 8))
	batch := must(r.DMA.NewBatch(100))(t)
	inv := must(doca.NewInventory(100))(t)
	defer inv.Close()
	for i := range 100 {
		check(t, batch.Add(must(inv.Buffer(r.Mem, 2048+i*8, 8))(t), small))
	}
	run := func() { check(t, batch.Run(t.Context())) }
	one := func() { r.Copy(t) }
	for _, f := range []func(){run, one, run, one} {
		polls(3, f) // learns
		if n := polls(64, f); n > 64+64/8*2 {
			t.Errorf("64 waits took %d steps", n)
		}
	}
}
