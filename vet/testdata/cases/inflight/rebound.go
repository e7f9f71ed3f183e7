package inflight

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// The same name, and another buffer by then.

type slot struct {
	dst    *doca.Buffer
	future *dma.Future
	name   string
}

func field(ctx context.Context, d *dma.DMA, s *slot, spare, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, s.dst, src)
	if err != nil {
		return err
	}
	clear(s.dst.Bytes()) // want `writes to the bytes of the buffer`
	old := s.dst
	s.dst = spare
	clear(s.dst.Bytes())
	clear(old.Bytes()) // want `writes to the bytes of the buffer`
	_, err = f.Wait(ctx)
	return err
}

func variable(ctx context.Context, d *dma.DMA, buf, spare, src *doca.Buffer) error {
	defer func() { fmt.Println(buf) }()
	f, err := d.CopyAsync(ctx, buf, src)
	if err != nil {
		return err
	}
	buf = spare
	clear(buf.Bytes())
	_, err = f.Wait(ctx)
	return err
}

func captured(ctx context.Context, d *dma.DMA, buf, spare, src *doca.Buffer) error {
	next := func() { buf = spare }
	f, err := d.CopyAsync(ctx, buf, src)
	if err != nil {
		return err
	}
	next()
	clear(buf.Bytes())
	_, err = f.Wait(ctx)
	return err
}

func (s *slot) turn(spare *doca.Buffer) { s.dst = spare }

func (s *slot) rename(name string) { s.name = name }

func helper(ctx context.Context, d *dma.DMA, s *slot, spare, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, s.dst, src)
	if err != nil {
		return err
	}
	s.rename("one")
	clear(s.dst.Bytes()) // want `writes to the bytes of the buffer`
	s.turn(spare)
	clear(s.dst.Bytes())
	_, err = f.Wait(ctx)
	return err
}

func element(ctx context.Context, d *dma.DMA, bufs []*doca.Buffer, i, j int, spare, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, bufs[i], src)
	if err != nil {
		return err
	}
	clear(bufs[i].Bytes()) // want `writes to the bytes of the buffer`
	bufs[j] = spare        // j may be i
	clear(bufs[i].Bytes())
	_, err = f.Wait(ctx)
	return err
}

// A future in a field, where others may wait for it.

func stored(ctx context.Context, d *dma.DMA, s *slot, src *doca.Buffer, mu *sync.Mutex) (err error) {
	if s.future, err = d.CopyAsync(ctx, s.dst, src); err != nil {
		return err
	}
	fmt.Println(s.dst.Data()) // want `reads the bytes of the buffer`
	mu.Lock()
	defer mu.Unlock()
	fmt.Println(s.dst.Data()) // somebody has waited, and holds the lock meanwhile
	return nil
}

func waited(ctx context.Context, d *dma.DMA, s *slot, src *doca.Buffer) (err error) {
	if s.future, err = d.CopyAsync(ctx, s.dst, src); err != nil {
		return err
	}
	if _, err = s.future.Wait(ctx); err != nil {
		return err
	}
	fmt.Println(s.dst.Data())
	return nil
}

func value(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	wait := f.Wait
	clear(dst.Bytes()) // want `writes to the bytes of the buffer`
	_, err = wait(ctx)
	clear(dst.Bytes())
	return err
}

func generic(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer, timer *time.Timer) ([]byte, error) {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		return nil, err
	}
	select {
	case <-timer.C:
		return slices.Clone(dst.Bytes()), nil // want `reads the bytes of the buffer`
	case <-f.Done():
		return slices.Clone(dst.Bytes()), f.Err()
	}
}
