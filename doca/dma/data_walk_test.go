package dma_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// dataModel is what buffers and their memory must be.
type dataModel struct {
	bytes []byte
	bufs  []*doca.Buffer
	start []int // where the regions begin, of 64 bytes each
	data  [][2]int
}

// copied does a copy in the model. It reports whether the source has data.
func (m *dataModel) copied(dst, src int) bool {
	off, n := m.data[src][0], m.data[src][1]
	if n == 0 {
		return false
	}
	copy(m.bytes[m.start[dst]:], m.bytes[m.start[src]+off:][:n])
	m.data[dst] = [2]int{0, n}
	return true
}

// A random walk: data segments are set, regions change, and batches and copies share buffers. What is copied are the data of
// the sources at the time, whoever has used them before.
func TestDataWalk(t *testing.T) {
	t.Parallel()
	for _, tasks := range []int{2, 32} { // of which the larger batches have too few, and enough
		walkData(t, tasks, rand.New(rand.NewPCG(uint64(tasks), 11)))
	}
}

func walkData(t *testing.T, tasks int, rng *rand.Rand) {
	b := newBench(t, tasks)
	ctx := soonish(t)
	const sources, all = 5, 9
	m := &dataModel{bytes: b.mem.Bytes()[:4096]}
	for i := range m.bytes {
		m.bytes[i] = byte(rng.Uint32())
	}
	m.bytes = slices.Clone(m.bytes)
	for i := range all {
		m.start, m.data = append(m.start, i*64), append(m.data, [2]int{0, 64})
		m.bufs = append(m.bufs, must(b.inv.Source(b.mem, i*64, 64))(t))
	}
	var batches [3]*dma.Batch
	var pairs [3][][2]int // of a batch: destination and source
	for k := range batches {
		batches[k] = must(b.dma.NewBatch(all))(t)
	}
	fill := func(k int) {
		check(t, batches[k].Reset())
		pairs[k] = nil
		for _, dst := range rng.Perm(all - sources)[:1+rng.IntN(all-sources)] {
			p := [2]int{sources + dst, rng.IntN(sources)} // batches share sources
			pairs[k] = append(pairs[k], p)
			check(t, batches[k].Add(m.bufs[p[0]], m.bufs[p[1]]))
		}
	}
	for k := range batches {
		fill(k)
	}
	for step := range 4000 {
		i := rng.IntN(all)
		switch op := rng.IntN(20); op {
		case 0: // the region of a source
			i = rng.IntN(sources)
			m.start[i] = 1024 + rng.IntN(1000)
			m.data[i] = [2]int{0, 64}
			check(t, m.bufs[i].Reset(m.start[i], 64))
		case 1: // a list for a moment
			check(t, m.bufs[0].Chain(m.bufs[1]))
			check(t, m.bufs[0].Unchain(m.bufs[1]))
		case 2:
			fill(rng.IntN(len(batches)))
		case 3, 4:
			src, dst := rng.IntN(sources), sources+rng.IntN(all-sources)
			n, err := b.dma.Copy(ctx, m.bufs[dst], m.bufs[src])
			if m.copied(dst, src) {
				check(t, err)
				assert.Equal(t, m.data[dst][1], n, "step %d", step)
			} else {
				wantErr(t, err, doca.ErrInvalidValue, "empty")
			}
		case 5, 6, 7, 8, 9:
			k := rng.IntN(len(batches))
			err := batches[k].Run(ctx)
			if slices.ContainsFunc(pairs[k], func(p [2]int) bool { return m.data[p[1]][1] == 0 }) {
				wantErr(t, err, doca.ErrInvalidValue, "empty")
				break
			}
			check(t, err)
			for _, p := range pairs[k] {
				m.copied(p[0], p[1])
			}
		default:
			m.data[i][0] = rng.IntN(64)
			m.data[i][1] = rng.IntN(65 - m.data[i][0])
			check(t, m.bufs[i].SetData(m.data[i][0], m.data[i][1]))
			wantErr(t, m.bufs[i].SetData(1, 64), doca.ErrInvalidValue, "not within")
		}
		for i, buf := range m.bufs {
			off, n := m.data[i][0], m.data[i][1]
			require.True(t, bytes.Equal(m.bytes[m.start[i]+off:][:n], buf.Data()), "step %d: data of buffer %d", step, i)
			require.Equal(t, n, buf.DataLen(), "step %d: buffer %d", step, i)
		}
	}
	require.True(t, bytes.Equal(m.bytes, b.mem.Bytes()[:4096]))
	for _, buf := range m.bufs {
		check(t, buf.Close())
	}
}

