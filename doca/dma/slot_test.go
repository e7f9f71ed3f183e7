package dma_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// Those who wait for a task learn that there will be none.
func TestWaitForTaskEndsWithContext(t *testing.T) {
	for name, end := range map[string]func(*dma.DMA) error{
		"close": func(d *dma.DMA) error { return d.Close() },
		"stop":  func(d *dma.DMA) error { return d.Stop(context.Background()) },
		"fault": func(d *dma.DMA) error { return d.WaitIdle(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 1)
			if name == "fault" {
				faults(t, "fail-task=1")
			}
			release := hold(t)
			src, dst := b.pair(t, 0, 64)
			src2, dst2 := b.pair(t, 1, 64)
			f := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
			var wait sync.WaitGroup
			for range 3 {
				wait.Go(func() {
					if _, err := b.dma.Copy(context.Background(), dst2, src2); !errors.Is(err, doca.ErrBadState) && !errors.Is(err, doca.ErrInUse) {
						t.Errorf("Copy = %v", err)
					}
				})
			}
			time.Sleep(10 * time.Millisecond) // all of them wait
			ended := make(chan error, 1)
			go func() { ended <- end(b.dma) }()
			if name != "fault" {
				require.Eventually(t, func() bool { return b.dma.State() != doca.StateRunning }, 20*time.Second, time.Millisecond)
			}
			release()
			check(t, <-ended)
			wait.Wait()
			if _, err := f.Wait(t.Context()); (err != nil) != (name == "fault") {
				t.Errorf("the copy in flight ended with %v", err)
			}
			if name == "close" {
				return
			}
			check(t, b.dma.Start(t.Context()))
			if n, err := b.dma.Copy(soonish(t), dst, src); n != 64 || err != nil { // no task was lost
				t.Errorf("afterwards: Copy = %d, %v", n, err)
			}
		})
	}
}
