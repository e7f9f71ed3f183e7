package dpa_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

func TestCall(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	m, list := numbers(t, d, 100)
	values := make([]uint64, 100)
	for i := range values {
		values[i] = uint64(i) << 32
	}
	require.NoError(t, dpa.Put(m, 0, values...))
	for _, ctx := range []context.Context{context.Background(), soonish(t)} {
		assert.Equal(t, uint64(4950)<<32, must(dpatest.CallSum(ctx, d, list))(t))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				sum, err := dpatest.CallSum(soonish(t), d, list)
				assert.NoError(t, err)
				assert.Equal(t, uint64(4950)<<32, sum)
			}
		})
	}
	all.Wait()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, second(dpatest.CallSum(ended, d, list)), context.Canceled)
	_, err := dpa.CallFunction(t.Context(), d, "f", func(*common.DPA) (uint64, error) { return 0, abi.ErrorTooBig })
	doctest.WantErr(t, err, doca.ErrTooBig, "call on f on dpa#")
}

// A call that does not return is an error with the name of the function. It goes on, and the context works; a Close waits for it.
func TestCallThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	m, list := numbers(t, d, 1)
	_, err := dpatest.CallCallUntil(soon(t), d, m.Addr())
	doctest.WantErr(t, err, context.DeadlineExceeded, "call on call_until on dpa#", "has not returned")
	assert.Zero(t, must(dpatest.CallSum(t.Context(), d, list))(t))
	launched(t, must(dpatest.LaunchNothing(d, dpa.LaunchOptions{}))(t), nil)
	other := make(chan error, 1)
	go func() { other <- second(dpatest.CallCallUntil(context.Background(), d, m.Addr())) }()
	require.NoError(t, dpa.Put(m, 0, uint64(5)))
	require.NoError(t, <-other)
	_, err = dpatest.CallCallUntil(soonish(t), d, m.Addr())
	require.NoError(t, err)

	ev := toDPA(t, d)
	h := must(ev.DPAHandle(d))(t)
	require.ErrorIs(t, second(dpatest.CallCallAwait(soon(t), d, h, 0)), context.DeadlineExceeded)
	doctest.WantErr(t, d.Shutdown(soon(t)), context.DeadlineExceeded, "it waits for the call of call_await")
	require.NoError(t, ev.Set(t.Context(), 1), "nothing was closed that the function uses")
	require.NoError(t, d.Shutdown(soonish(t)))
}
