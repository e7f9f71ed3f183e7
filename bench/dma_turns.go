package main

import (
	"context"

	"github.com/go-doca/go-doca/bench/cloop"
	"github.com/go-doca/go-doca/bench/result"
	"github.com/go-doca/go-doca/doca/dma"
)

// turns adds the rows in which the device always has copies: two batches take turns, each of half the copies in flight. In C a
// task that has completed takes the next copy, of this round or the next one.
func (t *dmaTable) turns() {
	t.inTurns("fixed buffers", depth, (*goLoop).fixedHalf, cSide{"C", cloop.FixedBufs, result.Goal{}})
	t.inTurns("source data set", depth, (*goLoop).dataSetHalf, cSide{"C, set_data", cloop.SetSourceData, result.Goal{}})
	news := []cSide{{"C, set_data", cloop.SetData, result.Goal{}}, {"C, get and dec_refcount", cloop.GetBufs, result.Goal{}}}
	t.inTurns("other buffers", 2*depth, (*goLoop).addedHalf, news...) // twice as many: those in flight stay as they are
	t.inTurns("other ranges", 2*depth, (*goLoop).rangesHalf, news...)
}

func (t *dmaTable) inTurns(what string, count int, prepare func(l *goLoop, b *dma.Batch, from int) error, others ...cSide) {
	t.add(row{name: "two batches of 16 in turns, " + what, sides: func(r *rig) []side {
		sides := []side{{"Go", count, newGoLoop(r, depth, count, small).inTurns(prepare), result.Goal{}}}
		for _, o := range others {
			sides = append(sides, side{o.name, count, r.inC(r.cLoop(depth, count, small, o.buffers).RunOn), t.inFlight(o.goal)})
		}
		return sides
	}})
}

// half is what a batch has of the copies in flight when two take turns.
const half = depth / 2

// inTurns prepares one batch while the device works for the other one. A round has each copy once, and begins with another range.
func (l *goLoop) inTurns(prepare func(l *goLoop, b *dma.Batch, from int) error) func(int) {
	var batches [2]*dma.Batch
	for k := range batches {
		var err error
		batches[k], err = l.copier.NewBatch(half)
		l.ok(err)
		for i := k * half; i < (k+1)*half; i++ {
			l.ok(batches[k].Add(l.targets[i], l.sources[i]))
		}
	}
	return func(rounds int) {
		ctx := context.Background()
		for turn := range rounds * l.count / half {
			b, from := batches[turn%2], turn*half%l.count
			if turn >= len(batches) {
				l.ok(b.Wait(ctx))
			}
			if from == 0 {
				l.next()
			}
			l.ok(prepare(l, b, from))
			l.ok(b.Submit(ctx))
		}
		for _, b := range batches {
			l.ok(b.Wait(ctx))
		}
	}
}

func (l *goLoop) fixedHalf(*dma.Batch, int) error { return nil }

func (l *goLoop) dataSetHalf(_ *dma.Batch, from int) error {
	for _, s := range l.sources[from:][:half] {
		if err := s.SetData(0, l.size-l.less); err != nil {
			return err
		}
	}
	return nil
}

func (l *goLoop) addedHalf(b *dma.Batch, from int) error {
	return fill(b, from, half, l.add)
}

func (l *goLoop) rangesHalf(b *dma.Batch, from int) error {
	return fill(b, from, half, l.addRanges)
}
