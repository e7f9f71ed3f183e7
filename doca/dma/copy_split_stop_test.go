package dma_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// besideAFailure starts work while a task of another copy will fail with DRIVER, in the same
// step of the engine in which the first tasks of the work end. failing is the number of the
// task that fails.
func besideAFailure(t *testing.T, b *bench, spec string, start func()) {
	t.Helper()
	src, dst := b.pair(t, 100, 64)
	first := must(b.dma.CopyAsync(t.Context(), dst, src))(t) // keeps one task back for the failing copy
	faults(t, spec)
	release := hold(t)
	start()
	must(first.Wait(t.Context()))(t)
	failing := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
	release()
	_, err := failing.Wait(soonish(t))
	wantErr(t, err, doca.ErrDriver)
}

// wantStopped checks that an error says that the context has stopped, and why.
func wantStopped(t *testing.T, err error) {
	t.Helper()
	state := new(doca.StateError)
	require.True(t, errors.As(err, &state), "%v", err)
	assert.Equal(t, doca.StateStopping, state.State)
	assert.ErrorIs(t, err, doca.ErrBadState)
	assert.ErrorIs(t, err, doca.ErrDriver, "the cause")
}

// A copy in parts goes on in the step in which another copy fails: its error says that the
// context stops, and why, in place of DOCA's answer to the next part.
func TestCutCopyBesideAFailure(t *testing.T) {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "100")
	b := newBench(t, 4)
	src, dst := b.pair(t, 0, 2000)
	var cut *dma.Future
	besideAFailure(t, b, "fail-task=4:DRIVER", func() { cut = must(b.dma.CopyAsync(t.Context(), dst, src))(t) })
	n, err := cut.Wait(soonish(t))
	assert.Zero(t, n)
	wantStopped(t, err)
	faults(t, "")
	check(t, b.dma.Start(t.Context()))
	n, err = b.dma.Copy(t.Context(), dst, src)
	require.NoError(t, err)
	assert.Equal(t, 2000, n)
	assert.Equal(t, src.Data(), dst.Data())
}
