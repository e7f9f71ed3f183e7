package dma_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
)

// blockingCalls are the calls that may end what they start in one call into C. Each copies 64 bytes of src to dst.
var blockingCalls = []struct {
	name string
	make func(t *testing.T, b *bench, dst, src *doca.Memory) func(ctx context.Context) error
}{
	{"CopyRange", func(_ *testing.T, b *bench, dst, src *doca.Memory) func(context.Context) error {
		return func(ctx context.Context) error { return b.dma.CopyRange(ctx, dst, 0, src, 0, 64) }
	}},
	{"Copy", func(t *testing.T, b *bench, dst, src *doca.Memory) func(context.Context) error {
		from, to := must(b.inv.Source(src, 0, 64))(t), must(b.inv.Buffer(dst, 0, 64))(t)
		return func(ctx context.Context) error {
			n, err := b.dma.Copy(ctx, to, from)
			if err == nil {
				assert.Equal(t, 64, n)
				assert.Equal(t, 64, to.DataLen())
			}
			return err
		}
	}},
	{"Batch of ranges", func(t *testing.T, b *bench, dst, src *doca.Memory) func(context.Context) error {
		batch := must(b.dma.NewBatch(9))(t)
		for i := range 8 {
			check(t, batch.AddRange(dst, 8*i, src, 8*i, 8))
		}
		return batch.Run
	}},
	{"Batch of buffers", func(t *testing.T, b *bench, dst, src *doca.Memory) func(context.Context) error {
		batch := must(b.dma.NewBatch(9))(t)
		for i := range 8 {
			check(t, batch.Add(must(b.inv.Buffer(dst, 8*i, 8))(t), must(b.inv.Source(src, 8*i, 8))(t)))
		}
		return batch.Run
	}},
}

// eachBlocking runs f with each of the calls, on memories whose contents differ.
func eachBlocking(t *testing.T, f func(t *testing.T, b *bench, dst, src *doca.Memory, run func(context.Context) error)) {
	for _, c := range blockingCalls {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, 4)
			dst, src := b.newMemory(t, 64, 0), b.newMemory(t, 64, 0)
			refill(src, 1)
			f(t, b, dst, src, c.make(t, b, dst, src))
		})
	}
}

func refill(m *doca.Memory, seed int) {
	for i := range m.Bytes() {
		m.Bytes()[i] = byte(i*7 + seed)
	}
}

// What ends within the call, and what does not, with and without somebody who drives the engine.
func TestBlocking(t *testing.T) {
	eachBlocking(t, func(t *testing.T, b *bench, dst, src *doca.Memory, run func(context.Context) error) {
		driving, stop := context.WithCancel(t.Context())
		var driver sync.WaitGroup
		for round := range 12 {
			if round == 6 {
				driver.Go(func() { b.pe.Run(driving) })
			}
			spec := []string{"", "delay=2ms", "rate=10000"}[round%3]
			faults(t, spec)
			refill(src, round)
			require.NoError(t, run(soonish(t)), spec)
			require.Equal(t, src.Bytes(), dst.Bytes(), spec)
		}
		faults(t, "")
		stop()
		driver.Wait()
		check(t, dst.Close())
		check(t, src.Close())
	})
}

// A failure within the call, and one after it: the context is idle when the call returns, and can start again.
func TestBlockingFails(t *testing.T) {
	eachBlocking(t, func(t *testing.T, b *bench, dst, src *doca.Memory, run func(context.Context) error) {
		for round, spec := range []string{"fail-task=1", "fail-task=1,delay=2ms", "fail-task=1:DRIVER", "fail-task=1:DRIVER,delay=2ms"} {
			is := []error{doca.ErrIOFailed, doca.ErrDriver}[round/2]
			faults(t, spec)
			wantErr(t, run(soonish(t)), is, "call Start")
			assert.Equal(t, doca.StateIdle, b.dma.State(), spec)
			wantErr(t, run(soonish(t)), doca.ErrBadState)
			faults(t, "")
			check(t, b.dma.Start(t.Context()))
			refill(src, round+10)
			require.NoError(t, run(soonish(t)), spec)
			require.Equal(t, src.Bytes(), dst.Bytes(), spec)
		}
	})
}

