package dma_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

// A Run or Submit that waits for tasks ends when its batch is closed, not when others have given their tasks back.
func TestCloseEndsTheWaitOfABatch(t *testing.T) {
	b := newBench(t, 1)
	release := hold(t)
	src, dst := b.pair(t, 0, 64)
	src2, dst2 := b.pair(t, 1, 64)
	f := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
	for range 20 { // at times before the batch has begun to wait
		batch := must(b.dma.NewBatch(1))(t)
		check(t, batch.Add(dst2, src2))
		var wait sync.WaitGroup
		var runErr error
		wait.Go(func() { runErr = batch.Run(context.Background()) })
		require.Eventually(t, func() bool { return errors.Is(batch.Add(dst2, src2), doca.ErrInUse) }, 20*time.Second, time.Microsecond)
		check(t, batch.Close())
		wait.Wait()
		wantErr(t, runErr, doca.ErrClosed, "run batch")
	}
	release()
	if n, err := f.Wait(t.Context()); n != 64 || err != nil {
		t.Errorf("the copy in flight: %d, %v", n, err)
	}
	if n, err := b.dma.Copy(soonish(t), dst2, src2); n != 64 || err != nil { // no task was lost
		t.Errorf("afterwards: Copy = %d, %v", n, err)
	}
}
