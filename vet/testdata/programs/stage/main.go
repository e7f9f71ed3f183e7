// Command stage moves files through the device in stages, with a table of steps.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
)

// slot is a place for one part of a file.
type slot struct {
	src, dst *doca.Buffer
	future   *dma.Future
}

type stage struct {
	copier  *dma.DMA
	batch   *dma.Batch
	mem     *doca.Memory
	inv     *doca.Inventory
	slots   []*slot
	results map[string][]byte
	cleanup []func() error
}

type step func(ctx context.Context, s *stage) error

// keep remembers what is closed at the end.
func (s *stage) keep(f func() error) { s.cleanup = append(s.cleanup, f) }

func (s *stage) end() (err error) {
	for _, f := range s.cleanup {
		err = errors.Join(err, f())
	}
	return err
}

func setup(pci string) (*stage, error) {
	s := &stage{results: map[string][]byte{}}
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return nil, err
	}
	s.keep(dev.Close)
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	if err != nil {
		return nil, errors.Join(err, s.end())
	}
	s.keep(pe.Close)
	if s.copier, err = dma.New(dev, pe, dma.Config{}); err != nil {
		return nil, errors.Join(err, s.end())
	}
	if s.mem, err = doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}}); err != nil {
		return nil, errors.Join(err, s.end())
	}
	if s.inv, err = doca.NewInventory(64); err != nil {
		return nil, errors.Join(err, s.end())
	}
	s.keep(s.inv.Close)
	return s, nil
}

func batchOf(s *stage, n int) (*dma.Batch, error) {
	b, err := s.copier.NewBatch(n) // want unclosed
	if err != nil {
		return nil, err
	}
	for i := range n {
		if err := b.AddRange(s.mem, i*8192, s.mem, i*8192+4096, 4096); err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	return b, nil
}

// addSlots: the second buffer's error loses the first.
func (s *stage) addSlots(n int) error {
	for i := range n {
		src, err := s.inv.Source(s.mem, i*8192, 4096) // want unclosed
		if err != nil {
			return err
		}
		dst, err := s.inv.Buffer(s.mem, i*8192+4096, 4096)
		if err != nil {
			return err
		}
		s.slots = append(s.slots, &slot{src: src, dst: dst})
	}
	return nil
}

func probe(dev *doca.Device) bool {
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}}) // want unclosed
	return err == nil && mem.Len() == 4096
}

func (s *stage) start(ctx context.Context, i int) error {
	sl := s.slots[i]
	var err error
	sl.future, err = s.copier.CopyAsync(ctx, sl.dst, sl.src)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(sl.dst.Data()) // want inflight
	if err != nil {
		return err
	}
	_, err = sl.future.Wait(ctx)
	return err
}

// run changes the source of the batch while it runs.
func (s *stage) run(ctx context.Context, r io.Reader) error {
	if err := s.batch.Submit(ctx); err != nil {
		return err
	}
	if err := s.batch.Reset(); err != nil { // the batch refuses this by itself
		return err
	}
	return s.batch.Wait(ctx)
}

func (s *stage) load(ctx context.Context, r io.Reader, src, dst *doca.Buffer) error {
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(r, src.Bytes()); err != nil { // want inflight
		return err
	}
	_, err = f.Wait(ctx)
	return err
}

func (s *stage) parallel(ctx context.Context, src, dst *doca.Buffer) error {
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	wait := f.Wait
	fmt.Printf("%x\n", dst.Bytes()[:4]) // want inflight
	_, err = wait(ctx)
	return err
}

func (s *stage) released(ctx context.Context, src, dst *doca.Buffer) error {
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	if err := src.Close(); err != nil { // want inflight
		return err
	}
	_, err = f.Wait(ctx)
	return err
}

func (s *stage) within(d time.Duration, src, dst *doca.Buffer) (n int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return 0, err
	}
	n, err = f.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, dst.Close() // want ctxabort
	}
	return n, err
}

func (s *stage) select1(ctx context.Context, src, dst *doca.Buffer) error {
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		copy(src.Bytes(), "gone") // want ctxabort
		return context.Cause(ctx)
	case <-f.Done():
		return f.Err()
	}
}

func (s *stage) store(ctx context.Context, name string, c *comch.Consumer) error {
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return err
		}
		s.results[name] = m.Data // want kept
	}
	return nil
}

type page struct{ data []byte }

func (s *stage) page(n int) (*page, error) {
	mem, err := doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{s.copier.Device()}})
	if err != nil {
		return nil, err
	}
	defer func() { _ = mem.Close() }()
	p := &page{data: mem.Bytes()}
	return p, nil // want kept
}

func (s *stage) later(ctx context.Context, c *comch.Consumer, wg *sync.WaitGroup) error {
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return err
		}
		wg.Go(func() { // want kept
			fmt.Println(string(m.Data))
		})
	}
	return nil
}

type snapshot struct {
	at  time.Time
	buf doca.Buffer
}

func take(b *doca.Buffer) snapshot {
	return snapshot{time.Now(), *b} // want copied
}

func values(list []*doca.Buffer) []doca.Buffer {
	out := make([]doca.Buffer, len(list))
	for i := range list {
		out[i] = *list[i] // want copied
	}
	return out
}

func main() {
	s, err := setup("03:00.0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx := context.Background()
	for _, f := range []step{
		func(ctx context.Context, s *stage) error { return s.addSlots(4) },
		func(ctx context.Context, s *stage) (err error) {
			s.batch, err = batchOf(s, 4)
			return err
		},
		func(ctx context.Context, s *stage) error { return s.run(ctx, os.Stdin) },
		func(ctx context.Context, s *stage) error { return s.start(ctx, 0) },
		func(ctx context.Context, s *stage) error {
			sl := s.slots[1]
			_, err := s.within(time.Second, sl.src, sl.dst)
			return errors.Join(err, s.load(ctx, os.Stdin, sl.src, sl.dst), s.parallel(ctx, sl.src, sl.dst), s.released(ctx, sl.src, sl.dst), s.select1(ctx, sl.src, sl.dst))
		},
	} {
		if err := f(ctx, s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			s.batch.Close() // want closeerror
			break
		}
	}
	fmt.Println(take(s.slots[0].src).at, len(values(nil)), probe(s.copier.Device()))
	fmt.Println(s.page(1))
	s.copier.Shutdown(ctx) // want closeerror
	if err := s.end(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
