package sha_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
	"github.com/go-doca/go-doca/examples/sha/internal/faults"
)

// batch makes a batch of n sums of size bytes.
func (r *rig) batch(t testing.TB, n, size int) (batch *sha.Batch, src, dst []*doca.Buffer) {
	t.Helper()
	batch, err := r.sha.NewBatch(n)
	require.NoError(t, err)
	for i := range n {
		s, d := r.pair(t, i, size)
		src, dst = append(src, s), append(dst, d)
		require.NoError(t, batch.Add(d, s))
	}
	require.Equal(t, n, batch.Len())
	return batch, src, dst
}

func wantDigests(t testing.TB, src, dst []*doca.Buffer) {
	t.Helper()
	for i := range src {
		wantDigest(t, sha.SHA256, dst[i], src[i].Data())
	}
}

// With as many tasks as sums, and with fewer: then a task takes one sum after another.
func TestBatch(t *testing.T) {
	t.Parallel()
	for name, tasks := range map[string]int{"a task each": 32, "fewer tasks": 5, "one task": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sha.Config{MaxTasks: tasks})
			batch, src, dst := r.batch(t, 32, 100)
			require.NoError(t, batch.Wait(t.Context()), "nothing yet")
			for round := range 20 {
				for i, s := range src {
					fill(s.Data(), uint64(round*100+i))
				}
				require.NoError(t, batch.Run(t.Context()))
				wantDigests(t, src, dst)
			}
			// Whatever changes between runs, the next one notices.
			require.NoError(t, src[3].SetData(10, 20))
			require.NoError(t, dst[4].SetData(1, 2))
			require.NoError(t, batch.Run(t.Context()))
			wantDigests(t, src, dst)
			require.NoError(t, src[31].SetData(0, 0))
			require.NoError(t, r.sha.Stop(t.Context()))
			assert.ErrorIs(t, batch.Run(t.Context()), doca.ErrBadState)
			require.NoError(t, r.sha.Start(t.Context()))
			for range 2 {
				require.NoError(t, batch.Run(t.Context()))
				wantDigests(t, src, dst)
			}
			require.NoError(t, batch.Close())
			require.NoError(t, batch.Close())
			assert.ErrorIs(t, batch.Run(t.Context()), doca.ErrClosed)
			assert.ErrorIs(t, batch.Add(dst[0], src[0]), doca.ErrClosed)
			assert.ErrorIs(t, batch.Reset(), doca.ErrClosed)
			require.NoError(t, src[0].Close(), "it is the program's")
		})
	}
}

func TestBatchErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{MaxTasks: 4})
	for _, n := range []int{-1, 0} {
		_, err := r.sha.NewBatch(n)
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	batch, err := r.sha.NewBatch(2)
	require.NoError(t, err)
	src, dst := r.pair(t, 0, 64)
	src2, dst2 := r.pair(t, 1, 64)
	assert.ErrorIs(t, batch.Run(t.Context()), doca.ErrEmpty)
	assert.ErrorIs(t, batch.Add(nil, src), doca.ErrInvalidValue)
	assert.ErrorIs(t, batch.Add(dst, nil), doca.ErrInvalidValue)
	require.NoError(t, batch.Add(dst, src))
	require.NoError(t, batch.Add(dst, src2))
	assert.ErrorIs(t, batch.Add(dst2, src2), doca.ErrFull)
	assert.ErrorIs(t, batch.Run(t.Context()), doca.ErrInUse, "one destination, twice")
	require.NoError(t, batch.Reset())
	assert.Zero(t, batch.Len())
	require.NoError(t, batch.Add(dst, src))
	require.NoError(t, batch.Add(dst2, src), "one source, twice")
	require.NoError(t, batch.Submit(t.Context()))
	assert.ErrorIs(t, batch.Submit(t.Context()), doca.ErrInUse)
	assert.ErrorIs(t, batch.Add(dst2, src2), doca.ErrInUse)
	assert.ErrorIs(t, batch.Reset(), doca.ErrInUse)
	assert.ErrorIs(t, dst.SetData(0, 0), doca.ErrInUse)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, batch.Wait(soonish(t)))
	assert.ErrorIs(t, batch.Submit(ended), context.Canceled)

	small := r.buffer(t, 1000, 31)
	require.NoError(t, batch.Reset())
	require.NoError(t, batch.Add(dst, src))
	require.NoError(t, batch.Add(small, src))
	err = batch.Run(t.Context())
	assert.ErrorIs(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, "sum 1 of the batch")
	require.NoError(t, r.sha.Sum(t.Context(), dst, src), "nothing stays claimed")
	_ = src2
}