// Data that are set beside the runs of a batch are those of the next run, or the call fails: a run copies what was set
// before it, or during it with success.
func TestSetDataBesideRuns(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} { // with another batch that reads the source, too
		b := newBench(t, 8)
		src, dst := b.pair(t, 0, 8192)
		batch := must(b.dma.NewBatch(1))(t)
		check(t, batch.Add(dst, src))
		check(t, batch.Run(soonish(t)))
		if shared {
			other := must(b.dma.NewBatch(1))(t)
			check(t, other.Add(must(b.inv.Buffer(b.mem, 1<<19, 8192))(t), src))
			check(t, other.Run(soonish(t)))
		}
		check(t, src.SetData(0, 1))
		var done, tried atomic.Int64 // the lengths that were set, and that SetData was called with
		done.Store(1)
		tried.Store(1)
		refused := map[int]bool{}
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for n := 2; n <= 8000; n++ {
				select {
				case <-stop:
					return
				default:
				}
				tried.Store(int64(n))
				err := src.SetData(0, n)
				if err != nil {
					assert.ErrorIs(t, err, doca.ErrInUse)
					refused[n] = true
					continue
				}
				done.Store(int64(n))
			}
		}()
		var copied []int
		for range 2000 {
			before := done.Load()
			if err := batch.Run(context.Background()); !assert.NoError(t, err) {
				break
			}
			n := dst.DataLen()
			copied = append(copied, n)
			assert.GreaterOrEqual(t, int64(n), before)
			assert.LessOrEqual(t, int64(n), tried.Load())
		}
		close(stop)
		<-ended
		for _, n := range copied {
			assert.False(t, refused[n], "%d bytes were copied, which SetData has refused", n)
		}
		check(t, batch.Run(soonish(t)))
		assert.Equal(t, int(done.Load()), dst.DataLen())
		check(t, b.inv.Close())
		runtime.KeepAlive([]any{src, dst})
	}
}

// A buffer that a batch is kept on is not changed while the batch runs, and is afterwards.
func TestSetDataInFlight(t *testing.T) {
	b := newBench(t, 8)
	src, dst := b.pair(t, 0, 64)
	batch := must(b.dma.NewBatch(1))(t)
	check(t, batch.Add(dst, src))
	for n := range 3 { // the first run claims the buffers, later ones are still on them
		check(t, src.SetData(0, 60+n))
		faults(t, "delay=20ms")
		check(t, batch.Submit(soonish(t)))
		for _, buf := range []*doca.Buffer{src, dst} {
			for _, to := range []int{60 + n, 5} {
				wantErr(t, buf.SetData(0, to), doca.ErrInUse)
			}
			wantErr(t, buf.Reset(0, 64), doca.ErrInUse)
		}
		_, err := b.dma.Copy(t.Context(), src, dst)
		wantErr(t, err, doca.ErrInUse)
		assert.Equal(t, 60+n, src.DataLen())
		check(t, batch.Wait(soonish(t)))
		faults(t, "")
		assert.Equal(t, 60+n, dst.DataLen())
	}
	// A copy of the same buffers takes them from the batch.
	spare := must(b.inv.Buffer(b.mem, 1024, 64))(t)
	for _, pair := range [][2]*doca.Buffer{{spare, src}, {src, spare}, {dst, spare}} {
		check(t, spare.SetData(0, 64))
		check(t, src.SetData(0, 7))
		check(t, batch.Run(soonish(t)))
		check(t, src.SetData(0, 8))
		faults(t, "delay=20ms")
		f := must(b.dma.CopyAsync(soonish(t), pair[0], pair[1]))(t)
		for _, buf := range pair {
			wantErr(t, buf.SetData(0, 9), doca.ErrInUse)
		}
		if pair[1] == src { // two may read it
			check(t, batch.Run(soonish(t)))
			assert.Equal(t, 8, dst.DataLen())
		} else {
			wantErr(t, batch.Run(soonish(t)), doca.ErrInUse)
		}
		must(f.Wait(soonish(t)))(t)
		faults(t, "")
		check(t, batch.Run(soonish(t)))
	}
	check(t, src.Close())
	wantErr(t, src.SetData(0, 1), doca.ErrClosed)
	wantErr(t, batch.Run(soonish(t)), doca.ErrClosed)
}
