package dma_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
)

// A batch that waits for tasks is closed, or touched: nothing panics, and Run says so.
func TestBatchThatWaitsForTasks(t *testing.T) {
	for _, closing := range []bool{true, false} {
		b := newBench(t, 1)
		src, dst := b.pair(t, 0, 64)
		batch, from, to := b.batch(t, 1, 2, 64)
		faults(t, "delay=100ms")
		busy := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
		ran := make(chan error, 1)
		go func() { ran <- batch.Run(t.Context()) }()
		time.Sleep(20 * time.Millisecond) // it waits for the only task now
		if closing {
			check(t, batch.Close())
			wantErr(t, <-ran, doca.ErrClosed)
		} else {
			wantErr(t, batch.Reset(), doca.ErrInUse)
			wantErr(t, batch.Run(t.Context()), doca.ErrInUse)
			check(t, <-ran)
			same(t, from, to)
		}
		must(busy.Wait(t.Context()))(t)
		must(b.dma.Copy(t.Context(), dst, src))(t)
	}
}

// With a context that has ended nothing begins.
func TestCancelledBeforehand(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2)
	src, dst := b.pair(t, 0, 64)
	batch, _, to := b.batch(t, 1, 1, 64)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.dma.Copy(ctx, dst, src)
	wantErr(t, err, context.Canceled)
	_, err = b.dma.CopyAsync(ctx, dst, src)
	wantErr(t, err, context.Canceled)
	wantErr(t, batch.Run(ctx), context.Canceled)
	if dst.DataLen() != 0 || to[0].DataLen() != 0 {
		t.Error("something was copied")
	}
}
