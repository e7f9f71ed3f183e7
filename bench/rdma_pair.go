package main

import (
	"bytes"
	"context"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// goRDMALoop does in Go what cloop.RDMA does in C.
type goRDMALoop struct {
	*rig
	count, size int
	dev         *doca.Device
	conn, peer  *rdma.Conn
	src, dst    *doca.Memory
	remote      *doca.Memory // dst, as the writer has it
}

// newGoRDMALoop connects two contexts with count*size bytes each.
func newGoRDMALoop(r *rig, count, size int) *goRDMALoop {
	l := &goRDMALoop{rig: r, count: count, size: size, dev: r.device()}
	pe := r.engine(true)
	var details [2][]byte
	for i, conn := range []**rdma.Conn{&l.conn, &l.peer} {
		ctx, err := rdma.New(l.dev, pe, rdma.Config{MaxTasks: depth})
		r.ok(err)
		*conn, details[i], err = ctx.Export()
		r.ok(err)
	}
	r.ok(l.conn.Connect(details[1]))
	r.ok(l.peer.Connect(details[0]))
	cfg := doca.MemoryConfig{Devices: []*doca.Device{l.dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMAWrite}
	var err error
	l.src, err = doca.NewMemory(count*size, cfg)
	r.ok(err)
	l.dst, err = doca.NewMemory(count*size, cfg)
	r.ok(err)
	for i := range l.src.Bytes() {
		l.src.Bytes()[i] = pattern(i)
	}
	desc, err := l.dst.ExportRDMA(l.dev)
	r.ok(err)
	l.remote, err = doca.ImportMemory(l.dev, desc)
	r.ok(err)
	r.later(func() error {
		r.check(bytes.Equal(l.src.Bytes(), l.dst.Bytes()), "the target differs from the source")
		return nil
	})
	return l
}

// batch returns a function that writes all ranges, as a batch that stays or, moving, is filled anew.
func (l *goRDMALoop) batch(moving bool) func(rounds int) {
	ctx := context.Background()
	batch, err := l.conn.NewBatch(l.count)
	l.ok(err)
	first := 0
	fill := func() {
		l.ok(batch.Reset())
		for i := range l.count {
			k := first + i
			if k >= l.count {
				k -= l.count
			}
			l.ok(batch.Write(l.remote, k*l.size, l.src, k*l.size, l.size))
		}
	}
	fill()
	return func(rounds int) {
		for range rounds {
			if first++; first == l.count {
				first = 0
			}
			if moving {
				fill()
			}
			l.ok(batch.Run(ctx))
		}
	}
}

// one makes all writes, one after the other.
func (l *goRDMALoop) one(rounds int) {
	ctx := context.Background()
	for range rounds {
		for i := range l.count {
			l.ok(l.write(ctx, i))
		}
	}
}

// goroutines has n goroutines make blocking writes, each to a range of its own.
func (l *goRDMALoop) goroutines(n int) func(rounds int) {
	return together(n, func(i, rounds int) {
		ctx := context.Background()
		for range rounds {
			l.ok(l.write(ctx, i))
		}
	})
}

func (l *goRDMALoop) write(ctx context.Context, i int) error {
	return l.conn.Write(ctx, l.remote, i*l.size, l.src, i*l.size, l.size)
}
