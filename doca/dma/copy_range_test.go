package dma_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// newMemory returns memory of the bench's device, closed with it.
func (b *bench) newMemory(t testing.TB, size int, access doca.Access) *doca.Memory {
	t.Helper()
	return must(doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{b.dev}, Access: access}))(t)
}

// Random ranges within one memory and between two, against copy.
func TestCopyRange(t *testing.T) {
	b := newBench(t, 4)
	other := b.newMemory(t, 1<<16, 0)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range []*doca.Memory{b.mem, other} {
		for i := range m.Bytes() {
			m.Bytes()[i] = byte(rng.Uint32())
		}
	}
	for range 2000 {
		mems := [2]*doca.Memory{b.mem, other}
		src, dst := mems[rng.IntN(2)], mems[rng.IntN(2)]
		n := rng.IntN(2000)
		from, to := rng.IntN(src.Len()-n+1), rng.IntN(dst.Len()-n+1)
		if src == dst && from < to+n && to < from+n {
			continue
		}
		want := append([]byte(nil), dst.Bytes()...)
		copy(want[to:], src.Bytes()[from:][:n])
		require.NoError(t, b.dma.CopyRange(t.Context(), dst, to, src, from, n))
		require.Equal(t, want, dst.Bytes())
	}
}

func TestCopyRangeAsync(t *testing.T) {
	b := newBench(t, 4)
	copy(b.mem.Bytes(), "abcdef")
	var futures []*dma.Future
	for i := range 6 {
		futures = append(futures, must(b.dma.CopyRangeAsync(t.Context(), b.mem, 100+5-i, b.mem, i, 1))(t))
	}
	for _, f := range futures {
		assert.Equal(t, 1, must(f.Wait(t.Context()))(t))
	}
	assert.Equal(t, "fedcba", string(b.mem.Bytes()[100:106]))
	f := must(b.dma.CopyRangeAsync(t.Context(), b.mem, 0, b.mem, 0, 0))(t)
	assert.NoError(t, f.Err())
	<-f.Done()
	assert.Zero(t, must(f.Wait(t.Context()))(t))
}

// A copy that is larger than a task, within one memory and from another one.
func TestCopyRangeInParts(t *testing.T) {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "100")
	b := newBench(t, 4)
	for i := range 5000 {
		b.mem.Bytes()[i] = byte(i*7 + i/256)
	}
	for _, n := range []int{100, 101, 1234, 5000} {
		clear(b.mem.Bytes()[5000:])
		require.NoError(t, b.dma.CopyRange(t.Context(), b.mem, 5000, b.mem, 0, n))
		assert.Equal(t, b.mem.Bytes()[:n], b.mem.Bytes()[5000:5000+n])
		assert.Zero(t, b.mem.Bytes()[5000+n])
	}
}

