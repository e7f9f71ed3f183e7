package dma_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// claimModel is what batches in flight do to buffers: dataModel, and who uses what.
type claimModel struct {
	dataModel
	flying [3][][2]int // of a batch in flight: destination and source of each copy
}

// used returns how many copies in flight read and write a buffer.
func (m *claimModel) used(i int) (reads, writes int) {
	for _, pairs := range m.flying {
		for _, p := range pairs {
			if p[0] == i {
				writes++
			}
			if p[1] == i {
				reads++
			}
		}
	}
	return reads, writes
}

// free reports whether a batch of the pairs could be submitted, as far as others and its own copies use its buffers.
func (m *claimModel) free(pairs [][2]int) bool {
	for k, p := range pairs {
		reads, writes := m.used(p[0])
		_, changes := m.used(p[1])
		if reads+writes+changes > 0 || p[0] == p[1] {
			return false
		}
		for _, q := range pairs[:k] {
			if p[0] == q[0] || p[0] == q[1] || p[1] == q[0] {
				return false
			}
		}
	}
	return true
}

// A random walk of batches that share buffers, in all roles, and are in flight together: they are refused exactly where one
// would write to what another copy uses, and all others copy what they should.
func TestClaimWalk(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		walkClaims(t, rand.New(rand.NewPCG(seed, 5)))
	}
}

func walkClaims(t *testing.T, rng *rand.Rand) {
	b := newBench(t, 32)
	ctx := soonish(t)
	const all, size = 10, 64
	m := new(claimModel)
	m.bytes = b.mem.Bytes()[:all*size]
	for i := range m.bytes {
		m.bytes[i] = byte(rng.Uint32())
	}
	m.bytes = slices.Clone(m.bytes)
	for i := range all {
		m.start, m.data = append(m.start, i*size), append(m.data, [2]int{0, size})
		m.bufs = append(m.bufs, must(b.inv.Source(b.mem, i*size, size))(t))
	}
	var batches [3]*dma.Batch
	var pairs [3][][2]int
	for k := range batches {
		batches[k] = must(b.dma.NewBatch(all))(t)
	}
	refused, done := 0, 0
	for step := range 3000 {
		switch op := rng.IntN(10); op {
		case 0, 1, 2: // new copies, often in roles that exclude each other
			k := rng.IntN(len(batches))
			if m.flying[k] != nil {
				wantErr(t, batches[k].Reset(), doca.ErrInUse)
				break
			}
			check(t, batches[k].Reset())
			pairs[k] = nil
			for range 1 + rng.IntN(3) {
				p := [2]int{rng.IntN(all), rng.IntN(all)}
				pairs[k] = append(pairs[k], p)
				check(t, batches[k].Add(m.bufs[p[0]], m.bufs[p[1]]))
			}
		case 3, 4, 5, 6:
			k := rng.IntN(len(batches))
			if m.flying[k] != nil || pairs[k] == nil {
				break
			}
			err := batches[k].Submit(ctx)
			switch {
			case !m.free(pairs[k]):
				wantErr(t, err, doca.ErrInUse)
				refused++
			case slices.ContainsFunc(pairs[k], func(p [2]int) bool { return m.data[p[1]][1] == 0 }):
				wantErr(t, err, doca.ErrInvalidValue, "empty")
			default:
				check(t, err)
				m.flying[k] = pairs[k]
				done++
			}
		case 7: // the end of all: whoever drives the engine ends those of others, too
			for k := range batches {
				if m.flying[k] != nil {
					check(t, batches[k].Wait(ctx))
				}
			}
			for k := range batches {
				for _, p := range m.flying[k] {
					m.copied(p[0], p[1])
				}
				m.flying[k] = nil
			}
		default:
			i := rng.IntN(all)
			off := rng.IntN(size)
			n := rng.IntN(size + 1 - off)
			err := m.bufs[i].SetData(off, n)
			if reads, writes := m.used(i); reads+writes > 0 {
				wantErr(t, err, doca.ErrInUse)
			} else {
				check(t, err)
				m.data[i] = [2]int{off, n}
			}
		}
		for i, buf := range m.bufs {
			require.Equal(t, m.data[i][1], buf.DataLen(), "step %d: buffer %d", step, i)
		}
	}
	for k := range batches {
		if m.flying[k] != nil {
			check(t, batches[k].Wait(ctx))
			for _, p := range m.flying[k] {
				m.copied(p[0], p[1])
			}
		}
	}
	require.True(t, bytes.Equal(m.bytes, b.mem.Bytes()[:all*size]))
	assert.Greater(t, refused, 100)
	assert.Greater(t, done, 100)
	for _, buf := range m.bufs {
		check(t, buf.Close())
	}
}
