package ctxabort

import (
	"context"
	"errors"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

func touch(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	_, err := d.Copy(ctx, dst, src)
	switch {
	case errors.Is(err, context.Canceled):
		clear(dst.Bytes()) // want `writes to the bytes of the buffer after a context has ended the wait for DMA.Copy in line 13`
	case errors.Is(err, doca.ErrInUse):
		clear(dst.Bytes())
	case err == nil:
		clear(dst.Bytes())
	}
	return err
}

func closes(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	_, err := d.Copy(ctx, dst, src)
	if err == context.DeadlineExceeded {
		return dst.Close() // want `closes the buffer after a context has ended`
	}
	return err
}

func waits(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err = f.Wait(short); err != nil {
		if short.Err() != nil {
			return dst.Reset(0, 1) // want `changes the buffer after a context has ended`
		}
		return err
	}
	return dst.Reset(0, 1)
}

func right(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	if _, err = f.Wait(ctx); errors.Is(err, context.Canceled) {
		if _, err = f.Wait(context.Background()); err != nil {
			return err
		}
		clear(dst.Bytes())
	}
	return err
}

func shut(ctx, grace context.Context, d *dma.DMA, mem, src *doca.Memory) error {
	err := d.CopyRange(ctx, mem, 0, src, 0, 64)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(err, mem.Shutdown(grace))
	}
	return err
}
