package dma_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// Random batches against copy: ranges, some of them empty, and buffers, in any order, with fewer and
// with more copies than tasks.
func TestBatchOfRanges(t *testing.T) {
	const most, size = 40, 64
	b := newBench(t, 16)
	other := b.newMemory(t, 1<<16, 0)
	batch := must(b.dma.NewBatch(most))(t)
	defer batch.Close()
	var bufs [2][]*doca.Buffer
	for i := range most {
		bufs[0] = append(bufs[0], must(b.inv.Buffer(b.mem, i*size, size))(t))
		bufs[1] = append(bufs[1], must(b.inv.Buffer(other, i*size, size))(t))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		for _, m := range []*doca.Memory{b.mem, other} {
			for i := range 2 * most * size {
				m.Bytes()[i] = byte(rng.Uint32())
			}
		}
		check(t, batch.Reset())
		n := 1 + rng.IntN(most)
		want := slices.Clone(other.Bytes())
		for i := range n {
			from, to := i*size, (most+i)*size
			switch rng.IntN(4) {
			case 0:
				length := 1 + rng.IntN(size)
				check(t, bufs[0][i].SetData(size-length, length))
				to = i * size
				check(t, batch.Add(bufs[1][i], bufs[0][i]))
				copy(want[to:], b.mem.Bytes()[from:][size-length:size])
			case 1:
				check(t, batch.AddRange(other, to, b.mem, from, 0))
			default:
				length, shift := rng.IntN(size/2), rng.IntN(size/2)
				check(t, batch.AddRange(other, to+shift, b.mem, from+shift/2, length))
				copy(want[to+shift:], b.mem.Bytes()[from+shift/2:][:length])
			}
		}
		assert.Equal(t, n, batch.Len())
		for range 1 + rng.IntN(3) {
			require.NoError(t, batch.Run(t.Context()))
			for i := range n {
				require.NoError(t, batch.Err(i))
			}
			require.Equal(t, want, other.Bytes())
		}
	}
}

func TestBatchOfRangesRefused(t *testing.T) {
	b := newBench(t, 4)
	readOnly := b.newMemory(t, 100, doca.AccessLocalReadOnly)
	batch := must(b.dma.NewBatch(2))(t)
	size := b.mem.Len()
	wantErr(t, batch.AddRange(b.mem, 0, nil, 0, 1), doca.ErrInvalidValue, "nil")
	wantErr(t, batch.AddRange(nil, 0, b.mem, 0, 1), doca.ErrInvalidValue, "nil")
	wantErr(t, batch.AddRange(b.mem, 0, b.mem, size, 1), doca.ErrInvalidValue, "1 bytes at")
	wantErr(t, batch.AddRange(b.mem, 10, b.mem, 12, 4), doca.ErrInvalidValue, "overlap")
	assert.Zero(t, batch.Len())
	wantErr(t, batch.Run(t.Context()), doca.ErrEmpty)
	check(t, batch.AddRange(b.mem, 10, b.mem, 0, 4))
	check(t, batch.AddRange(readOnly, 10, b.mem, 0, 4))
	wantErr(t, batch.AddRange(b.mem, 10, b.mem, 0, 4), doca.ErrFull, "2 copies")
	wantErr(t, batch.Run(t.Context()), doca.ErrNotPermitted, "copy 1 of the batch", "AccessLocalReadWrite")
	wantErr(t, batch.Wait(t.Context()), doca.ErrBadState)
	check(t, batch.Reset())
	big := b.newMemory(t, 8<<20, 0)
	wantErr(t, batch.AddRange(big, 0, big, 4<<20, 3<<20), doca.ErrTooBig, "CopyRange")

	check(t, batch.AddRange(b.mem, 0, readOnly, 0, 4))
	check(t, readOnly.Close())
	wantErr(t, batch.Run(t.Context()), doca.ErrClosed, "copy 0 of the batch")
	wantErr(t, batch.AddRange(b.mem, 0, readOnly, 0, 4), doca.ErrClosed)
	otherDev := must(doca.OpenDevice("03:00.1"))(t)
	far := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{otherDev}}))(t)
	for k, dst := range []*doca.Memory{b.mem, far} {
		check(t, batch.Reset())
		check(t, batch.AddRange(b.mem, 0, b.mem, 10, 4))
		check(t, batch.Run(t.Context()))
		check(t, batch.AddRange(dst, 0, []*doca.Memory{far, b.mem}[k], 10, 4))
		wantErr(t, batch.Run(t.Context()), doca.ErrInvalidValue, "copy 1 of the batch", "MemoryConfig.Devices")
	}
	check(t, otherDev.Close())
	check(t, batch.Reset())
	wantErr(t, batch.AddRange(b.mem, 0, b.mem, 12, 13), doca.ErrInvalidValue, "overlap")
	check(t, batch.AddRange(b.mem, 0, b.mem, 12, 12))
	wantErr(t, batch.AddRange(b.mem, 0, b.mem, 12, 13), doca.ErrInvalidValue, "overlap") // as the copy before, but for the length
	wantErr(t, batch.AddRange(b.mem, 0, b.mem, size-12, 13), doca.ErrInvalidValue, "13 bytes at")
	wantErr(t, batch.AddRange(b.mem, size-12, b.mem, 0, 13), doca.ErrInvalidValue, "13 bytes at")
	wantErr(t, batch.AddRange(b.mem, -1, b.mem, 12, 1), doca.ErrInvalidValue, "1 bytes at -1")
	assert.Equal(t, 1, batch.Len())
	check(t, batch.Reset())
	for range 2 {
		check(t, batch.AddRange(b.mem, 0, b.mem, 10, 0)) // nothing to do
	}
	check(t, batch.Run(t.Context()))
	check(t, batch.Err(1))
	check(t, batch.Close())
	wantErr(t, batch.AddRange(b.mem, 0, b.mem, 10, 4), doca.ErrClosed, "batch of dma#")
	check(t, b.mem.Close())
}

