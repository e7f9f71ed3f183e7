package doctest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// EndWhileBusy makes all calls at once while an engine is busy, and checks that each ends with its context. Then it calls free, which
// frees the engine.
func EndWhileBusy(t testing.TB, calls map[string]func(context.Context) error, free func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	waiting := maps.Clone(calls)
	for name, call := range calls {
		all.Go(func() {
			assert.ErrorIs(t, call(ctx), context.DeadlineExceeded, name)
			mu.Lock()
			defer mu.Unlock()
			delete(waiting, name)
		})
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		mu.Lock()
		t.Errorf("these calls wait for the engine: %v", slices.Sorted(maps.Keys(waiting)))
		mu.Unlock()
	}
	free()
	<-ended
}
