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
	n := copy(mem.Bytes(), "hello")
	if err := copier.CopyRange(context.Background(), mem, 2048, mem, 0, n); err != nil { // to 2048, from 0
		log.Fatal(err)
	}
	fmt.Printf("%s\n", mem.Bytes()[2048:][:n]) // hello
}
