package dma_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator"
)

func BenchmarkBatch32x64(b *testing.B) {
	ctx := context.Background()
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		b.Fatal(err)
	}
	defer pe.Close()
	d, err := dma.New(dev, pe, dma.Config{MaxTasks: 32})
	if err != nil {
		b.Fatal(err)
	}
	mem, err := doca.NewMemory(1<<16, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		b.Fatal(err)
	}
	inv, err := doca.NewInventory(64)
	if err != nil {
		b.Fatal(err)
	}
	defer inv.Close()
	batch, err := d.NewBatch(32)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 32 {
		src, err := inv.Buffer(mem, i*128, 64)
		if err != nil {
			b.Fatal(err)
		}
		src.SetData(0, 64)
		dst, err := inv.Buffer(mem, i*128+64, 64)
		if err != nil {
			b.Fatal(err)
		}
		if err := batch.Add(dst, src); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if err := batch.Run(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/copy")
}
