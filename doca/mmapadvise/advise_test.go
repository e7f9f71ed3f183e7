package mmapadvise_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/mmapadvise"
	"github.com/go-doca/go-doca/emulator"
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

func TestMain(m *testing.M) { doctest.Main(m) }

func open(t *testing.T, cfg mmapadvise.Config) (*doctest.Rig, *mmapadvise.MmapAdvise) {
	r := doctest.NewRig(t)
	m := must(mmapadvise.New(r.Dev, r.PE, cfg))(t)
	t.Cleanup(func() { assert.NoError(t, m.Close()) })
	return r, m
}

func TestInvalidateCache(t *testing.T) {
	t.Parallel()
	r, m := open(t, mmapadvise.Config{MaxTasks: 2})
	r.Copy(t)
	for range 10 {
		require.NoError(t, m.InvalidateCache(t.Context(), r.Dst))
	}
	var all sync.WaitGroup // more than there are tasks
	for range 8 {
		all.Go(func() { assert.NoError(t, m.InvalidateCache(t.Context(), r.Dst)) })
	}
	all.Wait()
	assert.Equal(t, r.Src.Data(), r.Dst.Data())
	assert.Equal(t, uint64(2<<20), m.MaxSize())
}

func TestRefused(t *testing.T) {
	t.Parallel()
	r, m := open(t, mmapadvise.Config{})
	empty := must(r.Inv.Buffer(r.Mem, 100, 10))(t)
	big := must(doca.NewMemory(4<<20, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	defer big.Close()
	large := must(r.Inv.Buffer(big, 0, 3<<20))(t)
	require.NoError(t, large.SetData(0, 3<<20))
	other := must(doca.OpenDevice("03:00.1"))(t)
	defer other.Close()
	foreign := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{other}}))(t)
	far := must(r.Inv.Buffer(foreign, 0, 10))(t)
	require.NoError(t, far.SetData(0, 10))
	list := must(r.Inv.Buffer(r.Mem, 200, 10))(t)
	require.NoError(t, list.SetData(0, 10))
	next := must(r.Inv.Buffer(r.Mem, 300, 10))(t)
	require.NoError(t, next.SetData(0, 10))
	require.NoError(t, list.Chain(next))
	for name, c := range map[string]struct {
		buf  *doca.Buffer
		want error
		says string
	}{
		"nil":       {nil, doca.ErrInvalidValue, "the buffer is nil"},
		"zero":      {&doca.Buffer{}, doca.ErrInvalidValue, "the buffer is nil"},
		"empty":     {empty, doca.ErrInvalidValue, "empty"},
		"too big":   {large, doca.ErrTooBig, "at most"},
		"far away":  {far, doca.ErrInvalidValue, "not registered with the device"},
		"a list":    {list, doca.ErrTooBig, "a list of 2 buffers"},
		"in a list": {next, doca.ErrNotPermitted, "inside a list"},
	} {
		t.Run(name, func(t *testing.T) {
			doctest.WantErr(t, m.InvalidateCache(t.Context(), c.buf), c.want, "invalidate cache on ", c.says)
			require.NoError(t, m.InvalidateCache(t.Context(), r.Src), "the others still work")
		})
	}
	for _, n := range []int{-1, 1 << 20, 1<<32 + 1, math.MaxInt} { // the third is 1 in DOCA's 32 bits
		_, err := mmapadvise.New(r.Dev, r.PE, mmapadvise.Config{MaxTasks: n})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	require.NoError(t, mmapadvise.Supported(r.Dev.Info()))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, m.InvalidateCache(ended, r.Src), context.Canceled)
	require.NoError(t, m.Close())
	require.ErrorIs(t, m.InvalidateCache(t.Context(), r.Src), doca.ErrClosed)
}

func TestFailureAndDelay(t *testing.T) {
	t.Parallel()
	r, m := open(t, mmapadvise.Config{})
	on := emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(m.Context))(t))}
	end := must(emulator.Faults{On: on, FailTasks: []emulator.TaskFault{{N: 1}}}.Add())(t)
	require.ErrorIs(t, m.InvalidateCache(t.Context(), r.Src), doca.ErrIOFailed)
	end()
	require.NoError(t, m.InvalidateCache(t.Context(), r.Src))

	end = must(emulator.Faults{On: on, HoldTasks: true}.Add())(t)
	defer end()
	require.ErrorIs(t, m.InvalidateCache(doctest.Soon(t, time.Millisecond), r.Src), context.DeadlineExceeded)
	stopped := make(chan error, 1)
	go func() { stopped <- m.Stop(t.Context()) }()
	doctest.Stays(t, stopped, "it does not wait for what goes on")
	end()
	require.NoError(t, <-stopped)
	require.ErrorIs(t, m.InvalidateCache(t.Context(), r.Src), doca.ErrBadState)
	require.NoError(t, m.Start(t.Context()))
}
