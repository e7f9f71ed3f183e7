// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// RDMA measures writes to the memory of the serving side, and reads of it.
func RDMA(ctx context.Context, p Plan, l *Link, each func(Row)) (err error) {
	bytes, err := p.bytes()
	if err != nil {
		return err
	}
	b, err := p.bench(rdma.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	r, err := rdma.New(b.dev, b.pe, rdma.Config{MaxTasks: slices.Max(p.Windows)})
	if err != nil {
		return err
	}
	conn, details, err := r.Export()
	if err != nil {
		return err
	}
	peer, err := l.ask(request{Library: "rdma", Bytes: bytes, Size: slices.Max(p.Sizes), Window: slices.Max(p.Windows), Details: details})
	if err != nil {
		return err
	}
	if err := conn.Connect(peer.Details); err != nil {
		return err
	}
	remote, err := doca.ImportMemory(b.dev, peer.Memory)
	if err != nil {
		return err
	}
	local, err := newMemory(bytes, doca.MemoryConfig{Devices: []*doca.Device{b.dev}})
	if err != nil {
		return err
	}
	for _, operation := range []string{"write", "read"} {
		for _, size := range p.Sizes {
			for _, window := range p.Windows {
				run, end, err := transfers(conn, operation, remote, local, size, window)
				if err != nil {
					return err
				}
				row, err := p.row(ctx, operation, size, window, run)
				if err = errors.Join(err, end()); err != nil {
					return err
				}
				each(row)
			}
		}
	}
	return nil
}

// transfers returns what writes or reads a window. One is a blocking call; several are a batch.
func transfers(conn *rdma.Conn, operation string, remote, local *doca.Memory, size, window int) (run func(context.Context) error, end func() error, err error) {
	nothing := func() error { return nil }
	if window == 1 {
		if operation == "write" {
			return func(ctx context.Context) error { return conn.Write(ctx, remote, 0, local, 0, size) }, nothing, nil
		}
		return func(ctx context.Context) error { return conn.Read(ctx, local, 0, remote, 0, size) }, nothing, nil
	}
	batch, err := conn.NewBatch(window)
	if err != nil {
		return nil, nil, err
	}
	for i := range window {
		if operation == "write" {
			err = batch.Write(remote, i*size, local, i*size, size)
		} else {
			err = batch.Read(local, i*size, remote, i*size, size)
		}
		if err != nil {
			return nil, nil, errors.Join(err, batch.Close())
		}
	}
	return batch.Run, batch.Close, nil
}

// serveRDMA connects, and lets the peer use its memory.
func serveRDMA(q request, device string) (reply, io.Closer, error) {
	dev, err := open(device, rdma.Supported)
	if err != nil {
		return reply{}, nil, err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return reply{}, dev, err
	}
	held := closers{pe, dev}
	r, err := rdma.New(dev, pe, rdma.Config{})
	if err != nil {
		return reply{}, held, err
	}
	conn, details, err := r.Export()
	if err != nil {
		return reply{}, held, err
	}
	if err := conn.Connect(q.Details); err != nil {
		return reply{}, held, err
	}
	mem, err := newMemory(q.Bytes, doca.MemoryConfig{Devices: []*doca.Device{dev},
		Access: doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite})
	if err != nil {
		return reply{}, held, err
	}
	descriptor, err := mem.ExportRDMA(dev)
	return reply{Details: details, Memory: descriptor}, held, err
}
