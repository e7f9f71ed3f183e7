package dma_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/require"
)

// While a call of DOCA takes long, its engine is not free. Who waits for it heeds its context.
func TestWaitForABusyEngineEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	in, out := b.stream(t), b.stream(t)
	closing := must(dma.New(b.dev, b.pe, dma.Config{}))(t)
	calls := map[string]func(context.Context) error{
		"CopyIn": func(ctx context.Context) error {
			_, err := in.CopyIn(ctx, in.Destinations(b.mem, 0, 500), bytes.NewReader(make([]byte, 500)))
			return err
		},
		"CopyOut": func(ctx context.Context) error {
			_, err := out.CopyOut(ctx, io.Discard, out.Sources(b.mem, 1000, 500))
			return err
		},
		"Shutdown": closing.Shutdown,
	}
	doctest.EndWhileBusy(t, calls, dma.Hold(b.dma))
	require.Equal(t, doca.StateRunning, b.dma.State())
	require.NoError(t, closing.Close())
}
