package bench

import (
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
	_ "github.com/go-doca/go-doca/emulator"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
func BenchmarkRaw32(b *testing.B) { raw(b, 32) }
func BenchmarkRaw1024(b *testing.B) { raw(b, 1024) }
func raw(b *testing.B, count int) {
	const depth, size = 32, 64
	ok := func(err error) { if err != nil { panic(err) } }
	list := must(common.DevinfoCreateList())
	dev := must(common.DevOpen(list[0]))
	ok(common.DevinfoDestroyList(list))
	ring := must(abi.NewRing())
	pe := must(common.PECreate())
	d := must(dma.Create(dev))
	ctx := must(dma.AsCtx(d))
	ok(dma.TaskMemcpySetConfBatched(d, depth))
	batch := &must(abi.Alloc[abi.Batch](1))[0]
	slots := must(abi.Alloc[abi.Slot](depth))
	ok(common.PEConnectCtx(pe, ctx))
	ok(common.CtxStart(ring, ctx))
	mem := must(syscall.Mmap(-1, 0, (2*count*size+4095)/4096*4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))
	for i := range count*size { mem[i] = byte(i*7) }
	m := must(common.MmapCreate())
	ok(common.MmapSetMemrange(m, unsafe.Pointer(&mem[0]), uint64(len(mem))))
	ok(common.MmapAddDev(m, dev))
	ok(common.MmapStart(ring, m))
	inv := must(common.BufInventoryCreate(uint64(2 * count)))
	ok(common.BufInventoryStart(ring, inv))
	items := must(abi.Alloc[dma.TaskMemcpyItem](count))
	for i := range items {
		s := unsafe.Pointer(&mem[i*size])
		t := unsafe.Pointer(&mem[(i+count)*size])
		src := must(common.BufInventoryBufGetByArgs(inv, m, s, size, s, size))
		dst := must(common.BufInventoryBufGetByArgs(inv, m, t, size, t, 0))
		if i < depth {
		task := must(dma.TaskMemcpyAllocInit(d, src, dst, slots[i].Data()))
		slots[i].Task = unsafe.Pointer(must(dma.TaskMemcpyAsTask(task)))
		slots[i].Typed = unsafe.Pointer(task)
		}
		if count > depth { items[i].Exchange = 1; items[i].Src.Buf = src }
		items[i].Dst = common.BufView{Buf: dst, Data: t}
	}
	batch.Items = unsafe.Pointer(&items[0])
	c := must(newCLoop(depth, count, size))
	goRound := func(rounds int) {
	for range rounds {
		batch.Count = uint32(count)
		ok(dma.TaskMemcpySubmitBatch(batch, slots))
		for batch.Pending > 0 {
			must(common.PEProgressBatch(ring, pe, 256))
			ring.Reset()
		}
	}}
	rounds := max(1, b.N/count/20)
	best := [2]time.Duration{1 << 62, 1 << 62}
	for range 20 {
		for i, round := range []func(int){goRound, func(r int) { ok(c.run(r)) } } {
			start := time.Now()
			round(rounds)
			best[i] = min(best[i], time.Since(start))
		}
	}
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(rounds*count) }
	b.ReportMetric(per(best[0]), "go-ns/op")
	b.ReportMetric(per(best[1]), "c-ns/op")
	b.ReportMetric(float64(best[1])/float64(best[0]), "x-c")
	for i := range count*size { if mem[i] != mem[i+count*size] { b.Fatal("content") } }
	if !c.verify() { b.Fatal("c") }
}
