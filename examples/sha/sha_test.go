package sha_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
	"github.com/go-doca/go-doca/examples/sha/internal/faults"
)

func TestNew(t *testing.T) {
	t.Parallel()
	info, err := doca.Provider()
	require.NoError(t, err)
	assert.Equal(t, "sdk", info.Name)

	r := newRig(t, sha.Config{})
	assert.Equal(t, 32, r.sha.Size())
	assert.Equal(t, sha.DefaultMaxTasks, r.sha.MaxTasks())
	assert.Equal(t, doca.StateRunning, r.sha.State())
	assert.Same(t, r.dev, r.sha.Device())
	assert.Regexp(t, `^sha#\d+ \(0000:03:00\.0\)$`, r.sha.String())
	for _, c := range []struct {
		name string
		cfg  sha.Config
		want error
		text string
	}{
		{"negative", sha.Config{MaxTasks: -1}, doca.ErrInvalidValue, "MaxTasks is -1, the device supports 1 to 65536"},
		{"many", sha.Config{MaxTasks: 1 << 20}, doca.ErrInvalidValue, "65536"},
		{"algorithm", sha.Config{Algorithm: 7}, doca.ErrInvalidValue, "Algorithm(7)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sha.New(r.dev, r.pe, c.cfg)
			assert.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
		})
	}
	_, err = sha.New(nil, r.pe, sha.Config{})
	assert.ErrorIs(t, err, doca.ErrInvalidValue)
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{MaxTasks: 2})
	src, dst := r.pair(t, 0, 100)
	flying, err := r.sha.SumAsync(t.Context(), dst, src)
	require.NoError(t, err)
	require.NoError(t, r.sha.Stop(soonish(t)), "a stop waits for what is in flight")
	require.NoError(t, flying.Err())
	assert.Equal(t, doca.StateIdle, r.sha.State())
	err = r.sha.Sum(t.Context(), dst, src)
	assert.ErrorIs(t, err, doca.ErrBadState)
	assert.ErrorContains(t, err, "the object is idle, not running")
	require.NoError(t, r.sha.Start(t.Context()))
	require.NoError(t, r.sha.Sum(t.Context(), dst, src))
	require.NoError(t, r.sha.Close())
	require.NoError(t, r.sha.Close())
	assert.ErrorIs(t, r.sha.Sum(t.Context(), dst, src), doca.ErrClosed)
	_, err = r.sha.NewBatch(1)
	assert.ErrorIs(t, err, doca.ErrClosed)
}

// The device fails the second of three tasks.
func TestFailingTask(t *testing.T) {
	r := newRig(t, sha.Config{MaxTasks: 4})
	src, dst := r.pair(t, 0, 100)
	_, bad := r.pair(t, 2, 100)
	for range 3 {
		faults.Set(t, "fail-task=2:IO_FAILED")
		before, err := r.sha.SumAsync(t.Context(), dst, src)
		require.NoError(t, err)
		failing, err := r.sha.SumAsync(t.Context(), bad, src)
		require.NoError(t, err)
		_, third := r.pair(t, 1, 100)
		after, err := r.sha.SumAsync(t.Context(), third, src)
		require.NoError(t, err)

		err = failing.Wait(soonish(t))
		assert.ErrorIs(t, err, doca.ErrIOFailed)
		assert.ErrorContains(t, err, "call Start to use it again")
		assert.NoError(t, before.Wait(soonish(t)))
		assert.Error(t, after.Wait(soonish(t)), "it is lost with the context")
		assert.Zero(t, bad.DataLen())
		assert.Zero(t, third.DataLen())

		assert.Equal(t, doca.StateIdle, r.sha.State())
		err = r.sha.Sum(t.Context(), dst, src)
		assert.ErrorIs(t, err, doca.ErrBadState)
		assert.ErrorContains(t, err, "after DOCA_ERROR_IO_FAILED: call Start", "the cause is named")
		require.NoError(t, r.sha.Start(t.Context()))
		require.NoError(t, r.sha.Sum(t.Context(), third, src))
		wantDigest(t, sha.SHA256, third, src.Data())
	}
}

