package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// goLoop does in Go what cloop.DMA does in C.
type goLoop struct {
	*rig
	dev         *doca.Device
	count, size int
	copier      *dma.DMA
	src, dst    *doca.Memory
	written     []byte // the destinations of a round
	inventory   *doca.Inventory
	sources     []*doca.Buffer
	targets     []*doca.Buffer
	first       int // the range of a round's first copy
	less        int // bytes of a source that are no data in this round: 0 and 1 in turns
}

// newGoLoop prepares count copies of size bytes, of which tasks can be in flight, on a device and an engine of their own.
func newGoLoop(r *rig, tasks, count, size int) *goLoop {
	dev := r.device()
	l := &goLoop{rig: r, dev: dev, count: count, size: size, less: 1}
	var err error
	l.copier, err = dma.New(dev, r.engine(true), dma.Config{MaxTasks: tasks})
	r.ok(err)
	cfg := doca.MemoryConfig{Devices: []*doca.Device{dev}}
	l.src, err = doca.NewMemory(count*size, cfg)
	r.ok(err)
	l.dst, err = doca.NewMemory(count*size, cfg)
	r.ok(err)
	for i := range l.src.Bytes() {
		l.src.Bytes()[i] = pattern(i)
	}
	l.written = l.dst.Bytes()
	l.inventory, err = doca.NewInventory(2*count + 2)
	r.ok(err)
	r.later(l.inventory.Close)
	for i := range count {
		src, err := l.inventory.Source(l.src, i*size, size)
		r.ok(err)
		dst, err := l.inventory.Buffer(l.dst, i*size, size)
		r.ok(err)
		l.sources, l.targets = append(l.sources, src), append(l.targets, dst)
	}
	r.later(func() error {
		r.check(bytes.Equal(l.src.Bytes(), l.written), "the destination differs from the source")
		return nil
	})
	return l
}

// at returns the range of copy i of a round: each round begins with another one.
func (l *goLoop) at(i int) int {
	if i += l.first; i >= l.count {
		i -= l.count
	}
	return i
}

// next begins a round.
func (l *goLoop) next() {
	l.less = 1 - l.less
	if l.first++; l.first == l.count {
		l.first = 0
	}
}

// rounds returns a function that does one round again and again.
func (l *goLoop) rounds(round func(ctx context.Context) error) func(int) {
	ctx := context.Background()
	return func(n int) {
		for range n {
			l.ok(round(ctx))
		}
	}
}

func (l *goLoop) batch() *dma.Batch {
	b, err := l.copier.NewBatch(l.count)
	l.ok(err)
	for i := range l.count {
		l.ok(b.Add(l.targets[i], l.sources[i]))
	}
	return b
}

// fixed runs a batch of all buffers.
func (l *goLoop) fixed() func(int) { return l.rounds(l.batch().Run) }

// dataSet gives the sources their data before each run: all bytes, or all but the last one.
func (l *goLoop) dataSet() func(int) {
	b := l.batch()
	return l.rounds(func(ctx context.Context) error {
		l.next()
		for _, s := range l.sources {
			if err := s.SetData(0, l.size-l.less); err != nil {
				return err
			}
		}
		return b.Run(ctx)
	})
}

// added fills the batch with other buffers for each run.
func (l *goLoop) added() func(int) {
	return l.filled(l.add)
}

// ranges fills the batch with other ranges for each run.
func (l *goLoop) ranges() func(int) {
	return l.filled(l.addRanges)
}

// varied makes rounds of one copy, of two, and so on until all: a batch takes what has come in.
func (l *goLoop) varied() func(int) {
	b, err := l.copier.NewBatch(l.count)
	l.ok(err)
	return l.rounds(func(ctx context.Context) error {
		at := 0
		for n := 1; n <= l.count; n++ {
			if err := fill(b, at, n, l.addRanges); err != nil {
				return err
			}
			if err := b.Run(ctx); err != nil {
				return err
			}
			at = (at + n) % l.count
		}
		return nil
	})
}

