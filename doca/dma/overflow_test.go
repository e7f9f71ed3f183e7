package dma_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// A callback that runs during a call without the engine's ring reaches the engine that its context belongs to, and no
// other.
func TestRecordsOutsideOfTheRing(t *testing.T) {
	t.Parallel()
	mine, other := newBench(t, 1), newBench(t, 1)
	raw := must(bind.RawContext(mine.dma.Context))(t)
	before := abi.Overflow()
	check(t, common.CtxStop(nil, raw))
	after := abi.Overflow()
	require.Greater(t, after.Seen, before.Seen)
	assert.Zero(t, after.Lost)
	_ = must(other.pe.Progress())(t)
	assert.Equal(t, doca.StateRunning, mine.dma.State())
	_ = must(mine.pe.Progress())(t)
	assert.Equal(t, doca.StateIdle, mine.dma.State())
	assert.Equal(t, doca.StateRunning, other.dma.State())

	// Completions as well: the context is driven by the bindings, without a ring, until its copy has ended.
	check(t, mine.dma.Start(t.Context()))
	pe := must(bind.RawEngine(mine.pe))(t)
	src, dst := mine.pair(t, 0, 64)
	copied := must(mine.dma.CopyAsync(t.Context(), dst, src))(t)
	for seen := abi.Overflow().Seen; abi.Overflow().Seen == seen; {
		_ = must(common.PEProgressBatch(nil, pe, 8))(t)
	}
	_ = must(copied.Wait(soonish(t)))(t)
	assert.Equal(t, src.Data(), dst.Data())
	check(t, mine.dma.Close())

	// A context of another engine with the same number is another context.
	again := must(dma.New(mine.dev, mine.pe, dma.Config{}))(t)
	check(t, common.CtxStop(nil, must(bind.RawContext(again.Context))(t)))
	_ = must(other.pe.Progress())(t)
	assert.Equal(t, doca.StateRunning, other.dma.State())
	_ = must(mine.pe.Progress())(t)
	assert.Equal(t, doca.StateIdle, again.State())
	check(t, again.Close())
}
