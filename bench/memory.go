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
	"runtime"

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
		consumers(r),
	}
}

// takes measures n objects, which make makes and returns, and divides.
func takes(r *rig, object string, n int, make func(n int) []any) result.Memory {
	inGo, inC := heaps()
	made := make(n)
	goAfter, cAfter := heaps()
	r.kept = append(r.kept, made)
	per := func(before, after uint64) float64 { return float64(int64(after-before)) / float64(n) }
	return result.Memory{Object: object, Go: per(inGo, goAfter), C: per(inC, cAfter)}
}

// heaps returns the bytes that are in use on both heaps.
func heaps() (inGo, inC uint64) {
	var m runtime.MemStats
	for range 2 { // the second run takes what finalizers have freed
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, uint64(C.heap())
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

// consumers measures consumers of one connection that have posted nothing.
func consumers(r *rig) result.Memory {
	client, server := newConns(r, false)
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{server.Device()}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite})
	r.ok(err)
	pe := r.engine(false)
	r.kept = append(r.kept, client, server, mem)
	return takes(r, "Comch consumer, idle, MaxTasks: 32", 16, func(n int) []any {
		return r.each(n, func() (any, error) { return server.NewConsumer(mem, comch.ConsumerConfig{Engine: pe, MaxTasks: 32}) })
	})
}
