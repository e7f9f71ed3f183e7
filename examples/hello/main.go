// Command hello copies five bytes with DOCA DMA: the program of the README.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator" // optional: used where no SDK is installed
)

func main() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close() // closes everything made on it, too, in the order that DOCA demands
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
	inv, err := doca.NewInventory(2)
	if err != nil {
		log.Fatal(err)
	}
	defer inv.Close()
	src, err := inv.Buffer(mem, 0, 2048) // offset and length in mem
	if err != nil {
		log.Fatal(err)
	}
	dst, err := inv.Buffer(mem, 2048, 2048)
	if err != nil {
		log.Fatal(err)
	}
	if err := src.SetData(0, copy(src.Bytes(), "hello")); err != nil {
		log.Fatal(err)
	}
	if _, err := copier.Copy(context.Background(), dst, src); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", dst.Data()) // hello
}