// A sum that the device fails ends the batch: those before it have succeeded, those behind it fail
// with it.
func TestBatchFails(t *testing.T) {
	for name, tasks := range map[string]int{"a task each": 8, "one task": 1} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sha.Config{MaxTasks: tasks})
			batch, err := r.sha.NewBatch(8)
			require.NoError(t, err)
			var src, dst [8]*doca.Buffer
			for i := range src {
				src[i], dst[i] = r.pair(t, i, 100)
				require.NoError(t, batch.Add(dst[i], src[i]))
			}
			for range 3 {
				faults.Set(t, "fail-task=4:IO_FAILED")
				err = batch.Run(soonish(t))
				assert.ErrorIs(t, err, doca.ErrIOFailed)
				assert.ErrorContains(t, err, "sum 3 of the batch")
				for i := range src {
					if i < 3 {
						assert.NoError(t, batch.Err(i))
						wantDigest(t, sha.SHA256, dst[i], src[i].Data())
					} else {
						assert.Error(t, batch.Err(i))
						assert.Zero(t, dst[i].DataLen())
					}
					assert.NoError(t, dst[i].SetData(0, 0), "nothing stays claimed")
				}
				assert.Equal(t, doca.StateIdle, r.sha.State())
				require.NoError(t, r.sha.Start(t.Context()))
			}
			require.NoError(t, batch.Reset())
			require.NoError(t, batch.Add(dst[0], src[7]))
			require.NoError(t, batch.Run(t.Context()))
			wantDigest(t, sha.SHA256, dst[0], src[7].Data())
		})
	}
}

func TestBatchFaults(t *testing.T) {
	for _, spec := range []string{"fail-task=1", "fail-task=3", "fail-task=8", "exhaust-pool=1", "exhaust-pool=3", "lose-device=3", "delay=1ms"} {
		t.Run(spec, func(t *testing.T) {
			r := newRig(t, sha.Config{MaxTasks: 4})
			batch, src, dst := r.batch(t, 8, 100)
			faults.Set(t, spec)
			err := batch.Run(soonish(t))
			assert.Equal(t, spec == "delay=1ms", err == nil, "%v", err)
			for i := range src {
				if err == nil || batch.Err(i) == nil && dst[i].DataLen() > 0 {
					wantDigest(t, sha.SHA256, dst[i], src[i].Data())
				}
				assert.NoError(t, src[i].SetData(0, 1))
				assert.NoError(t, dst[i].SetData(0, 0))
			}
		})
	}
}

// Sums and batches share the tasks: nobody starves, and a batch of many sums needs only one.
func TestBatchWaitsForATask(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{MaxTasks: 2})
	batch, src, dst := r.batch(t, 8, 100)
	second, err := r.sha.NewBatch(8)
	require.NoError(t, err)
	for i := range 8 {
		require.NoError(t, second.Add(r.buffer(t, 1<<19+32*i, 32), src[i]))
	}
	done := make(chan error)
	go func() {
		for range 100 {
			if err := second.Run(t.Context()); err != nil {
				done <- err
			}
		}
		done <- nil
	}()
	for range 100 {
		require.NoError(t, batch.Run(t.Context()))
	}
	require.NoError(t, <-done)
	wantDigests(t, src, dst)
}

func TestBatchAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	for name, tasks := range map[string]int{"a task each": 32, "fewer tasks": 5} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sha.Config{MaxTasks: tasks})
			batch, _, _ := r.batch(t, 32, 64)
			ctx := t.Context()
			assert.Zero(t, testing.AllocsPerRun(100, func() { require.NoError(t, batch.Run(ctx)) }))
		})
	}
}
