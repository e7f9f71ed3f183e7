package sha_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
	"github.com/go-doca/go-doca/examples/sha/internal/faults"
)

// All lengths up to three blocks, and some longer ones: the padding takes one block or two.
func TestSum(t *testing.T) {
	t.Parallel()
	for _, a := range []sha.Algorithm{sha.SHA1, sha.SHA256} {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sha.Config{Algorithm: a})
			src, dst := r.source(t, 0, 1<<16), r.buffer(t, 1<<16, r.sha.Size())
			lengths := []int{1000, 4096, 1<<16 - 1, 1 << 16}
			for n := range 193 {
				lengths = append(lengths, n)
			}
			for _, n := range lengths {
				require.NoError(t, src.SetData(0, n))
				require.NoError(t, r.sha.Sum(t.Context(), dst, src), "%d bytes", n)
				wantDigest(t, a, dst, src.Data())
			}
		})
	}
}

func TestSumOfAList(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{})
	head, dst := r.pair(t, 0, 100)
	data := append([]byte(nil), head.Data()...)
	for i, n := range []int{0, 1, 63, 64, 65, 1000} {
		next := r.source(t, 1<<12*(i+1), n)
		require.NoError(t, head.Chain(next))
		data = append(data, next.Data()...)
	}
	require.NoError(t, r.sha.Sum(t.Context(), dst, head))
	wantDigest(t, sha.SHA256, dst, data)
	for i := range 10 {
		require.NoError(t, head.Chain(r.source(t, 1<<16+i, 1)))
	}
	assert.ErrorIs(t, r.sha.Sum(t.Context(), dst, head), doca.ErrTooBig)
}

func TestSumErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{MaxTasks: 2})
	src, dst := r.pair(t, 0, 100)
	closed := r.buffer(t, 0, 100)
	require.NoError(t, closed.Close())
	list := r.buffer(t, 3000, 100)
	require.NoError(t, list.Chain(r.buffer(t, 4000, 100)))
	far, err := doca.OpenDevice(port1)
	require.NoError(t, err)
	defer far.Close()
	farMem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{far}})
	require.NoError(t, err)
	unreachable, err := r.inv.Buffer(farMem, 0, 100)
	require.NoError(t, err)
	large, err := doca.NewMemory(int(r.sha.Limits().MaxSourceSize)+1, doca.MemoryConfig{Devices: []*doca.Device{r.dev}})
	require.NoError(t, err)
	tooBig, err := r.inv.Buffer(large, 0, large.Len())
	require.NoError(t, err)
	require.NoError(t, tooBig.SetData(0, large.Len()))

	for _, c := range []struct {
		name     string
		dst, src *doca.Buffer
		want     error
		text     string
	}{
		{"no destination", nil, src, doca.ErrInvalidValue, "destination is nil"},
		{"no source", dst, nil, doca.ErrInvalidValue, "source is nil"},
		{"in place", src, src, doca.ErrInUse, "twice"},
		{"small", r.buffer(t, 1000, 31), src, doca.ErrInvalidValue, "room for 31 bytes, a digest has 32"},
		{"overlap", r.buffer(t, 99, 32), src, doca.ErrInvalidValue, "overlap"},
		{"list", list, src, doca.ErrInvalidValue, "destination is a list"},
		{"closed source", dst, closed, doca.ErrClosed, "closed"},
		{"closed destination", closed, src, doca.ErrClosed, "closed"},
		{"other device", dst, unreachable, doca.ErrInvalidValue, "MemoryConfig.Devices"},
		{"too big", dst, tooBig, doca.ErrTooBig, "at most 67108864"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := r.sha.Sum(t.Context(), c.dst, c.src)
			assert.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
			_, err = r.sha.SumAsync(t.Context(), c.dst, c.src)
			assert.ErrorIs(t, err, c.want)
		})
	}
	// After all that the buffers and the tasks are free, and the context runs.
	for range 3 {
		require.NoError(t, r.sha.Sum(t.Context(), dst, src))
	}
	require.NoError(t, dst.SetData(0, 0))
}

// Any number of sums may read a source; a destination is for one.
func TestClaims(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{MaxTasks: 4})
	src, dst := r.pair(t, 0, 100)
	other, second := r.pair(t, 1, 100)
	first, err := r.sha.SumAsync(t.Context(), dst, src)
	require.NoError(t, err)
	shared, err := r.sha.SumAsync(t.Context(), second, src)
	require.NoError(t, err)

	assert.ErrorIs(t, first.Err(), doca.ErrInProgress)
	_, err = r.sha.SumAsync(t.Context(), dst, other)
	assert.ErrorIs(t, err, doca.ErrInUse)
	assert.ErrorContains(t, err, "another operation is using it")
	_, err = r.sha.SumAsync(t.Context(), src, other)
	assert.ErrorIs(t, err, doca.ErrInUse)
	_, err = r.sha.SumAsync(t.Context(), other, dst)
	assert.ErrorIs(t, err, doca.ErrInUse)
	assert.ErrorIs(t, src.SetData(0, 1), doca.ErrInUse)
	assert.ErrorIs(t, dst.SetData(0, 1), doca.ErrInUse)

	require.NoError(t, first.Wait(soonish(t)))
	require.NoError(t, shared.Wait(soonish(t)))
	require.NoError(t, r.sha.Sum(t.Context(), dst, other))
	wantDigest(t, sha.SHA256, dst, other.Data())
}

func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{MaxTasks: 3})
	shared := r.source(t, 1<<19, 1000)
	var wg sync.WaitGroup
	for i := range 16 {
		src, dst := r.pair(t, i, 64)
		wg.Go(func() {
			for range 50 {
				assert.NoError(t, r.sha.Sum(t.Context(), dst, src))
				wantDigest(t, sha.SHA256, dst, src.Data())
				f, err := r.sha.SumAsync(t.Context(), dst, shared)
				if assert.NoError(t, err) {
					assert.NoError(t, f.Wait(t.Context()))
				}
				wantDigest(t, sha.SHA256, dst, shared.Data())
			}
		})
	}
	wg.Wait()
}

// A context.Context ends the wait, not the sum.
func TestCancelledSum(t *testing.T) {
	r := newRig(t, sha.Config{MaxTasks: 1})
	src, dst := r.pair(t, 0, 100)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.sha.Sum(ended, dst, src), context.Canceled)
	require.NoError(t, dst.SetData(0, 0), "nothing was started")

	faults.Set(t, "hold-tasks")
	ctx, cancel := context.WithCancel(t.Context())
	flies, waits := make(chan error), make(chan error)
	go func() { flies <- r.sha.Sum(ctx, dst, src) }()
	for dst.SetData(0, 0) == nil { // until it is in flight
		runtime.Gosched()
	}
	_, other := r.pair(t, 1, 100)
	go func() { waits <- r.sha.Sum(ctx, other, src) }() // for the only task
	cancel()
	require.ErrorIs(t, <-flies, context.Canceled)
	require.ErrorIs(t, <-waits, context.Canceled)
	require.ErrorIs(t, dst.SetData(0, 0), doca.ErrInUse, "the sum goes on")
	require.NoError(t, other.SetData(0, 0))

	faults.Set(t, "delay=1ns")
	require.NoError(t, r.sha.Sum(soonish(t), other, src), "when the first has ended")
	wantDigest(t, sha.SHA256, dst, src.Data())
	wantDigest(t, sha.SHA256, other, src.Data())
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	r := newRig(t, sha.Config{})
	src, dst := r.pair(t, 0, 64)
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() { require.NoError(t, r.sha.Sum(ctx, dst, src)) }))
}
