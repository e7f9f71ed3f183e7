// Command copy makes one copy and ends: copy.c in Go.
package main

import (
	"bytes"
	"context"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	_ "github.com/go-doca/go-doca/emulator"
)

func main() {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	if err != nil {
		log.Fatal(err)
	}
	copier, err := dma.New(dev, pe, dma.Config{MaxTasks: 1})
	if err != nil {
		log.Fatal(err)
	}
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		log.Fatal(err)
	}
	n := copy(mem.Bytes(), "hello")
	if err := copier.CopyRange(context.Background(), mem, 2048, mem, 0, n); err != nil {
		log.Fatal(err)
	}
	if !bytes.Equal(mem.Bytes()[2048:][:n], mem.Bytes()[:n]) {
		log.Fatal("the copy differs")
	}
}
