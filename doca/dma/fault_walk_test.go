package dma_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
)

// faultWalk runs batches of buffers and ranges of which tasks fail or are refused, with a model of what they must have copied.
type faultWalk struct {
	*bench
	t       *testing.T
	rng     *rand.Rand
	batches [2]*dma.Batch
	list    [2][]faultCopy
	src     []*doca.Buffer // both batches may read these
	dst     []*doca.Buffer
	wrote   map[*doca.Buffer]int // bytes of its data segment
	failed  int
}

// faultCopy is a copy of a batch: of buffers, or of the range whose number is at.
type faultCopy struct {
	dst, src *doca.Buffer
	at, n    int
}

const faultArea, faultRanges, faultSize = 8, 512 << 10, 64

func newFaultWalk(t *testing.T, b *bench, seed uint64) *faultWalk {
	w := &faultWalk{bench: b, t: t, rng: rand.New(rand.NewPCG(seed, 3)), wrote: map[*doca.Buffer]int{}}
	for i := range faultArea {
		src, dst := b.pair(t, i, faultSize)
		w.src, w.dst = append(w.src, src), append(w.dst, dst)
	}
	for k := range w.batches {
		w.batches[k] = must(b.dma.NewBatch(2 * faultArea))(t)
		w.refill(k)
	}
	return w
}

// refill gives a batch other copies. Half of the destinations belong to each batch.
func (w *faultWalk) refill(k int) {
	check(w.t, w.batches[k].Reset())
	w.list[k] = nil
	for _, i := range w.rng.Perm(faultArea / 2)[:w.rng.IntN(faultArea/2+1)] {
		c := faultCopy{dst: w.dst[k*faultArea/2+i], src: w.src[w.rng.IntN(faultArea)]}
		w.list[k] = append(w.list[k], c)
		check(w.t, w.batches[k].Add(c.dst, c.src))
	}
	for range 1 + w.rng.IntN(faultArea) {
		c := faultCopy{at: k*2*faultArea + len(w.list[k]), n: w.rng.IntN(faultSize + 1)}
		w.list[k] = append(w.list[k], c)
		check(w.t, w.batches[k].AddRange(w.mem, faultRanges+(2*c.at+1)*faultSize, w.mem, faultRanges+2*c.at*faultSize, c.n))
	}
}

// fresh puts new bytes where the copies of a batch read, and clears what they write.
func (w *faultWalk) fresh(k int) {
	for _, c := range w.list[k] {
		if c.dst != nil {
			clear(c.dst.Bytes())
			continue
		}
		src, dst := w.ranges(c)
		for i := range src {
			src[i] = byte(w.rng.Uint32() | 1)
		}
		clear(dst)
	}
}

func (w *faultWalk) ranges(c faultCopy) (src, dst []byte) {
	at := w.mem.Bytes()[faultRanges+2*c.at*faultSize:][:2*faultSize]
	return at[:faultSize], at[faultSize:]
}

// verify compares what a batch has done with what it says.
func (w *faultWalk) verify(k int, err error) {
	t := w.t
	batch := w.batches[k]
	ran := !errors.Is(batch.Err(0), doca.ErrBadState)
	require.True(t, ran || err != nil)
	failures := 0
	for i, c := range w.list[k] {
		told := error(nil)
		if ran {
			if told = batch.Err(i); told != nil {
				failures++
			}
		}
		if c.dst == nil {
			src, dst := w.ranges(c)
			if ran && told == nil {
				require.True(t, bytes.Equal(src[:c.n], dst[:c.n]), "range %d", i)
			}
			require.Equal(t, make([]byte, faultSize-c.n), dst[c.n:], "behind range %d", i)
			continue
		}
		switch {
		case !ran: // as before
		case told == nil:
			w.wrote[c.dst] = c.src.DataLen()
			require.Equal(t, c.src.Data(), c.dst.Data(), "buffers %d", i)
		default:
			w.wrote[c.dst] = 0
		}
		require.Equal(t, w.wrote[c.dst], c.dst.DataLen(), "buffers %d, which ended with %v", i, told)
	}
	require.Equal(t, err != nil && ran, failures > 0, "%v", err)
}

func (w *faultWalk) step() {
	t, k := w.t, w.rng.IntN(len(w.batches))
	switch w.rng.IntN(6) {
	case 0:
		w.refill(k)
	case 1:
		off := w.rng.IntN(faultSize)
		check(t, w.src[w.rng.IntN(faultArea)].SetData(off, 1+w.rng.IntN(faultSize-off)))
	case 2:
		dst := w.dst[w.rng.IntN(faultArea)]
		w.wrote[dst] = w.rng.IntN(faultSize + 1)
		check(t, dst.SetData(0, w.wrote[dst]))
	case 3: // both at once
		var errs [2]error
		for i := range w.batches {
			w.fresh(i)
			errs[i] = w.batches[i].Submit(t.Context())
		}
		for i, batch := range w.batches {
			if errs[i] == nil {
				if w.rng.IntN(2) == 0 {
					batch.Wait(canceled(t))
				}
				errs[i] = batch.Wait(soonish(t))
			}
		}
		for i, err := range errs {
			w.ended(i, err)
		}
	default:
		w.fresh(k)
		w.ended(k, w.batches[k].Run(soonish(t)))
	}
}

// ended looks at the end of a run, and starts the context again if it has stopped.
func (w *faultWalk) ended(k int, err error) {
	if err != nil {
		w.failed++
		assert.True(w.t, errors.Is(err, doca.ErrIOFailed) || errors.Is(err, doca.ErrAgain) || errors.Is(err, doca.ErrBadState), "%v", err)
		check(w.t, w.dma.WaitIdle(soonish(w.t)))
		if w.dma.State() == doca.StateIdle {
			check(w.t, w.dma.Start(soonish(w.t)))
		}
	}
	w.verify(k, err)
}

// Batches of which tasks fail, or are refused by DOCA, say for each copy what has become of it. Destinations have the data that they
// say, and later runs, also those that find everything as it was, copy all again.
func TestFaultWalk(t *testing.T) {
	t.Parallel()
	for _, tasks := range []int{1, 3, 64} {
		for _, together := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d tasks, together %v", tasks, together), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, tasks)
				check(t, b.dma.Close())
				b.dma = must(dma.New(b.dev, b.pe, dma.Config{MaxTasks: tasks, OptimizeReports: together}))(t)
				w := newFaultWalk(t, b, uint64(tasks))
				on := emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(b.dma.Context))(t))}
				for round := range 120 {
					at := []emulator.TaskFault{{N: uint64(1 + w.rng.IntN(40))}}
					f := emulator.Faults{On: on, HoldReports: together && round%2 == 0}
					if round%3 == 0 {
						f.FailTasks = at
					} else {
						f.RefuseTasks = at
					}
					end := must(f.Add())(t)
					for range 12 {
						w.step()
					}
					end()
				}
				assert.Greater(t, w.failed, 50)
			})
		}
	}
}
