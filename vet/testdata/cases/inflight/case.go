package inflight

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
)

func straight(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	fmt.Println(dst.Data())    // want `reads the bytes of the buffer while the device has it: DMA.CopyAsync in line 13`
	fmt.Println(src.Data())    // others may read it
	copy(src.Bytes(), "other") // want `writes to the bytes of the buffer`
	_, err = f.Wait(ctx)
	fmt.Println(dst.Data())
	return err
}

func branch(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer, quick bool) error {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		clear(dst.Bytes()) // it was not started
		return err
	}
	if !quick {
		if _, err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return dst.Close() // want `closes the buffer while the device has it`
}

func again(ctx context.Context, d *dma.DMA, dst, src, other *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	if _, err := d.CopyAsync(ctx, other, src); err != nil { // two may read a source
		return err
	}
	if _, err := d.CopyAsync(ctx, dst, other); err != nil { // want `uses the buffer again`
		return err
	}
	_, err = f.Wait(ctx)
	return err
}

func posted(c *comch.Consumer, buf *doca.Buffer) ([]byte, error) {
	if err := c.Post(buf); err != nil {
		return nil, err
	}
	if err := buf.SetData(0, 1); err != nil { // want `changes the buffer, which Consumer.Post in line 55 gave to the device`
		return nil, err
	}
	r, err := c.Recv(context.Background())
	return r.Data, err
}

func ranges(ctx context.Context, d *dma.DMA, mem *doca.Memory, off, n int) error {
	f, err := d.CopyRangeAsync(ctx, mem, off, mem, 0, n)
	if err != nil {
		return err
	}
	fmt.Println(mem.Bytes()[off:][:n]) // want `reads the bytes of memory`
	clear(mem.Bytes()[off+n:])
	_, err = f.Wait(ctx)
	return err
}

func done(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	f, err := d.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	<-f.Done()
	clear(dst.Bytes())
	return f.Err()
}

func stopped(ctx context.Context, d *dma.DMA, dst, src *doca.Buffer) error {
	if _, err := d.CopyAsync(ctx, dst, src); err != nil {
		return err
	}
	if err := d.Stop(ctx); err != nil {
		return err
	}
	clear(dst.Bytes())
	return nil
}
