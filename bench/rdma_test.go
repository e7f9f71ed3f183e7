package bench

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// goRDMALoop does in Go what cRDMALoop does in C.
type goRDMALoop struct {
	dev        *doca.Device
	conn, peer *rdma.Conn
	src, dst   *doca.Memory
	remote     *doca.Memory // dst, as the writer has it
}

// newGoRDMALoop connects two contexts with count*size bytes each.
func newGoRDMALoop(b *testing.B, count, size int) *goRDMALoop {
	b.Helper()
	devices, err := doca.Devices()
	ok(b, err)
	l := &goRDMALoop{}
	l.dev, err = doca.OpenDevice(devices[0].PCIAddr)
	ok(b, err)
	b.Cleanup(func() { ok(b, l.dev.Close()) })
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	ok(b, err)
	b.Cleanup(func() { ok(b, pe.Close()) })
	var details [2][]byte
	for i, conn := range []**rdma.Conn{&l.conn, &l.peer} {
		r, err := rdma.New(l.dev, pe, rdma.Config{MaxTasks: depth})
		ok(b, err)
		*conn, details[i], err = r.Export()
		ok(b, err)
	}
	ok(b, l.conn.Connect(details[1]))
	ok(b, l.peer.Connect(details[0]))
	cfg := doca.MemoryConfig{Devices: []*doca.Device{l.dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMAWrite}
	l.src, err = doca.NewMemory(count*size, cfg)
	ok(b, err)
	l.dst, err = doca.NewMemory(count*size, cfg)
	ok(b, err)
	for i := range l.src.Bytes() {
		l.src.Bytes()[i] = byte(i*31 + i/251)
	}
	desc, err := l.dst.ExportRDMA(l.dev)
	ok(b, err)
	l.remote, err = doca.ImportMemory(l.dev, desc)
	ok(b, err)
	return l
}

// run returns a function that writes all ranges, as a batch that stays or, moving, is filled anew.
func (l *goRDMALoop) run(b *testing.B, count, size int, moving bool) func(rounds int) {
	ctx := context.Background()
	batch, err := l.conn.NewBatch(count)
	ok(b, err)
	first := 0
	fill := func() error {
		err := batch.Reset()
		for i := range count {
			k := first + i
			if k >= count {
				k -= count
			}
			if err == nil {
				err = batch.Write(l.remote, k*size, l.src, k*size, size)
			}
		}
		return err
	}
	ok(b, fill())
	return func(rounds int) {
		for range rounds {
			if first++; first == count {
				first = 0
			}
			if moving {
				if err := fill(); err != nil {
					b.Fatal(err)
				}
			}
			if err := batch.Run(ctx); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func (l *goRDMALoop) verify(b *testing.B) {
	b.Helper()
	if !bytes.Equal(l.src.Bytes(), l.dst.Bytes()) {
		b.Fatal("the target differs from the source")
	}
}

// BenchmarkRDMAWrite compares batches of writes with the loop in C, both sides in this process.
func BenchmarkRDMAWrite(b *testing.B) {
	for _, c := range []struct {
		count, size int
		moving      bool
	}{{depth, 64, false}, {256, 64, false}, {depth, 64, true}, {256, 64, true}, {depth, 4096, false}, {depth, 1 << 20, false}} {
		ranges := "same"
		if c.moving {
			ranges = "new"
		}
		b.Run(fmt.Sprintf("%dx%d/%s", c.count, c.size, ranges), func(b *testing.B) {
			l := newGoRDMALoop(b, c.count, c.size)
			inC, err := newCRDMALoop(depth, c.count, c.size, c.moving)
			ok(b, err)
			compare(b, c.count, "c", l.run(b, c.count, c.size, c.moving), func(rounds int) { ok(b, inC.run(rounds)) })
			l.verify(b)
			if !inC.verify() {
				b.Fatal("C: the target differs from the source")
			}
			ok(b, inC.close())
		})
	}
}

// BenchmarkRDMAWriteMemcpy compares writes of 1 MiB with memcpy.
func BenchmarkRDMAWriteMemcpy(b *testing.B) {
	const size = 1 << 20
	l := newGoRDMALoop(b, depth, size)
	inC, err := newCRDMALoop(depth, depth, size, false)
	ok(b, err)
	compare(b, depth, "memcpy", l.run(b, depth, size, false), inC.memcpy)
	ok(b, inC.close())
}

// BenchmarkRDMAWriteBlocking makes one blocking write of 64 bytes at a time, each of another range,
// against one at a time in C.
func BenchmarkRDMAWriteBlocking(b *testing.B) {
	const size = 64
	l := newGoRDMALoop(b, depth, size)
	inC, err := newCRDMALoop(1, depth, size, true)
	ok(b, err)
	ctx := context.Background()
	compare(b, depth, "c", func(rounds int) {
		for range rounds {
			for i := range depth {
				if err := l.conn.Write(ctx, l.remote, i*size, l.src, i*size, size); err != nil {
					b.Fatal(err)
				}
			}
		}
	}, func(rounds int) { ok(b, inC.run(rounds)) })
	ok(b, inC.close())
}
