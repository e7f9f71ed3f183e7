package doca_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
)

// Take buffers from an inventory. A buffer is a range of a memory; its data segment is the part
// of the range that holds data.
func ExampleInventory_Buffer() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		log.Fatal(err)
	}
	inv, err := doca.NewInventory(16) // has room for 16 buffers, on any memories
	if err != nil {
		log.Fatal(err)
	}
	defer inv.Close()

	buf, err := inv.Buffer(mem, 1024, 512)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(buf.Len(), "bytes,", buf.DataLen(), "of data")
	if err := buf.SetData(0, copy(buf.Bytes(), "some data")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(buf.Len(), "bytes,", buf.DataLen(), "of data")
	// Output:
	// 512 bytes, 0 of data
	// 512 bytes, 9 of data
}

// Chain buffers to a list, which an operation uses as one buffer: a copy gathers the data of
// all of them.
func ExampleBuffer_Chain() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
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
	inv, err := doca.NewInventory(4)
	if err != nil {
		log.Fatal(err)
	}
	defer inv.Close()

	var list *doca.Buffer
	for i, word := range []string{"three ", "scattered ", "words"} {
		buf, err := inv.Buffer(mem, i*1024, 1024)
		if err != nil {
			log.Fatal(err)
		}
		if err := buf.SetData(0, copy(buf.Bytes(), word)); err != nil {
			log.Fatal(err)
		}
		if list == nil {
			list = buf
		} else if err := list.Chain(buf); err != nil {
			log.Fatal(err)
		}
	}
	dst, err := inv.Buffer(mem, 3*1024, 1024)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := copier.Copy(context.Background(), dst, list); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d buffers: %s\n", list.ListLen(), dst.Data())
	// Output: 3 buffers: three scattered words
}
