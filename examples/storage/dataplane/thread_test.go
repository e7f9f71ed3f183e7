package dataplane

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

func TestSilence(t *testing.T) {
	t.Parallel()
	var s silence
	for range 100_000 {
		require.False(t, s.longer(0), "no limit")
		require.False(t, s.longer(time.Hour))
	}
	for !s.longer(time.Nanosecond) { // it comes
	}
	s = silence{}
	for range pollsPerLook {
		require.False(t, s.longer(time.Nanosecond), "it begins anew")
	}
	// While the thread itself was stopped, nobody has been silent.
	s.last = time.Now().Add(-time.Hour)
	for range pollsPerLook {
		require.False(t, s.longer(time.Minute))
	}
}

// A thread that does not stop is aborted, and Join returns when it has ended.
func TestJoin(t *testing.T) {
	t.Parallel()
	want := errors.New("its own")
	thread, err := Go(AnyCPU, func(stop *atomic.Bool) error {
		for !stop.Load() {
		}
		return want
	}, func() { assert.Fail(t, "it stops by itself") })
	require.NoError(t, err)
	assert.Equal(t, want, thread.Join())

	var aborted, ended atomic.Bool
	thread, err = Go(AnyCPU, func(*atomic.Bool) error {
		defer ended.Store(true)
		for !aborted.Load() {
			time.Sleep(time.Millisecond)
		}
		return want
	}, func() { aborted.Store(true) })
	require.NoError(t, err)
	assert.ErrorIs(t, thread.Join(), doca.ErrTimeOut)
	assert.True(t, ended.Load())
}

func TestCheckCPUs(t *testing.T) {
	t.Parallel()
	assert.NoError(t, CheckCPUs([]int{AnyCPU}))
	assert.ErrorIs(t, CheckCPUs(nil), doca.ErrInvalidValue)
	for _, cpu := range []int{1000, 1 << 20} {
		assert.ErrorIs(t, CheckCPUs([]int{AnyCPU, cpu}), doca.ErrInvalidValue)
	}
}
