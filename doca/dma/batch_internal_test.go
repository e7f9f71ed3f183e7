package dma

import (
	"bytes"
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	gen "github.com/go-doca/go-doca/generated/dma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBatchThatGrowsAgainLeavesItsTasks: behind the back of a batch, its tasks get another source. As long as the copies are on the
// same memories, the batch leaves them that, also when it has more copies than in the run before.
func TestBatchThatGrowsAgainLeavesItsTasks(t *testing.T) {
	t.Parallel()
	const most, size = 8, 16
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pe.Close()) })
	d, err := New(dev, pe, Config{MaxTasks: most + 1})
	require.NoError(t, err)
	memory := func(fill byte) *doca.Memory {
		mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
		require.NoError(t, err)
		for i := range mem.Bytes() {
			mem.Bytes()[i] = fill
		}
		return mem
	}
	own, others, third, to := memory('o'), memory('x'), memory('t'), memory(0)

	// run copies n ranges, and returns from which memory each has come.
	run := func(b *Batch, src *doca.Memory, n int) string {
		require.NoError(t, b.Reset())
		clear(to.Bytes())
		for i := range n {
			require.NoError(t, b.AddRange(to, i*size, src, i*size, size))
		}
		require.NoError(t, b.Run(context.Background()))
		var from []byte
		for i := range n {
			part := to.Bytes()[i*size:][:size]
			require.Equal(t, bytes.Repeat(part[:1], size), part, "copy %d", i)
			from = append(from, part[0])
		}
		return string(from)
	}
	other, err := d.NewBatch(1)
	require.NoError(t, err)
	assert.Equal(t, "x", run(other, others, 1))
	b, err := d.NewBatch(most)
	require.NoError(t, err)
	swap := func() {
		for _, slot := range b.b.tasks {
			require.NoError(t, gen.TaskMemcpySetSrc((*gen.TaskMemcpy)(slot.Typed), other.b.items[0].Src.Buf))
		}
	}

	assert.Equal(t, "oooooooo", run(b, own, most))
	swap()
	assert.Equal(t, "xxx", run(b, own, 3), "fewer copies")
	assert.Equal(t, "xxxxxxxx", run(b, own, most), "all copies again")
	assert.Equal(t, "xxxxx", run(b, own, 5))
	assert.Equal(t, "xxxxxxxx", run(b, own, most))
	assert.Equal(t, "ttt", run(b, third, 3), "on another memory")
	assert.Equal(t, "oooooooo", run(b, own, most), "and back")
}

// TestLargeBatchSetsDataOnce: what SetData has set is passed to DOCA when the batch is submitted, and not again with each copy, which others
// may read from by then.
func TestLargeBatchSetsDataOnce(t *testing.T) {
	t.Parallel()
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pe.Close()) })
	d, err := New(dev, pe, Config{MaxTasks: 1})
	require.NoError(t, err)
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	require.NoError(t, err)
	inv, err := doca.NewInventory(16)
	require.NoError(t, err)
	b, err := d.NewBatch(8)
	require.NoError(t, err)
	for i := range 8 {
		src, err := inv.Source(mem, i*64, 64)
		require.NoError(t, err)
		dst, err := inv.Buffer(mem, 2048+i*64, 64)
		require.NoError(t, err)
		require.NoError(t, src.SetData(0, 10+i))
		require.NoError(t, b.Add(dst, src))
	}
	require.NoError(t, b.Run(t.Context()))
	for i := range b.b.items {
		assert.Zero(t, b.b.items[i].Src.Data, "copy %d", i)
	}
}