// A batch that runs cannot be changed, and the memories of its ranges wait for it.
func TestBatchOfRangesInFlight(t *testing.T) {
	for _, tasks := range []int{4, 16} {
		b := newBench(t, tasks)
		src, dst := b.newMemory(t, 1000, 0), b.newMemory(t, 1000, 0)
		batch := must(b.dma.NewBatch(11))(t)
		for i := range 10 {
			check(t, batch.AddRange(dst, 10*i, src, 10*i, 10))
		}
		copy(src.Bytes(), "ranges of a batch that is in flight while its memory is closed")
		want := slices.Clone(src.Bytes()[:100])
		release := hold(t)
		check(t, batch.Submit(t.Context()))
		wantErr(t, batch.AddRange(dst, 500, src, 0, 1), doca.ErrInUse, "running")
		wantErr(t, batch.Reset(), doca.ErrInUse)
		wantErr(t, src.Shutdown(soon(t)), context.DeadlineExceeded, "an operation still uses the memory")
		release()
		check(t, src.Close())
		check(t, batch.Wait(t.Context()))
		assert.Equal(t, want, dst.Bytes()[:100])
		wantErr(t, batch.Run(t.Context()), doca.ErrClosed, "copy 0 of the batch")
	}
}

// A memory of copies that a batch does not have any more is closed at once, also while the batch runs.
func TestMemoryOfEarlierCopiesCloses(t *testing.T) {
	for _, tasks := range []int{1, 4} { // fewer tasks than copies, and one for each
		b := newBench(t, tasks)
		was := b.newMemory(t, 1000, 0)
		batch := must(b.dma.NewBatch(3))(t)
		for i := range 3 {
			check(t, batch.AddRange(b.mem, 100*i, was, 10*i, 10))
		}
		check(t, batch.Run(t.Context()))
		check(t, batch.Reset())
		check(t, batch.AddRange(b.mem, 0, b.mem, 1000, 10))
		release := hold(t)
		check(t, batch.Submit(t.Context()))
		check(t, was.Shutdown(soonish(t)))
		release()
		check(t, batch.Wait(t.Context()))
		check(t, batch.Reset())
		src := b.newMemory(t, 1000, 0)
		copy(src.Bytes(), "copies on another memory, after those")
		for i := range 3 {
			check(t, batch.AddRange(b.mem, 10*i, src, 10*i, 10))
		}
		check(t, batch.Run(t.Context()))
		assert.Equal(t, src.Bytes()[:30], b.mem.Bytes()[:30])
	}
}