// endsLater is a context that has ended the second time that somebody asks: when the copy was submitted.
type endsLater struct {
	context.Context
	asked atomic.Bool
}

func (c *endsLater) Err() error {
	if c.asked.CompareAndSwap(false, true) {
		return nil
	}
	return c.Context.Err()
}

// A ctx that has ended starts nothing; one that ends during the copy leaves it in flight, and the memory with
// the device.
func TestBlockingCancelled(t *testing.T) {
	eachBlocking(t, func(t *testing.T, b *bench, dst, src *doca.Memory, run func(context.Context) error) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, run(ended), context.Canceled)
		assert.Equal(t, make([]byte, 64), dst.Bytes())
		release := hold(t)
		assert.ErrorIs(t, run(&endsLater{Context: ended}), context.Canceled)
		wantErr(t, dst.Shutdown(soon(t)), context.DeadlineExceeded)
		release()
		check(t, src.Close()) // waits for the copy
		assert.NoError(t, dst.Close())
	})
}

// Others close the memory, stop the context and close the device while calls are under way: each ends with the
// bytes copied, or with an error that says why.
func TestBlockingBesideClose(t *testing.T) {
	for _, spec := range []string{"", "delay=100us"} {
		eachBlocking(t, func(t *testing.T, b *bench, dst, src *doca.Memory, run func(context.Context) error) {
			faults(t, spec)
			defer faults(t, "")
			begun := make(chan struct{})
			var worker sync.WaitGroup
			worker.Go(func() {
				for i := 0; ; i++ {
					if i == 20 {
						close(begun)
					}
					if err := run(context.Background()); err != nil {
						assert.ErrorIs(t, err, doca.ErrBadState)
						if i < 20 {
							close(begun)
						}
						return
					}
				}
			})
			<-begun
			check(t, dst.Close())
			worker.Wait()
			check(t, b.dma.Stop(t.Context()))
			assert.ErrorIs(t, run(t.Context()), doca.ErrBadState)
		})
	}
}

// A batch is filled while others close the device, which closes the batch: no item is written to that is gone.
func TestFillBesideClose(t *testing.T) {
	for range 20 {
		b := newBench(t, 4)
		mem := b.newMemory(t, 4096, 0)
		batch := must(b.dma.NewBatch(32))(t)
		src, dst := must(b.inv.Source(b.mem, 0, 8))(t), must(b.inv.Buffer(b.mem, 8, 8))(t)
		begun := make(chan struct{})
		var filler sync.WaitGroup
		filler.Go(func() {
			var once sync.Once
			for {
				err := batch.Reset()
				for i := 0; i < 31 && err == nil; i++ {
					err = batch.AddRange(mem, 64*i, mem, 64*i+32, 32)
				}
				if err == nil {
					err = batch.Add(dst, src)
				}
				once.Do(func() { close(begun) })
				if err != nil {
					assert.ErrorIs(t, err, doca.ErrClosed)
					return
				}
			}
		})
		<-begun
		check(t, b.dev.Close())
		filler.Wait()
		assert.NoError(t, batch.Close())
		wantErr(t, batch.AddRange(mem, 0, mem, 32, 32), doca.ErrClosed)
	}
}