func TestCopyRangeRefused(t *testing.T) {
	b := newBench(t, 4)
	ctx := t.Context()
	size := b.mem.Len()
	readOnly := b.newMemory(t, 100, doca.AccessLocalReadOnly)
	otherDev := must(doca.OpenDevice("03:00.1"))(t)
	defer otherDev.Close()
	far := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{otherDev}}))(t)
	closed := b.newMemory(t, 100, 0)
	check(t, closed.Close())
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		name           string
		ctx            context.Context
		dst            *doca.Memory
		dstOff         int
		src            *doca.Memory
		srcOff, length int
		is             error
		words          string
	}{
		{"nil source", ctx, b.mem, 0, nil, 0, 1, doca.ErrInvalidValue, "nil"},
		{"nil destination", ctx, nil, 0, b.mem, 0, 1, doca.ErrInvalidValue, "nil"},
		{"zero value", ctx, b.mem, 0, &doca.Memory{}, 0, 1, doca.ErrInvalidValue, "doca.NewMemory"},
		{"negative length", ctx, b.mem, 0, b.mem, 100, -1, doca.ErrInvalidValue, "-1 bytes at 100"},
		{"negative offset", ctx, b.mem, -1, b.mem, 100, 1, doca.ErrInvalidValue, "1 bytes at -1"},
		{"behind the source", ctx, b.mem, 0, b.mem, size - 4, 5, doca.ErrInvalidValue, "5 bytes at"},
		{"behind the destination", ctx, b.mem, size - 4, b.mem, 0, 5, doca.ErrInvalidValue, "5 bytes at"},
		{"an overflow", ctx, b.mem, 1<<63 - 1, b.mem, 0, 5, doca.ErrInvalidValue, "5 bytes at"},
		{"no bytes, out of bounds", ctx, b.mem, size + 1, b.mem, 0, 0, doca.ErrInvalidValue, "0 bytes at"},
		{"an overlap", ctx, b.mem, 10, b.mem, 15, 6, doca.ErrInvalidValue, "overlap"},
		{"read-only destination", ctx, readOnly, 0, b.mem, 0, 4, doca.ErrNotPermitted, "AccessLocalReadWrite"},
		{"another device's source", ctx, b.mem, 0, far, 0, 4, doca.ErrInvalidValue, far.String() + " is not registered with the device: name the device in MemoryConfig.Devices"},
		{"another device's destination", ctx, far, 0, b.mem, 0, 4, doca.ErrInvalidValue, "MemoryConfig.Devices"},
		{"closed source", ctx, b.mem, 0, closed, 0, 4, doca.ErrClosed, "memory#"},
		{"closed destination", ctx, closed, 0, b.mem, 0, 4, doca.ErrClosed, "memory#"},
		{"no bytes, closed", ctx, closed, 0, b.mem, 0, 0, doca.ErrClosed, "memory#"},
		{"a context that has ended", cancelled, b.mem, 10, b.mem, 0, 4, context.Canceled, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantErr(t, b.dma.CopyRange(c.ctx, c.dst, c.dstOff, c.src, c.srcOff, c.length), c.is, c.words)
			_, err := b.dma.CopyRangeAsync(c.ctx, c.dst, c.dstOff, c.src, c.srcOff, c.length)
			wantErr(t, err, c.is, c.words)
		})
	}
	check(t, b.dma.CopyRange(ctx, b.mem, size, b.mem, 0, 0))
	check(t, b.dma.CopyRange(ctx, b.mem, 0, readOnly, 0, 4)) // it can be read, and nothing has stopped the context
	check(t, b.dma.Stop(ctx))
	wantErr(t, b.dma.CopyRange(ctx, b.mem, 10, b.mem, 0, 4), doca.ErrBadState, "idle")
	wantErr(t, b.dma.CopyRange(ctx, b.mem, 10, b.mem, 0, 0), doca.ErrBadState, "idle")
}

// A failure leaves nothing behind: the memories can be used and closed.
func TestCopyRangeFaults(t *testing.T) {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "100")
	for _, n := range []int{50, 1000} {
		for _, spec := range []string{"fail-task=1", "lose-device=1", "exhaust-pool=1", "exhaust-pool=2", "exhaust-pool=3",
			"fail-call=doca_buf_inventory_create:1", "fail-call=doca_buf_inventory_start:1", "fail-call=doca_buf_inventory_create:2",
			"fail-call=doca_buf_inventory_buf_get_by_args:1", "fail-call=doca_buf_inventory_buf_get_by_args:2",
			"fail-call=doca_dma_task_memcpy_alloc_init:1"} {
			t.Run(spec, func(t *testing.T) {
				b := newBench(t, 4)
				other := b.newMemory(t, 1000, 0)
				copy(b.mem.Bytes(), "source")
				faults(t, spec)
				require.Error(t, b.dma.CopyRange(t.Context(), other, 0, b.mem, 0, n))
				faults(t, "")
				if b.dma.State() == doca.StateIdle {
					check(t, b.dma.Start(t.Context()))
				}
				check(t, b.dma.CopyRange(t.Context(), other, 0, b.mem, 0, n))
				assert.Equal(t, b.mem.Bytes()[:n], other.Bytes()[:n])
				check(t, other.Close())
				check(t, b.mem.Close())
			})
		}
	}
}

