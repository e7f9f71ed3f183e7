// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"errors"
	"io"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// DMA measures copies within this machine, or from the serving side's memory if there is a link.
func DMA(ctx context.Context, p Plan, l *Link, each func(Row)) (err error) {
	bytes, err := p.bytes()
	if err != nil {
		return err
	}
	b, err := p.bench(dma.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	dst, err := newMemory(bytes, doca.MemoryConfig{Devices: []*doca.Device{b.dev}})
	if err != nil {
		return err
	}
	operation := "copy"
	src, err := (*doca.Memory)(nil), error(nil)
	if l == nil {
		src, err = newMemory(bytes, doca.MemoryConfig{Devices: []*doca.Device{b.dev}})
	} else {
		operation = "copy from the peer"
		var r reply
		if r, err = l.ask(request{Library: "dma", Bytes: bytes, Size: bytes, Window: 1}); err == nil {
			src, err = doca.ImportMemory(b.dev, r.Memory)
		}
	}
	if err != nil {
		return err
	}
	engine, err := dma.New(b.dev, b.pe, dma.Config{})
	if err != nil {
		return err
	}
	for _, size := range p.Sizes {
		for _, window := range p.Windows {
			run, end, err := copies(engine, dst, src, size, window)
			if err != nil {
				return err
			}
			row, err := p.row(ctx, operation, size, window, run)
			if err = errors.Join(err, end()); err != nil {
				return err
			}
			if l == nil && p.Device == "" && uint64(size) <= engine.Limits().MaxBufferSize { // the loop uses the first device, and one task for a copy
				if row.C, err = p.copiesInC(ctx, size, window); err != nil {
					return err
				}
			}
			each(row)
		}
	}
	return nil
}

// copies returns what copies a window. One copy is a blocking call; several are a batch.
func copies(engine *dma.DMA, dst, src *doca.Memory, size, window int) (run func(context.Context) error, end func() error, err error) {
	if window == 1 {
		return func(ctx context.Context) error { return engine.CopyRange(ctx, dst, 0, src, 0, size) }, func() error { return nil }, nil
	}
	batch, err := engine.NewBatch(window)
	if err != nil {
		return nil, nil, err
	}
	for i := range window {
		if err := batch.AddRange(dst, i*size, src, i*size, size); err != nil {
			return nil, nil, errors.Join(err, batch.Close())
		}
	}
	return batch.Run, batch.Close, nil
}

// serveDMA exports memory for the device on the other side of the PCI bus.
func serveDMA(q request, device string) (reply, io.Closer, error) {
	dev, err := open(device, dma.Supported)
	if err != nil {
		return reply{}, nil, err
	}
	mem, err := newMemory(q.Bytes, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite})
	if err != nil {
		return reply{}, dev, err
	}
	descriptor, err := mem.ExportPCI(dev)
	return reply{Memory: descriptor}, dev, err
}
