package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// A data segment that is set while a run begins is that of the run, or is refused and taken back.
func TestLateData(t *testing.T) {
	r := newRig(t)
	batch := must(r.DMA.NewBatch(1))(t)
	check(t, batch.Add(r.Dst, r.Src))
	check(t, r.Src.SetData(0, 1))
	ctx := deadline(t, 20*time.Second)
	check(t, batch.Run(ctx))
	check(t, r.Src.SetData(0, 2)) // from now on without the lock
	faults(t, "delay=20ms")
	check(t, batch.Submit(ctx))
	wantErr(t, core.LateData(r.Src, 0, 3), doca.ErrInUse)
	assert.Equal(t, 2, r.Src.DataLen())
	check(t, core.LateData(r.Src, 0, 2)) // the run has it
	check(t, batch.Wait(ctx))
	faults(t, "")
	assert.Equal(t, 2, r.Dst.DataLen())
	check(t, core.LateData(r.Src, 0, 3)) // the run has ended meanwhile
	check(t, batch.Run(ctx))
	assert.Equal(t, 3, r.Dst.DataLen())
	check(t, batch.Run(ctx))
	assert.Equal(t, 3, r.Dst.DataLen())
}

// A data segment that is set with the help of a claim that was on the buffer before reaches the one that is.
func TestStaleData(t *testing.T) {
	r := newRig(t)
	batch := must(r.DMA.NewBatch(1))(t)
	check(t, batch.Add(r.Dst, r.Src))
	ctx := deadline(t, 20*time.Second)
	check(t, batch.Run(ctx))
	check(t, r.Src.SetData(0, 2)) // from now on without the lock
	check(t, batch.Run(ctx))
	check(t, core.StaleData(r.Src, 0, 3))
	check(t, batch.Run(ctx))
	assert.Equal(t, 3, r.Dst.DataLen())
	faults(t, "delay=20ms")
	check(t, batch.Submit(ctx))
	wantErr(t, core.StaleData(r.Src, 0, 4), doca.ErrInUse)
	check(t, batch.Wait(ctx))
	faults(t, "")
	assert.Equal(t, 3, r.Src.DataLen())
}

// What each operation needs of a buffer is in two lines of the cache: Go allocates what has between 257 and 320 bytes at the
// beginning of a line.
func TestBufferLayout(t *testing.T) {
	t.Parallel()
	size, hot := core.BufferLayout()
	assert.LessOrEqual(t, hot, uintptr(128))
	assert.Greater(t, size, uintptr(256))
	assert.LessOrEqual(t, size, uintptr(320))
}
