package syncevent_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/syncevent"
)

var pollings = map[string]syncevent.Polling{
	"default":   {},
	"sleepy":    {Spin: -1, MaxPause: 10 * time.Millisecond},
	"busy":      {MaxPause: -1},
	"long spin": {Spin: time.Second},
}

// The subscriber sees a value that grows, and the last one.
func TestWaitGreater(t *testing.T) {
	t.Parallel()
	const last = 200
	for name, polling := range pollings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev, ctx := newEvent(t, open(t, doctest.DPU0), syncevent.Config{Polling: polling}), soonish(t)
			go func() {
				for i := range last {
					if i%20 == 0 {
						time.Sleep(time.Millisecond)
					}
					assert.NoError(t, ev.Set(ctx, uint64(i+1)))
				}
			}()
			for seen := uint64(0); seen < last; {
				next := must(ev.WaitGreater(ctx, seen, syncevent.AllBits))(t)
				require.Greater(t, next, seen)
				seen = next
			}
		})
	}
}

func TestWaitConditions(t *testing.T) {
	t.Parallel()
	ev := newEvent(t, open(t, doctest.DPU0), syncevent.Config{})
	require.NoError(t, ev.Set(t.Context(), 0x1234))
	type wait func(context.Context, uint64, uint64) (uint64, error)
	for name, c := range map[string]struct {
		wait        wait
		value, mask uint64
		ends        bool
	}{
		"greater":             {ev.WaitGreater, 0x1233, syncevent.AllBits, true},
		"not greater":         {ev.WaitGreater, 0x1234, syncevent.AllBits, false},
		"greater, masked":     {ev.WaitGreater, 0x33, 0xff, true},
		"not greater, masked": {ev.WaitGreater, 0x34, 0xff, false},
		"equal":               {ev.WaitEqual, 0x1200, 0xff00, true},
		"not equal":           {ev.WaitEqual, 0x1234, 0xff00, false},
		"differs":             {ev.WaitNotEqual, 0x1234, 0xff00, true},
		"does not differ":     {ev.WaitNotEqual, 0x1234, syncevent.AllBits, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := soon(t)
			if c.ends {
				ctx = soonish(t)
			}
			got, err := c.wait(ctx, c.value, c.mask)
			if c.ends {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
			if err == nil {
				assert.Equal(t, uint64(0x1234), got)
			}
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, polling := range pollings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev := newEvent(t, open(t, doctest.DPU0), syncevent.Config{Polling: polling})
			_, err := ev.WaitEqual(soon(t), 1, syncevent.AllBits)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
	}
}

// Any number of goroutines wait, change and close.
func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	const publishers, each = 4, 500
	ev, ctx := newEvent(t, open(t, doctest.DPU0), syncevent.Config{}), soonish(t)
	var all sync.WaitGroup
	for range publishers {
		all.Go(func() {
			for range each {
				if _, err := ev.Add(ctx, 1); !assert.NoError(t, err) {
					return
				}
			}
		})
		all.Go(func() {
			got, err := ev.WaitEqual(ctx, publishers*each, syncevent.AllBits)
			assert.NoError(t, err)
			assert.Equal(t, uint64(publishers*each), got)
		})
	}
	all.Wait()
}
