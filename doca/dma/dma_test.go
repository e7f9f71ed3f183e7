package dma_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
)

// Many goroutines copy while tasks fail, pools are empty and devices vanish. Every
// call returns, each with the right result or an error, and the context can be started
// again; whoever finds it idle does so.
func TestFaultsUnderLoad(t *testing.T) {
	for _, spec := range []string{
		"fail-task=50,fail-task=51,fail-task=200", "fail-task=100,delay=100us", "lose-device=77",
		"exhaust-pool=1,exhaust-pool=3", "fail-call=doca_dma_task_memcpy_alloc_init:1", "fail-call=doca_ctx_start:1,fail-task=20",
	} {
		t.Run(spec, func(t *testing.T) {
			b := newBench(t, 3)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			var src, dst [6]*doca.Buffer
			for w := range src {
				src[w], dst[w] = b.pair(t, w, 64)
			}
			faults(t, spec)
			var work sync.WaitGroup
			var mu sync.Mutex
			failures := 0
			for w := range src {
				src, dst := src[w], dst[w]
				work.Go(func() {
					for done := 0; done < 100; {
						n, err := b.dma.Copy(ctx, dst, src)
						if err == nil && n == 64 && string(dst.Data()) == string(src.Data()) {
							done++
							continue
						}
						if err == nil || ctx.Err() != nil {
							t.Errorf("Copy = %d, %v", n, err)
							return
						}
						mu.Lock()
						failures++
						if failures == 5 {
							emulator.ClearFaults() // revives the device
						}
						if b.dma.State() != doca.StateRunning {
							b.dma.Start(ctx) // another one may be first, or it fails: the loop tries again
						}
						mu.Unlock()
					}
				})
			}
			work.Wait()
			if failures == 0 {
				t.Error("nothing failed")
			}
		})
	}
}

// All copies in flight fail with the one that does, and nothing of them is left.
func TestOneFailureFailsAll(t *testing.T) {
	b := newBench(t, 16)
	faults(t, "fail-task=3:DRIVER,delay=10ms")
	var bufs []*doca.Buffer
	var wait []func() error
	for i := range 16 {
		src, dst := b.pair(t, i, 64)
		bufs = append(bufs, src, dst)
		f := must(b.dma.CopyAsync(t.Context(), dst, src))(t)
		wait = append(wait, func() error { _, err := f.Wait(t.Context()); return err })
	}
	for i, w := range wait {
		err := w()
		switch {
		case i < 2: // done before
			check(t, err)
		case i == 2:
			wantErr(t, err, doca.ErrDriver, "call Start")
		default:
			wantErr(t, err, doca.ErrIOFailed, "call Start")
		}
	}
	for _, x := range bufs {
		check(t, x.SetData(0, 64))
	}
	_, err := b.dma.Copy(t.Context(), bufs[1], bufs[0])
	wantErr(t, err, doca.ErrDriver) // the cause, not what came of it
	check(t, b.dma.Start(t.Context()))
	must(b.dma.Copy(t.Context(), bufs[1], bufs[0]))(t)
}

// The device of a copy is lost: an error, no hang, and everything can be closed.
func TestLostDevice(t *testing.T) {
	b := newBench(t, 4)
	src, dst := b.pair(t, 0, 64)
	faults(t, "lose-device=2")
	must(b.dma.Copy(t.Context(), dst, src))(t)
	_, err := b.dma.Copy(t.Context(), dst, src)
	wantErr(t, err, doca.ErrIOFailed)
	if err := b.dma.Start(t.Context()); err == nil {
		t.Error("the context starts on a lost device")
	}
	_, err = b.dma.Copy(t.Context(), dst, src)
	wantErr(t, err, doca.ErrBadState)
}

// Every allocation in turn finds its pool empty.
func TestExhaustedPools(t *testing.T) {
	b := newBench(t, 2)
	src, dst := b.pair(t, 0, 64)
	for n := 1; ; n++ {
		check(t, b.dma.Stop(t.Context())) // frees the tasks
		check(t, b.dma.Start(t.Context()))
		faults(t, fmt.Sprintf("exhaust-pool=%d", n))
		_, err := b.dma.Copy(t.Context(), dst, src)
		if err == nil {
			if n == 1 {
				t.Error("nothing was exhausted")
			}
			break
		}
		if !errors.Is(err, doca.ErrNoMemory) {
			t.Fatal(err)
		}
		must(b.dma.Copy(t.Context(), dst, src))(t) // the next time there is room
	}
}

// After the loss of the device the errors say so, and a program can go on with the device opened
// again.
func TestLostDeviceAdvice(t *testing.T) {
	b := newBench(t, 4)
	src, dst := b.pair(t, 0, 64)
	faults(t, "lose-device=1")
	_, err := b.dma.Copy(t.Context(), dst, src)
	wantErr(t, err, doca.ErrIOFailed, "open the device again", "import the memory again")
	wantErr(t, b.dma.Start(t.Context()), doca.ErrInitialization, "device is gone", "open it again")
	check(t, b.dev.Close())
	faults(t, "")
	again := newBench(t, 4)
	src, dst = again.pair(t, 0, 64)
	must(again.dma.Copy(t.Context(), dst, src))(t)
}
