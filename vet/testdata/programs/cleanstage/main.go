// Command cleanstage moves files through the device in stages, with a table of steps.
package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// slot is a place for one part of a file.
type slot struct {
	src, dst *doca.Buffer
	future   *dma.Future
	sum      uint32
}

// pool lends slots.
type pool struct {
	mu   sync.Mutex
	cond *sync.Cond
	free []*slot
}

func newPool() *pool {
	p := &pool{}
	p.cond = sync.NewCond(&p.mu)
	return p
}

func (p *pool) get() *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) == 0 {
		p.cond.Wait()
	}
	s := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return s
}

func (p *pool) put(s *slot) {
	p.mu.Lock()
	p.free = append(p.free, s)
	p.mu.Unlock()
	p.cond.Signal()
}

type stage struct {
	copier  *dma.DMA
	batch   *dma.Batch
	mem     *doca.Memory
	inv     *doca.Inventory
	pool    *pool
	cleanup []func() error
}

func (s *stage) keep(f func() error) { s.cleanup = append(s.cleanup, f) }

func (s *stage) end() (err error) {
	for i := range s.cleanup {
		err = errors.Join(err, s.cleanup[len(s.cleanup)-1-i]())
	}
	return err
}

func setup(pci string) (_ *stage, err error) {
	s := &stage{pool: newPool()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.end())
		}
	}()
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return nil, err
	}
	s.keep(dev.Close)
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	if err != nil {
		return nil, err
	}
	s.keep(pe.Close)
	if s.copier, err = dma.New(dev, pe, dma.Config{}); err != nil {
		return nil, err
	}
	if s.mem, err = doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}}); err != nil {
		return nil, err
	}
	if s.inv, err = doca.NewInventory(64); err != nil {
		return nil, err
	}
	s.keep(s.inv.Close)
	if s.batch, err = s.copier.NewBatch(4); err != nil {
		return nil, err
	}
	s.keep(func() error { return s.batch.Close() })
	for i := range 8 {
		if err = s.add(i * 8192); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *stage) add(off int) error {
	src, err := s.inv.Source(s.mem, off, 4096)
	if err != nil {
		return err
	}
	dst, err := s.inv.Buffer(s.mem, off+4096, 4096)
	if err != nil {
		return errors.Join(err, src.Close())
	}
	s.pool.put(&slot{src: src, dst: dst})
	return nil
}

func (sl *slot) begin(ctx context.Context, d *dma.DMA) (err error) {
	sl.sum = crc32.ChecksumIEEE(sl.src.Data()) // before
	sl.future, err = d.CopyAsync(ctx, sl.dst, sl.src)
	return err
}

func (sl *slot) finish(ctx context.Context) error {
	if _, err := sl.future.Wait(ctx); err != nil {
		return err
	}
	sl.future = nil
	if got := crc32.ChecksumIEEE(sl.dst.Data()); got != sl.sum {
		return fmt.Errorf("checksum %x, want %x", got, sl.sum)
	}
	return nil
}

// pipeline has a goroutine that finishes what this one begins.
func (s *stage) pipeline(ctx context.Context, r io.Reader, w io.Writer) error {
	begun := make(chan *slot, 4)
	done := make(chan error, 1)
	go func() {
		var first error
		for sl := range begun {
			if err := sl.finish(ctx); err != nil {
				first = errors.Join(first, err)
			} else if _, err := w.Write(sl.dst.Data()); err != nil {
				first = errors.Join(first, err)
			}
			s.pool.put(sl)
		}
		done <- first
	}()
	var err error
	for err == nil {
		sl := s.pool.get()
		var n int
		n, err = io.ReadFull(r, sl.src.Bytes())
		if n > 0 {
			if e := sl.src.SetData(0, n); e != nil {
				err = e
				break
			}
			if e := sl.begin(ctx, s.copier); e != nil {
				err = e
				break
			}
			begun <- sl
		} else {
			s.pool.put(sl)
		}
	}
	close(begun)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return errors.Join(err, <-done)
}

func (s *stage) run(ctx context.Context) error {
	if err := s.batch.Reset(); err != nil {
		return err
	}
	for i := range 4 {
		if err := s.batch.AddRange(s.mem, i*8192+4096, s.mem, i*8192, 4096); err != nil {
			return err
		}
	}
	if err := s.batch.Submit(ctx); err != nil {
		return err
	}
	if err := s.batch.Wait(ctx); err != nil {
		return err
	}
	clear(s.mem.Bytes())
	return s.batch.Run(ctx)
}

func (s *stage) within(d time.Duration, src, dst *doca.Buffer) (n int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return 0, err
	}
	if n, err = f.Wait(ctx); err != nil {
		<-f.Done() // the device has finished
		return 0, errors.Join(err, dst.Reset(0, 4096))
	}
	return n, dst.SetData(0, 0)
}

// swap uses another buffer of the same variable.
func (s *stage) swap(ctx context.Context, list []*doca.Buffer, src *doca.Buffer) error {
	var pending []*dma.Future
	for i, b := range list {
		f, err := s.copier.CopyAsync(ctx, b, src)
		if err != nil {
			return err
		}
		pending = append(pending, f)
		if i+1 < len(list) {
			b = list[i+1]
			clear(b.Bytes())
		}
	}
	for _, f := range pending {
		if _, err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// field takes the slot's place for another buffer.
func (s *stage) field(ctx context.Context, sl *slot, spare *doca.Buffer) error {
	f, err := s.copier.CopyAsync(ctx, sl.dst, sl.src)
	if err != nil {
		return err
	}
	old := sl.dst
	sl.dst = spare
	clear(sl.dst.Bytes())
	if _, err := f.Wait(ctx); err != nil {
		return err
	}
	return old.Close()
}

func main() {
	s, err := setup("03:00.0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx := context.Background()
	sl, spare := s.pool.get(), s.pool.get()
	_, err = s.within(time.Second, sl.src, sl.dst)
	err = errors.Join(err, s.pipeline(ctx, os.Stdin, os.Stdout), s.run(ctx), s.swap(ctx, []*doca.Buffer{sl.dst, spare.dst}, sl.src),
		s.field(ctx, sl, spare.dst), s.end())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
