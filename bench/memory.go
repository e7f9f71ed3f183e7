package main

// #include <malloc.h>
//
// static size_t heap(void)
// {
// 	struct mallinfo2 m = mallinfo2();
//
// 	return m.uordblks + m.hblkhd;
// }
import "C"

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/go-doca/go-doca/bench/result"
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
)

// memoryTable measures what the objects of the packages take, on both heaps.
func memoryTable() []result.Memory {
	r := &rig{row: "memory"}
	defer r.close()
	dev := r.device()
	pe := r.engine(true)
	return []result.Memory{
		takes(r, "DMA context, idle, MaxTasks: 1", 64, func(n int) []any {
			return r.each(n, func() (any, error) { return dma.New(dev, pe, dma.Config{MaxTasks: 1}) })
		}),
		takes(r, "each further slot of MaxTasks, never used", 1024, func(n int) []any {
			d, err := dma.New(dev, pe, dma.Config{MaxTasks: n})
			r.ok(err)
			return []any{d}
		}),
		slots(r, dev, pe),
		takes(r, "1000 buffers, with their inventory", 1, func(int) []any { return buffers(r, dev) }),
		connections(r),
		consumers(r, "Comch consumer, idle, MaxTasks: 32", false),
		consumers(r, "Comch consumer, the same, with 32 buffers posted", true),
	}
}

// used is what is in use of each kind of memory, in bytes.
type used struct{ inGo, inC, shared uint64 }

// takes measures n objects, which make makes and returns, and divides.
func takes(r *rig, object string, n int, make func(n int) []any) result.Memory {
	before := inUse(r)
	made := make(n)
	after := inUse(r)
	r.kept = append(r.kept, made)
	per := func(before, after uint64) float64 { return float64(int64(after-before)) / float64(n) }
	return result.Memory{
		Object: object, Go: per(before.inGo, after.inGo), C: per(before.inC, after.inC), Shared: per(before.shared, after.shared),
	}
}

// inUse returns what is in use now.
func inUse(r *rig) used {
	var m runtime.MemStats
	for range 2 { // the second run takes what finalizers have freed
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return used{m.HeapAlloc, uint64(C.heap()), shared(r)}
}

// shared returns the size of the pages of the emulator's shared memory that exist.
func shared(r *rig) uint64 {
	const dir = "/proc/self/fd"
	files, err := os.ReadDir(dir)
	r.ok(err)
	sum, seen := uint64(0), map[uint64]bool{}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		var st syscall.Stat_t
		if name, err := os.Readlink(path); err == nil && strings.HasPrefix(name, "/memfd:doca") && syscall.Stat(path, &st) == nil && !seen[st.Ino] {
			seen[st.Ino] = true
			sum += uint64(st.Blocks) * 512
		}
	}
	return sum
}

// each makes n objects.
func (r *rig) each(n int, one func() (any, error)) []any {
	made := make([]any, 0, n)
	for range n {
		o, err := one()
		r.ok(err)
		made = append(made, o)
	}
	return made
}

// slots runs a batch that uses all slots once.
func slots(r *rig, dev *doca.Device, pe *doca.ProgressEngine) result.Memory {
	const n = 1024
	d, err := dma.New(dev, pe, dma.Config{MaxTasks: n})
	r.ok(err)
	mem, err := doca.NewMemory(2*n*small, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	r.ok(err)
	r.kept = append(r.kept, d, mem)
	return takes(r, "slot in use: a task, its buffers, the item of a batch", n, func(n int) []any {
		b, err := d.NewBatch(n)
		r.ok(err)
		for i := range n {
			r.ok(b.AddRange(mem, (n+i)*small, mem, i*small, small))
		}
		r.ok(b.Run(context.Background()))
		return []any{b}
	})
}

func buffers(r *rig, dev *doca.Device) []any {
	const n = 1000
	mem, err := doca.NewMemory(n*small, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	r.ok(err)
	inv, err := doca.NewInventory(n)
	r.ok(err)
	r.later(inv.Close)
	r.kept = append(r.kept, mem)
	i := 0
	return r.each(n, func() (any, error) {
		i++
		return inv.Buffer(mem, (i-1)*small, small)
	})
}

// connections measures connections of one server, whose clients share an engine.
func connections(r *rig) result.Memory {
	ctx := context.Background()
	dpuDev, hostDev := r.open(dpu), r.open(host)
	rep, err := dpuDev.OpenRepresentor(host)
	r.ok(err)
	name := channelName()
	server, err := comch.Listen(ctx, dpuDev, rep, name, comch.Config{Engine: r.engine(false)})
	r.ok(err)
	pe := r.engine(false)
	connect := func() (any, error) {
		accepted := make(chan error)
		var ends [2]*comch.Conn
		go func() {
			var err error
			ends[0], err = server.Accept(ctx)
			accepted <- err
		}()
		var err error
		if ends[1], err = comch.Dial(ctx, hostDev, name, comch.Config{Engine: pe}); err != nil {
			return nil, err
		}
		return ends, <-accepted
	}
	first, err := connect() // makes what the server has once
	r.ok(err)
	r.kept = append(r.kept, first)
	return takes(r, "Comch connection, both ends", 16, func(n int) []any { return r.each(n, connect) })
}

// consumers measures consumers of one connection that have posted nothing, or as much as they can. The buffers that they post are
// not part of it.
func consumers(r *rig, object string, posted bool) result.Memory {
	const n, tasks = 16, 32
	client, server := newConns(r, false)
	mem, err := doca.NewMemory(n*tasks*small, doca.MemoryConfig{Devices: []*doca.Device{server.Device()}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite})
	r.ok(err)
	inv, err := doca.NewInventory(n * tasks)
	r.ok(err)
	r.later(inv.Close)
	var bufs []*doca.Buffer
	for i := range n * tasks {
		b, err := inv.Buffer(mem, i*small, small)
		r.ok(err)
		bufs = append(bufs, b)
	}
	pe := r.engine(false)
	r.kept = append(r.kept, client, server, mem, bufs)
	return takes(r, object, n, func(n int) []any {
		return r.each(n, func() (any, error) {
			c, err := server.NewConsumer(mem, comch.ConsumerConfig{Engine: pe, MaxTasks: tasks})
			if err == nil && posted {
				_, err = c.PostBatch(bufs[:tasks])
				bufs = bufs[tasks:]
			}
			return c, err
		})
	})
}