// A memory that is being closed takes no new copies, and waits for those in flight; also for all parts
// of one, and also if nobody waits for the copy any more.
func TestCloseMemoryDuringCopyRange(t *testing.T) {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "100")
	for _, n := range []int{50, 1000} {
		b := newBench(t, 4)
		release := hold(t)
		src, dst := b.newMemory(t, 1000, 0), b.newMemory(t, 1000, 0)
		f := must(b.dma.CopyRangeAsync(t.Context(), dst, 0, src, 0, n))(t)
		wantErr(t, src.Shutdown(canceled(t)), context.Canceled, "close on memory#", "an operation still uses the memory")
		assert.ErrorIs(t, f.Err(), doca.ErrInProgress)
		wantErr(t, b.dma.CopyRange(t.Context(), b.mem, 0, src, 0, 1), doca.ErrClosed, "memory#")
		wantErr(t, b.dma.CopyRange(t.Context(), src, 0, b.mem, 0, 1), doca.ErrClosed, "memory#")
		release()
		check(t, dst.Close())
		assert.Equal(t, n, must(f.Wait(t.Context()))(t))
		check(t, src.Close())

		src = b.newMemory(t, 1000, 0)
		faults(t, "delay=20ms")
		must(b.dma.CopyRangeAsync(t.Context(), b.mem, 0, src, 0, n))(t)
		check(t, src.Close()) // drives the engine
		faults(t, "")
	}
}

// What a context keeps on a memory goes with either of them.
func TestCopyRangeCloseInAnyOrder(t *testing.T) {
	for k := range 5 {
		b := newBench(t, 4)
		second := must(dma.New(b.dev, b.pe, dma.Config{}))(t)
		engine := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
		third := must(dma.New(b.dev, engine, dma.Config{}))(t)
		other := b.newMemory(t, 1000, 0)
		for _, d := range []*dma.DMA{b.dma, second, third} {
			check(t, d.CopyRange(t.Context(), other, 0, b.mem, 0, 10))
			check(t, d.CopyRange(t.Context(), b.mem, 10, other, 0, 10))
		}
		objects := []interface{ Close() error }{third, b.mem, engine, second, other}
		for i := range objects {
			check(t, objects[(k+i)%len(objects)].Close())
		}
		if k != 1 && k != 0 { // the context has the memory of others at once
			m := b.newMemory(t, 100, 0)
			check(t, b.dma.CopyRange(t.Context(), m, 0, m, 50, 10))
			check(t, m.Close())
		}
	}
}

// Copies and closes of their memories from many goroutines: each copy succeeds or finds its memory
// closed.
func TestCopyRangeBesideClose(t *testing.T) {
	b := newBench(t, 8)
	done := make(chan struct{})
	for g := range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range 50 {
				m := b.newMemory(t, 4096, 0)
				ended := make(chan error)
				for k := range 2 {
					go func() {
						var err error
						for j := 0; err == nil; j++ {
							err = b.dma.CopyRange(context.Background(), m, 2048*k, b.mem, 4096*g+j%8, 64)
						}
						ended <- err
					}()
				}
				time.Sleep(time.Duration(i) * 10 * time.Microsecond)
				assert.NoError(t, m.Close())
				for range 2 {
					assert.ErrorIs(t, <-ended, doca.ErrClosed)
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}

func TestCopyRangeAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	b := newBench(t, 4)
	other := b.newMemory(t, 1<<16, 0)
	i := 0
	allocs := testing.AllocsPerRun(1000, func() {
		i++
		check(t, b.dma.CopyRange(t.Context(), other, i*8, b.mem, i*16, 16))
	})
	assert.Zero(t, allocs)
}