// A batch of the same or other buffers, whose data segments change, which are reset and used by others between
// runs, against what the bytes should be.
func TestBatchOfBuffersThatChange(t *testing.T) {
	b := newBench(t, 3)
	inventories := []*doca.Inventory{b.inv, must(doca.NewInventory(100))(t)}
	t.Cleanup(func() { check(t, inventories[1].Close()) })
	const count, size = 6, 64
	refill(b.mem, 3)
	var srcs, dsts []*doca.Buffer
	for i := range count {
		srcs = append(srcs, must(inventories[i%2].Source(b.mem, i*size, size))(t))
		dsts = append(dsts, must(inventories[i%3%2].Buffer(b.mem, (count+i)*size, size))(t))
	}
	batch := must(b.dma.NewBatch(count))(t)
	other := must(b.dma.NewBatch(count))(t)
	rng := rand.New(rand.NewPCG(5, 6))
	var order []int
	for round := range 3000 {
		if round == 0 || rng.IntN(3) == 0 { // the same again, fewer, or others
			check(t, batch.Reset())
			if round == 0 || rng.IntN(3) == 0 {
				order = rng.Perm(count)[:1+rng.IntN(count)]
			}
			for _, i := range order {
				check(t, batch.Add(dsts[i], srcs[i]))
			}
		}
		for range rng.IntN(4) {
			i, off := rng.IntN(count), rng.IntN(size)
			switch rng.IntN(6) {
			case 0:
				check(t, srcs[i].Reset(rng.IntN(count*size-size), size))
			case 1:
				must(b.dma.Copy(t.Context(), dsts[i], srcs[(i+1)%count]))(t)
			case 2:
				check(t, dsts[i].SetData(0, off))
			case 3:
				check(t, other.Reset())
				check(t, other.Add(dsts[i], srcs[i]))
				require.NoError(t, other.Run(t.Context()))
			default:
				check(t, srcs[i].SetData(off, 1+rng.IntN(size-off)))
			}
		}
		clear(b.mem.Bytes()[count*size:][:count*size])
		require.NoError(t, batch.Run(t.Context()))
		for _, i := range order {
			require.Equal(t, srcs[i].Data(), dsts[i].Data(), "round %d, copy %d", round, i)
			require.Equal(t, make([]byte, size-dsts[i].DataLen()), dsts[i].Bytes()[dsts[i].DataLen():], "round %d, copy %d", round, i)
		}
	}
}

// Ranges and buffers of a batch change places from run to run.
func TestBatchOfGroups(t *testing.T) {
	b := newBench(t, 5)
	mems := []*doca.Memory{b.mem, b.newMemory(t, 4096, 0), b.newMemory(t, 4096, 0)}
	refill(b.mem, 1)
	refill(mems[1], 2)
	srcs := make([]*doca.Buffer, 3)
	dsts := make([]*doca.Buffer, 3)
	for i := range srcs {
		srcs[i], dsts[i] = b.source(t, i*64, 64, i), must(b.inv.Buffer(b.mem, 4096+i*64, 64))(t)
	}
	batch := must(b.dma.NewBatch(8))(t)
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 2000 {
		check(t, batch.Reset())
		type want struct{ got, data []byte }
		var wants []want
		nextBuffer := 0
		for range 1 + rng.IntN(8) {
			kind := rng.IntN(4)
			if kind == 0 && nextBuffer < len(srcs) {
				check(t, batch.Add(dsts[nextBuffer], srcs[nextBuffer]))
				wants = append(wants, want{dsts[nextBuffer].Bytes(), srcs[nextBuffer].Bytes()})
				nextBuffer++
				continue
			}
			src, dst, n := mems[rng.IntN(2)], mems[2], rng.IntN(40)
			if kind == 3 {
				dst = b.mem
			}
			from, to := rng.IntN(2000), 2048+64*len(wants)
			check(t, batch.AddRange(dst, to, src, from, n))
			wants = append(wants, want{dst.Bytes()[to:][:n], src.Bytes()[from:][:n]})
		}
		assert.Equal(t, len(wants), batch.Len())
		for range 1 + rng.IntN(2) {
			for _, w := range wants {
				clear(w.got)
			}
			require.NoError(t, batch.Run(t.Context()))
			for i, w := range wants {
				require.Equal(t, w.data, w.got, "round %d, copy %d", round, i)
				require.NoError(t, batch.Err(i))
			}
		}
	}
}
