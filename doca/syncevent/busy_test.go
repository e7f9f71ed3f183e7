package syncevent_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/stretchr/testify/require"
)

// While a call of DOCA takes long, its engine is not free. Who waits for it heeds its context.
func TestWaitForABusyEngineEnds(t *testing.T) {
	t.Parallel()
	dev, pe := open(t, doctest.DPU0), engine(t)
	e := must(syncevent.NewTaskEvent(dev, pe, syncevent.Config{}))(t)
	closeAfter(t, e)
	closing := must(syncevent.NewTaskEvent(dev, pe, syncevent.Config{}))(t)
	future := must(e.GetAsync(t.Context()))(t)
	valued := func(_ uint64, err error) error { return err }
	async := func(_ *syncevent.Future, err error) error { return err }
	calls := map[string]func(context.Context) error{
		"Get":                func(ctx context.Context) error { return valued(e.Get(ctx)) },
		"GetAsync":           func(ctx context.Context) error { return async(e.GetAsync(ctx)) },
		"Set":                func(ctx context.Context) error { return e.Set(ctx, 1) },
		"SetAsync":           func(ctx context.Context) error { return async(e.SetAsync(ctx, 1)) },
		"Add":                func(ctx context.Context) error { return valued(e.Add(ctx, 1)) },
		"AddAsync":           func(ctx context.Context) error { return async(e.AddAsync(ctx, 1)) },
		"WaitEqual":          func(ctx context.Context) error { return valued(e.WaitEqual(ctx, 9, syncevent.AllBits)) },
		"WaitEqualAsync":     func(ctx context.Context) error { return async(e.WaitEqualAsync(ctx, 9, syncevent.AllBits)) },
		"WaitNotEqual":       func(ctx context.Context) error { return valued(e.WaitNotEqual(ctx, 0, syncevent.AllBits)) },
		"WaitGreater":        func(ctx context.Context) error { return valued(e.WaitGreater(ctx, 9, syncevent.AllBits)) },
		"Start":              e.Start,
		"Stop":               e.Stop,
		"WaitIdle":           e.WaitIdle,
		"WaitRunning":        e.WaitRunning,
		"Shutdown":           closing.Shutdown,
		"Future.Wait":        func(ctx context.Context) error { return valued(future.Wait(ctx)) },
		"Future.Wait, again": func(ctx context.Context) error { return valued(future.Wait(ctx)) },
	}
	doctest.EndWhileBusy(t, calls, syncevent.Hold(e))
	must(future.Wait(soonish(t)))(t)
	require.Equal(t, doca.StateRunning, e.State())
	require.Zero(t, must(e.Get(soonish(t)))(t))
	require.NoError(t, closing.Close())
}