// So it is if the batch has copies of buffers in their place.
func TestMemoryOfEarlierRangesCloses(t *testing.T) {
	b := newBench(t, 4)
	was := b.newMemory(t, 1000, 0)
	src, dst := b.pair(t, 0, 64)
	batch := must(b.dma.NewBatch(3))(t)
	check(t, batch.Add(dst, src)) // so that the batch knows the buffers
	check(t, batch.Run(t.Context()))
	check(t, batch.Reset())
	for i := range 3 {
		check(t, batch.AddRange(b.mem, 1000+100*i, was, 10*i, 10))
	}
	check(t, batch.Run(t.Context()))
	check(t, batch.Reset())
	check(t, batch.Add(dst, src))
	release := hold(t)
	check(t, batch.Submit(t.Context()))
	check(t, was.Shutdown(soonish(t)))
	release()
	check(t, batch.Wait(t.Context()))
	assert.Equal(t, src.Data(), dst.Data())
}

func TestBatchOfRangesFaults(t *testing.T) {
	for _, tasks := range []int{3, 8} {
		for n := 1; n <= 12; n++ {
			for _, spec := range []string{"fail-task=%d", "exhaust-pool=%d", "fail-call=doca_buf_inventory_buf_get_by_args:%d",
				"lose-device=%d", "fail-call=doca_dma_task_memcpy_alloc_init:%d"} {
				spec := fmt.Sprintf(spec, n)
				t.Run(fmt.Sprint(tasks, spec), func(t *testing.T) {
					b := newBench(t, tasks)
					other := b.newMemory(t, 4096, 0)
					batch := must(b.dma.NewBatch(8))(t)
					for i := range 4 {
						check(t, batch.AddRange(other, 64*i, b.mem, 64*i, 64))
						check(t, batch.AddRange(other, 64*i, b.mem, 64*i, 0))
					}
					for i := range 256 {
						b.mem.Bytes()[i] = byte(i + 1)
					}
					faults(t, spec)
					err := batch.Run(t.Context())
					faults(t, "")
					if err != nil && batch.Wait(t.Context()) == err { // it was submitted
						for i := range 8 {
							if batch.Err(i) == nil && i%2 == 0 {
								assert.Equal(t, b.mem.Bytes()[32*i:32*i+64], other.Bytes()[32*i:32*i+64], "copy %d", i)
							}
							if i%2 == 1 {
								assert.NoError(t, batch.Err(i), "there is nothing that can fail")
							}
						}
					}
					if b.dma.State() == doca.StateIdle {
						check(t, b.dma.Start(t.Context()))
					}
					clear(other.Bytes())
					check(t, batch.Run(t.Context()))
					assert.Equal(t, b.mem.Bytes()[:256], other.Bytes()[:256])
					check(t, other.Close())
					check(t, b.mem.Close())
				})
			}
		}
	}
}

// New ranges in each run allocate nothing.
func TestBatchOfRangesAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	for _, tasks := range []int{8, 32} {
		b := newBench(t, tasks)
		other := b.newMemory(t, 1<<16, 0)
		batch := must(b.dma.NewBatch(32))(t)
		round := 0
		run := func() {
			round++
			check(t, batch.Reset())
			for i := range 32 {
				check(t, batch.AddRange(other, 1024*i+round%512, b.mem, 64*(31-i), 64))
			}
			check(t, batch.Run(t.Context()))
		}
		run()
		assert.Zero(t, testing.AllocsPerRun(100, run))
	}
}

// Batches and single copies on the same memories, from several goroutines.
func TestBatchOfRangesBesideOthers(t *testing.T) {
	b := newBench(t, 8)
	done := make(chan struct{})
	for g := range 4 {
		batch := must(b.dma.NewBatch(5))(t)
		go func(batch *dma.Batch) {
			defer func() { done <- struct{}{} }()
			base := 4096 * g
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for range 200 {
				for i := range 64 {
					b.mem.Bytes()[base+i] = byte(rng.Uint32())
				}
				if !assert.NoError(t, batch.Reset()) {
					return
				}
				for i := range 1 + rng.IntN(5) {
					assert.NoError(t, batch.AddRange(b.mem, base+1024+64*i, b.mem, base, 64))
				}
				assert.NoError(t, batch.Run(context.Background()))
				assert.NoError(t, b.dma.CopyRange(context.Background(), b.mem, base+2048, b.mem, base, 64))
				assert.Equal(t, b.mem.Bytes()[base:base+64], b.mem.Bytes()[base+1024:base+1024+64])
				assert.Equal(t, b.mem.Bytes()[base:base+64], b.mem.Bytes()[base+2048:base+2048+64])
			}
		}(batch)
	}
	for range 4 {
		<-done
	}
}