// The emulator's faults: whatever fails, nothing is left in flight and nothing stays claimed.
func TestFaults(t *testing.T) {
	for _, spec := range []string{"fail-task=2:IO_FAILED", "exhaust-pool=1", "lose-device=2", "delay=1ms"} {
		t.Run(spec, func(t *testing.T) {
			r := newRig(t, sha.Config{MaxTasks: 2})
			var src, dst [4]*doca.Buffer
			for i := range src {
				src[i], dst[i] = r.pair(t, i, 100)
			}
			faults.Set(t, spec)
			for i := range src {
				if err := r.sha.Sum(soonish(t), dst[i], src[i]); err == nil {
					wantDigest(t, sha.SHA256, dst[i], src[i].Data())
				}
				assert.NoError(t, src[i].SetData(0, 1))
				assert.NoError(t, dst[i].SetData(0, 0))
			}
		})
	}
}

// Close in any order, with a batch and a sum in flight.
func TestCloseInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range 20 {
		r := openRig(t, sha.Config{MaxTasks: 2})
		src, dst := r.pair(t, 0, 100)
		batch, err := r.sha.NewBatch(4)
		require.NoError(t, err)
		for i := range 4 {
			s, d := r.pair(t, i+1, 100)
			require.NoError(t, batch.Add(d, s))
		}
		f, err := r.sha.SumAsync(t.Context(), dst, src)
		require.NoError(t, err)
		require.NoError(t, batch.Submit(t.Context()))
		all := append(r.closers(), batch, src, dst)
		rand.New(rand.NewPCG(uint64(seed), 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, c := range all {
			require.NoError(t, c.Close(), "seed %d: %v", seed, c)
		}
		assert.NoError(t, f.Err())
		assert.NoError(t, batch.Wait(t.Context()))
		assert.ErrorIs(t, batch.Run(t.Context()), doca.ErrClosed)
	}
}

// A lost handle is reported with the line of the program, not with that of the binding.
func TestLeaks(t *testing.T) {
	leaks := make(chan doca.Object, 8)
	doca.SetLeakReporter(func(o doca.Object) { leaks <- o })
	defer doca.SetLeakReporter(nil)
	dev, err := doca.OpenDevice(port0)
	require.NoError(t, err)
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	require.NoError(t, err)
	var line int
	func() {
		_, _, line, _ = runtime.Caller(0)
		s, err := sha.New(dev, pe, sha.Config{})
		require.NoError(t, err)
		_, err = s.NewBatch(3)
		require.NoError(t, err)
	}()
	sites := map[string]string{}
	for deadline := time.After(20 * time.Second); len(sites) < 2; {
		runtime.GC()
		select {
		case o := <-leaks:
			kind, _, _ := strings.Cut(o.Name, "#")
			sites[kind] = o.Site
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatal("no leak was reported")
		}
	}
	_, file, _, _ := runtime.Caller(0)
	assert.Regexp(t, at(file, line+1), sites["sha"])
	assert.Regexp(t, at(file, line+3), sites["batch"])
	require.NoError(t, pe.Close())
	require.NoError(t, dev.Close())
	assert.Empty(t, doca.Leaks())
}

// A batch keeps the handles of its context, device and engine: a program that holds only the batch
// has lost none of them.
func TestBatchKeepsItsContext(t *testing.T) {
	leaks := make(chan doca.Object, 8)
	doca.SetLeakReporter(func(o doca.Object) { leaks <- o })
	defer doca.SetLeakReporter(nil)
	batch := func() *sha.Batch {
		dev, err := doca.OpenDevice(port0)
		require.NoError(t, err)
		pe, err := doca.NewProgressEngine(doca.EngineConfig{})
		require.NoError(t, err)
		s, err := sha.New(dev, pe, sha.Config{})
		require.NoError(t, err)
		t.Cleanup(func() {
			assert.NoError(t, pe.Close())
			assert.NoError(t, dev.Close())
		})
		b, err := s.NewBatch(3)
		require.NoError(t, err)
		return b
	}()
	for range 3 {
		runtime.GC()
	}
	assert.Empty(t, doca.Leaks())
	assert.Empty(t, leaks)
	require.NoError(t, batch.Shutdown(context.Background()))
}

func at(file string, line int) string {
	return "^" + filepath.Base(file) + ":" + strconv.Itoa(line) + " "
}
