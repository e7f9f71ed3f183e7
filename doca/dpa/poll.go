package dpa

import (
	"context"
	"runtime"
	"time"
)

// How long a wait looks without pauses, and the bounds of its pauses.
const (
	spin     = 20 * time.Microsecond
	minPause = 20 * time.Microsecond
	maxPause = 10 * time.Millisecond
)

// poll calls look until it is done, with pauses that grow. It needs no thread meanwhile. If ctx ends first, it returns ctx.Err().
func poll(ctx context.Context, look func() (done bool, err error)) error {
	var timer *time.Timer
	start := time.Now()
	for {
		if done, err := look(); done || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		waited := time.Since(start)
		if waited < spin {
			runtime.Gosched()
			continue
		}
		pause := min(max(waited/8, minPause), maxPause)
		if timer == nil {
			timer = time.NewTimer(pause)
			defer timer.Stop()
		} else {
			timer.Reset(pause)
		}
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}