// memories is ranges that are spread over a number of memories for the sources, and as many for the destinations: each copy is on other ones
// than the copy before it, and than the copy in its place in the round before.
func (l *goLoop) memories(number int) func(int) {
	all := append(bytes.Clone(l.src.Bytes()), make([]byte, l.count*l.size)...)
	l.written = all[l.count*l.size:]
	type place struct {
		mem *doca.Memory
		off int
	}
	places := make([]place, 2*l.count)
	each := l.count / number
	for i := range 2 * number {
		mem, err := doca.RegisterMemory(all[i*each*l.size:][:each*l.size], doca.MemoryConfig{Devices: []*doca.Device{l.dev}})
		l.ok(err)
		l.kept = append(l.kept, mem)
		for k := range each {
			places[i/number*l.count+k*number+i%number] = place{mem, k * l.size}
		}
	}
	return l.filled(func(b *dma.Batch, from, n int) error {
		for i := range n {
			k := l.at(from + i)
			src, dst := &places[k], &places[l.count+k]
			if err := b.AddRange(dst.mem, dst.off, src.mem, src.off, l.size); err != nil {
				return err
			}
		}
		return nil
	})
}

// add gives a batch n copies of a round.
func (l *goLoop) add(b *dma.Batch, from, n int) error {
	for i := range n {
		k := l.at(from + i)
		if err := b.Add(l.targets[k], l.sources[k]); err != nil {
			return err
		}
	}
	return nil
}

// addRanges is add for ranges.
func (l *goLoop) addRanges(b *dma.Batch, from, n int) error {
	for i := range n {
		at := l.at(from+i) * l.size
		if err := b.AddRange(l.dst, at, l.src, at, l.size); err != nil {
			return err
		}
	}
	return nil
}

func (l *goLoop) filled(add func(b *dma.Batch, from, n int) error) func(int) {
	b, err := l.copier.NewBatch(l.count)
	l.ok(err)
	return l.rounds(func(ctx context.Context) error {
		l.next()
		if err := fill(b, 0, l.count, add); err != nil {
			return err
		}
		return b.Run(ctx)
	})
}

// fill gives a batch n copies of a round in place of those that it has.
func fill(b *dma.Batch, from, n int, add func(b *dma.Batch, from, n int) error) error {
	if err := b.Reset(); err != nil {
		return err
	}
	return add(b, from, n)
}

// each makes a round of copies one after the other.
func (l *goLoop) each(one func(ctx context.Context, i int) error) func(int) {
	return l.rounds(func(ctx context.Context) error {
		for i := range l.count {
			if err := one(ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *goLoop) copies() func(int) { return l.each(l.copyBuffers) }

func (l *goLoop) copiesOfRanges() func(int) { return l.each(l.copyRange) }

func (l *goLoop) copyBuffers(ctx context.Context, i int) error {
	_, err := l.copier.Copy(ctx, l.targets[i], l.sources[i])
	return err
}

func (l *goLoop) copyRange(ctx context.Context, i int) error {
	return l.copier.CopyRange(ctx, l.dst, i*l.size, l.src, i*l.size, l.size)
}

func (l *goLoop) copyAsync(ctx context.Context, i int) error {
	f, err := l.copier.CopyAsync(ctx, l.targets[i], l.sources[i])
	if err != nil {
		return err
	}
	_, err = f.Wait(ctx)
	return err
}

// copyNewBuffers makes buffers for the copy and closes them after it.
func (l *goLoop) copyNewBuffers(ctx context.Context, i int) error {
	src, err := l.inventory.Source(l.src, i*l.size, l.size)
	if err != nil {
		return err
	}
	dst, err := l.inventory.Buffer(l.dst, i*l.size, l.size)
	if err != nil {
		return errors.Join(err, src.Close())
	}
	_, err = l.copier.Copy(ctx, dst, src)
	return cmp.Or(err, src.Close(), dst.Close())
}

// goroutines has n goroutines make blocking copies, each of a range of its own. A round has a copy of each.
func (l *goLoop) goroutines(n int) func(int) {
	return together(n, func(i, rounds int) {
		ctx := context.Background()
		for range rounds {
			l.ok(l.copyRange(ctx, i))
		}
	})
}

// together returns a function that calls another one n times at once, and waits.
func together(n int, run func(i, rounds int)) func(rounds int) {
	return func(rounds int) {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { run(i, rounds) })
		}
		all.Wait()
	}
}
