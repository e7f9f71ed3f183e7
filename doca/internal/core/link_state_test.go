package core_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
)

// newContext starts a context without a package of its own.
func newContext(t *testing.T, r *doctest.Rig) (*doca.Context, *bind.Link) {
	var link *bind.Link
	var raw *dma.DMA
	c := must(bind.NewContext(bind.ContextConfig{
		Kind:   "bound",
		Device: r.Dev,
		Engine: r.PE,
		Create: func(dev *common.Dev, made *bind.Link) (*common.Ctx, error) {
			link = made
			raw = must(dma.Create(dev))(t)
			check(t, dma.TaskMemcpySetConf(raw, 1))
			return dma.AsCtx(raw)
		},
		Destroy: func(ring *abi.Ring) error { return dma.Destroy(ring, raw) },
		Handle:  func([]abi.Record) {},
	}))(t)
	check(t, c.Start(t.Context()))
	return c, link
}

// A task may end outside of a step of the engine, when a goroutine of the binding has found out why it failed. A Close
// that waits for this task goes on then.
func TestCloseWaitsForTaskThatEndsOutsideAStep(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c, link := newContext(t, r)
	link.LockAlways()
	link.Submitted(1)
	link.Unlock()
	closed := make(chan error, 1)
	go func() { closed <- c.Close() }()
	require.Eventually(t, func() bool { return c.State() == doca.StateStopping && core.Asleep(r.PE) }, 20*time.Second, time.Millisecond)
	link.LockAlways()
	link.Finished(1)
	link.Unlock()
	select {
	case err := <-closed:
		check(t, err)
	case <-time.After(20 * time.Second):
		t.Fatal("Close hangs")
	}
}

// So does one that is about to sleep then.
func TestNoSleepWhileStopIsDue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c, link := newContext(t, r)
	link.LockAlways()
	link.Submitted(1)
	link.Unlock()
	wantErr(t, c.Shutdown(doctest.Soon(t, time.Millisecond)), context.DeadlineExceeded)
	link.LockAlways()
	link.Finished(1)
	link.Unlock()
	long := deadline(t, 20*time.Second)
	check(t, core.Doze(long, r.PE))
	check(t, long.Err())
	check(t, c.Close())
}

// A stop has ended when the context was idle, also if another goroutine starts it again before whoever waits for the stop has
// had a look.
func TestStopEndsBesideStart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c, link := newContext(t, r)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 500 {
		link.LockAlways()
		link.Submitted(1)
		link.Unlock()
		var both sync.WaitGroup
		both.Go(func() { assert.NoError(t, c.Stop(ctx)) })
		for c.State() != doca.StateStopping && ctx.Err() == nil {
			runtime.Gosched()
		}
		both.Go(func() { assert.NoError(t, c.Start(ctx)) })
		link.LockAlways()
		link.Finished(1)
		link.Unlock()
		both.Wait()
		require.False(t, t.Failed())
	}
	check(t, c.Close())
}
