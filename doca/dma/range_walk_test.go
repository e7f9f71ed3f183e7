package dma_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

const walkers, area = 4, 1024

// A random walk: goroutines copy ranges and batches of them on memories that others close and replace,
// while the context stops, starts and fails. Each copy succeeds with the right bytes or returns an error
// that fits, nothing hangs, and everything closes.
func TestRangeWalk(t *testing.T) {
	b := newBench(t, 6)
	faults(t, "fail-task=97")
	var mu sync.RWMutex
	mems := make([]*doca.Memory, 3)
	for i := range mems {
		mems[i] = b.newMemory(t, walkers*area, 0)
	}
	var batches [walkers]*dma.Batch
	for w := range batches {
		batches[w] = must(b.dma.NewBatch(9))(t)
	}
	var all sync.WaitGroup
	for w, batch := range batches {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 7))
			for range 400 {
				walk(t, b, batch, &mu, mems, w*area, rng)
			}
		})
	}
	all.Wait()
	faults(t, "")
}

// walk is one step of a walker, to whom the bytes from base on of each memory belong.
func walk(t *testing.T, b *bench, batch *dma.Batch, mu *sync.RWMutex, mems []*doca.Memory, base int, rng *rand.Rand) {
	ctx := context.Background()
	switch rng.IntN(20) {
	case 0: // a memory goes, another one comes
		i := rng.IntN(len(mems))
		fresh, err := doca.NewMemory(walkers*area, doca.MemoryConfig{Devices: []*doca.Device{b.dev}})
		if !assert.NoError(t, err) {
			return
		}
		mu.Lock() // nobody looks at its bytes
		assert.NoError(t, mems[i].Close())
		mems[i] = fresh
		mu.Unlock()
	case 1:
		assert.NoError(t, b.dma.Stop(ctx))
	case 2, 3, 4:
		if err := b.dma.Start(ctx); err != nil {
			assert.ErrorIs(t, err, doca.ErrBadState, "Start")
		}
	case 5: // a copy that nobody waits for, and the end of one of its memories
		m, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{b.dev}})
		if assert.NoError(t, err) {
			b.dma.CopyRangeAsync(ctx, m, 0, m, 2048, 100)
			assert.NoError(t, m.Close())
		}
	default:
		mu.RLock()
		defer mu.RUnlock()
		src, dst := mems[rng.IntN(len(mems))], mems[rng.IntN(len(mems))]
		data := src.Bytes()[base:][:256]
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		n, err := 1+rng.IntN(9), batch.Reset()
		for i := range n {
			if err == nil {
				err = batch.AddRange(dst, base+512+i*50, src, base+i*20, 20+i)
			}
		}
		if !assert.NoError(t, err) {
			return
		}
		if rng.IntN(3) == 0 {
			n, err = 1, b.dma.CopyRange(ctx, dst, base+512, src, base, 20)
		} else {
			err = batch.Run(ctx)
		}
		if err != nil {
			assert.True(t, errors.Is(err, doca.ErrBadState) || errors.Is(err, doca.ErrIOFailed), "%v", err)
			return
		}
		for i := range n {
			assert.True(t, bytes.Equal(dst.Bytes()[base+512+i*50:][:20], src.Bytes()[base+i*20:][:20]), "copy %d of %d", i, n)
		}
	}
}
