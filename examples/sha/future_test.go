package sha_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
)

func TestFuture(t *testing.T) {
	t.Parallel()
	r := newRig(t, sha.Config{})
	src, dst := r.pair(t, 0, 100)
	f, err := r.sha.SumAsync(t.Context(), dst, src)
	require.NoError(t, err)
	require.ErrorIs(t, f.Err(), doca.ErrInProgress)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_ = f.Wait(ended) // it may find the sum done
	select {
	case <-f.Done(): // nobody but the engine's own goroutine drives it
	case <-time.After(20 * time.Second):
		t.Fatal("the sum does not end")
	}
	require.NoError(t, f.Err())
	require.NoError(t, f.Wait(ended), "it has ended")
	wantDigest(t, sha.SHA256, dst, src.Data())

	_, err = r.sha.SumAsync(ended, dst, src)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = r.sha.SumAsync(t.Context(), dst, src)
	require.NoError(t, err, "a future that is dropped: Close waits for the sum")
}
