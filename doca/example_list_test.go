package doca_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// A list made in one call, and a buffer that is aimed again: the copy gathers three words, then one.
func ExampleInventory_List() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close() // closes all that is made on it
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer pe.Close()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		log.Fatal(err)
	}
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		log.Fatal(err)
	}
	inv, err := doca.NewInventory(8)
	if err != nil {
		log.Fatal(err)
	}
	copy(mem.Bytes(), "words scattered three ")
	list, err := inv.List(doca.Range{Memory: mem, Offset: 16, Len: 6}, doca.Range{Memory: mem, Offset: 6, Len: 10}, doca.Range{Memory: mem, Offset: 0, Len: 5})
	if err != nil {
		log.Fatal(err)
	}
	dst, err := inv.Buffer(mem, 1024, 1024)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := copier.Copy(context.Background(), dst, list); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d buffers: %s\n", list.ListLen(), dst.Data())
	if err := list.Close(); err != nil { // with all its buffers
		log.Fatal(err)
	}

	src, err := inv.Source(mem, 0, 5)
	if err != nil {
		log.Fatal(err)
	}
	if err := src.Reset(6, 9); err != nil {
		log.Fatal(err)
	}
	if _, err := copier.Copy(context.Background(), dst, src); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("one buffer: %s\n", dst.Data())
	// Output:
	// 3 buffers: three scattered words
	// one buffer: scattered
}
